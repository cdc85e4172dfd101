"""Reading writes no file and leaves none, whatever the format.

The audit hook sees what Python itself does in the program. Readers start isolated, so that no hook
of ours gets into them: what they do is the kernel's to say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest

from tests.support import traced

DATA = Path(__file__).parents[1] / "app" / "sample" / "data"
WATCH = """
import os, sys
log = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_APPEND)
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "tempfile.", "shutil.", "sqlite3.")
def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        harmless = (os.devnull, "/proc/self/coredump_filter")
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and path not in harmless:
            os.write(log, f"{event} {path!r}\\n".encode())
    elif event.startswith(CHANGES):
        os.write(log, f"{event} {arguments!r}\\n".encode())
os.write(log, b"started\\n")
sys.addaudithook(watch)
"""
DOCUMENT = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>A sentinel in a document.</w:t></w:r></w:p></w:body></w:document>"
)


def zipped(members: dict[str, str | bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    docx = zipped({"[Content_Types].xml": types, "word/document.xml": DOCUMENT})
    (folder / "letter.docx").write_bytes(docx)
    (folder / "packed.zip").write_bytes(zipped({"in.txt": "A sentinel, packed.", "in.docx": docx}))
    (folder / "rich.rtf").write_text(r"{\rtf1 A sentinel in rich text.}")
    (folder / "card.vcf").write_text("BEGIN:VCARD\nVERSION:3.0\nFN:Sentinel\nEND:VCARD\n")
    (folder / "notes.ipynb").write_text(
        json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["A sentinel."]}]})
    )
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a@example.org", "A sentinel"
    mail["Date"] = "Tue, 17 Nov 2026 09:00:00 +0000"
    mail.set_content("A sentinel by mail.")
    mail.add_attachment(docx, maintype="application", subtype="octet-stream", filename="b.docx")
    pdf = next(DATA.rglob("*.pdf")).read_bytes()
    mail.add_attachment(pdf, maintype="application", subtype="pdf", filename="b.pdf")
    (folder / "mail.eml").write_bytes(mail.as_bytes())
    return folder


@pytest.fixture
def written(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have every Python that the test starts report what it opens to write; return the report."""
    site = home / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WATCH)
    log = home / "writes.log"
    log.touch()
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    monkeypatch.setenv("WATCHED", str(log))
    return log


def files_below(*folders: Path) -> set[Path]:
    return {path for folder in folders for path in folder.rglob("*")}


def test_the_hook_sees_a_write(home: Path, written: Path) -> None:
    subprocess.run([sys.executable, "-c", "open('x', 'w')"], cwd=home, check=True)
    assert "open 'x'" in written.read_text()


def test_a_search_over_every_format_writes_nothing(
    source: Path, home: Path, written: Path, tmp_path: Path
) -> None:
    before = files_below(home, tmp_path)
    command = traced.program("search", "sentinel", source, "-k", "50", "--json")
    ran = traced.run(command, home=home, folders=(), environ={"TMPDIR": str(home)})
    assert ran.code == 0, ran.err.decode()
    found = json.loads(ran.out)
    titles = {result["title"] for result in found["results"]}
    assert {"letter.docx", "rich.rtf", "notes.ipynb", "A sentinel", "Sentinel"} <= titles
    members = {result["locator"].get("member") for result in found["results"]}
    assert {"in.txt", "in.docx", "b.docx"} <= members
    assert not found["coverage"]["skipped"]
    assert written.read_text().splitlines() == ["started"]
    if ran.is_traced:
        assert any("SCM_RIGHTS" in line for line in ran.lines), "no reader was watched"
    assert ran.written in ([], [str(written)])  # the hook's own report
    assert files_below(home, tmp_path) == before
