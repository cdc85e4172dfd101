"""PDFs made by hand: the text that a test places on pages, and what else a document holds."""

from __future__ import annotations

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray"
    b" /BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"
)


def line(text: bytes, y: int = 700, before: bytes = b"", size: bytes = b"12", x: int = 72) -> bytes:
    """Return the drawing of a line of text, so many points above the foot of the page."""
    return b"BT %s /F %s Tf %d %d Td (%s) Tj ET\n" % (before, size, x, y, text)


def make_pdf(
    *contents: bytes,
    page: bytes = b"",
    catalogue: bytes = b"",
    trailer: bytes = b"",
    more: tuple[bytes, ...] = (),
    font: bytes = FONT,
) -> bytes:
    """Return a PDF with a page for each content; objects of `more` begin at number 5."""
    first = 5 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(contents)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        *(font, IMAGE, *more),
    ]
    for number, content in enumerate(contents):
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R %s"
            b" /Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>"
            % (first + 2 * number + 1, page)
        )
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    out = b"%PDF-1.5\n"
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(bodies) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, trailer, len(out))
    )
