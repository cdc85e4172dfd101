"""Office documents that tests write part by part, and their reading."""

from __future__ import annotations

import zipfile
from datetime import UTC
from io import BytesIO
from pathlib import Path

from ingest.item import Item, Skipped
from ingest.reading.in_process import read

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
OASIS = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style")
)


def packed(parts: dict[str, str | bytes]) -> bytes:
    """Return a zip of `parts`, as office programs write it."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    return out.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """Return a part that declares rId1, rId2, … as (last word of the type, target)."""
    nodes = "".join(
        f'<Relationship Id="rId{n}" Type="{TYPES}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f"<Relationships>{nodes}</Relationships>"


def docx(body: str, **parts: str | bytes) -> bytes:
    """Return a Word document; the names of further parts have `__` for their dots."""
    document = f"<w:document {W} {R}><w:body>{body}</w:body></w:document>"
    more = {f"word/{name.replace('__', '.')}": content for name, content in parts.items()}
    return packed({"[Content_Types].xml": "<Types/>", "word/document.xml": document, **more})


def paragraph(*runs: str, style: str = "") -> str:
    return f"<w:p><w:pPr>{style}</w:pPr>{''.join(runs)}</w:p>"


def run(text: str, style: str = "") -> str:
    return f'<w:r><w:rPr>{style}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def found(tmp_path: Path, name: str, data: bytes) -> list[Item | Skipped]:
    (tmp_path / name).write_bytes(data)
    return list(read([tmp_path / name], zone=UTC))


def item_in(tmp_path: Path, name: str, data: bytes) -> Item:
    (item,) = found(tmp_path, name, data)
    assert isinstance(item, Item), item
    return item


def skip_in(tmp_path: Path, name: str, data: bytes) -> Skipped:
    (skip,) = found(tmp_path, name, data)
    assert isinstance(skip, Skipped), skip
    return skip


def opendocument(body: str, styles: str = "") -> str:
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content = f"{automatic}<office:body>{body}</office:body>"
    return f"<office:document-content {OASIS}>{content}</office:document-content>"


def odf(kind: str, body: str, styles: str = "") -> bytes:
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return packed({"mimetype": mimetype, "content.xml": opendocument(body, styles)})
