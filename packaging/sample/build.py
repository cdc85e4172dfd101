"""Writes the sample's PDFs: `python packaging/sample/build.py`.

Each text beside this file becomes one PDF. Its first line is the title; a line of
three dashes begins the next page.
"""

from __future__ import annotations

from pathlib import Path

from pdf import pdf

HERE = Path(__file__).parent
DOCUMENTS = HERE.parents[1] / "app" / "sample" / "data" / "documents"


def documents() -> dict[str, bytes]:
    """Return the PDFs by file name."""
    made = {}
    for source in sorted(HERE.glob("*.txt")):
        title, _, body = source.read_text("utf-8").partition("\n")
        made[f"{source.stem}.pdf"] = pdf(title, body.split("\n---\n"))
    return made


if __name__ == "__main__":
    DOCUMENTS.mkdir(parents=True, exist_ok=True)
    for name, data in documents().items():
        (DOCUMENTS / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")
