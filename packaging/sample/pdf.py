"""A PDF of plain paragraphs: no dependency, and the same bytes every time."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH, HEIGHT, MARGIN = 595, 842, 64
"""A4 in points."""
SIZE, LEADING = 11, 15
COLUMNS = 84
"""Characters a line; Helvetica at 11 points then stays inside the right margin."""


def pdf(title: str, pages: Sequence[str]) -> bytes:
    """Return a PDF with one page for each text; a line starting with "# " is a heading.

    Raises UnicodeEncodeError for a character that the standard fonts lack (outside cp1252).
    """
    first_page = 5
    kids = " ".join(f"{first_page + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _font("Helvetica"),
        _font("Helvetica-Bold"),
    ]
    for number, text in enumerate(pages):
        content = _content(text, f"{title}, page {number + 1} of {len(pages)}")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}]"
            f" /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
            f" /Contents {first_page + 2 * number + 1} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects.append(b"<< /Title %s >>" % _string(title))
    return _file(objects)


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _string(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _content(text: str, footer: str) -> bytes:
    lines = [b"BT", b"%d TL" % LEADING, b"%d %d Td" % (MARGIN, HEIGHT - MARGIN)]
    for paragraph in text.strip().split("\n"):
        heading = paragraph.startswith("# ")
        lines.append(b"/F%d %d Tf" % (2 if heading else 1, SIZE + 3 * heading))
        wrapped = textwrap.wrap(paragraph.removeprefix("# "), COLUMNS) or [""]
        lines.extend(_string(line) + b" Tj T*" for line in wrapped)
    lines += [b"ET", b"BT /F1 8 Tf", b"%d %d Td" % (MARGIN, MARGIN // 2)]
    lines += [_string(footer) + b" Tj", b"ET"]
    return b"\n".join(lines)


def _file(objects: Sequence[bytes]) -> bytes:
    """Number the objects and close with the cross-reference table; the last one is the info."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    out += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(out)
