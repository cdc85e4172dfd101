"""Odd PDFs, written object by object."""

from __future__ import annotations

import io
import zlib

from tests.odd.archives import zeros

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray"
    b" /BitsPerComponent 8 /Length 64 >>\nstream\n" + b"\x80" * 64 + b"\nendstream"
)
_PICTURE = b"q 612 0 0 792 0 0 cm /I Do Q "


def pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of these objects; the first is the catalogue."""
    out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return bytes(out) + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, trailer, len(out))
    )


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def paged(
    *contents: bytes | None,
    catalogue: bytes = b"",
    page: bytes = b"",
    more: tuple[bytes, ...] = (),
    trailer: bytes = b"",
    font: bytes = FONT,
) -> bytes:
    """Return a PDF with a page for each content stream; None is a page without one.

    Objects 3 and 4 are a font (/F) and an image (/I); `more` begins at object 5.
    """
    first = 5 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        *(font, IMAGE, *more),
    ]
    for number, content in enumerate(contents):
        shown = b"/Contents %d 0 R" % (first + 2 * number + 1) if content is not None else b""
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s %s /Resources"
            b" << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>" % (shown, page)
        )
        objects.append(stream(content or b""))
    return pdf(objects, trailer)


def line(text: bytes, y: int = 700, before: bytes = b"", size: bytes = b"12", x: int = 72) -> bytes:
    """Return the drawing of a line of text, so many points from the left and from the foot."""
    return b"BT %s /F %s Tf %d %d Td (%s) Tj ET\n" % (before, size, x, y, text)


def pdf_two_pages() -> bytes:
    return paged(line(b"Words of the first page."), line(b"Words of the second page."))


def pdf_scanned() -> bytes:
    return paged(_PICTURE)


def pdf_one_scanned_page() -> bytes:
    return paged(line(b"A typed letter."), _PICTURE, _PICTURE)


def pdf_scan_with_recognised_text() -> bytes:
    """What text recognition leaves behind: invisible words over the picture of a page."""
    return paged(_PICTURE + line(b"Recognised words of the scan.", before=b"3 Tr"))


def pdf_blank() -> bytes:
    return paged(b"")


def pdf_page_without_content() -> bytes:
    return paged(line(b"Words of the first page."), None)


def pdf_no_pages() -> bytes:
    return paged()


def pdf_broken_xref() -> bytes:
    return pdf_two_pages().replace(b"startxref\n", b"startxref\n9999")


def pdf_cut_off() -> bytes:
    whole = pdf_two_pages()
    return whole[: whole.index(b"xref\n0")]


def pdf_header_only() -> bytes:
    return b"%PDF-1.7\n%%EOF\n"


def pdf_junk_before() -> bytes:
    return b"junk from a mail gateway\n" * 20 + pdf_two_pages()


def pdf_loop_of_pages() -> bytes:
    return pdf(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"]
    )


def pdf_hyphenated() -> bytes:
    words = b"BT /F 12 Tf 72 700 Td 14 TL (A lasting under-) Tj T* (standing of both sides.) Tj ET"
    return paged(words)


def pdf_white_text() -> bytes:
    return paged(line(b"Visible words.") + line(b"WHITE WORDS", 600, b"1 1 1 rg"))


def pdf_white_on_dark() -> bytes:
    return paged(b"0 0 0.4 rg 50 680 400 60 re f " + line(b"White words on blue.", 700, b"1 g"))


def pdf_tiny_text() -> bytes:
    return paged(line(b"Visible words.") + line(b"TINY WORDS", 600, size=b"0.1"))


def pdf_invisible_text() -> bytes:
    return paged(line(b"Visible words.") + line(b"INVISIBLE WORDS", 600, b"3 Tr"))


def pdf_off_page_text() -> bytes:
    return paged(line(b"Visible words.") + line(b"WORDS BESIDE THE PAGE", -500))


def pdf_javascript() -> bytes:
    action = b'<< /S /JavaScript /JS (app.launchURL("http://x.invalid/")) >>'
    return paged(line(b"Harmless words."), catalogue=b"/OpenAction " + action)


def pdf_form_field() -> bytes:
    field = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (tenant) /V (Ana Ruiz signs)"
        b" /Rect [72 600 300 620] /F 4 >>"
    )
    return paged(
        line(b"Name of the tenant:"),
        catalogue=b"/AcroForm << /Fields [5 0 R] >>",
        page=b"/Annots [5 0 R]",
        more=(field,),
    )


def pdf_note() -> bytes:
    note = (
        b"<< /Type /Annot /Subtype /FreeText /Contents (Ask for a lower rent)"
        b" /Rect [72 600 300 620] /DA (/F 12 Tf) >>"
    )
    return paged(line(b"Words of the page."), page=b"/Annots [5 0 R]", more=(note,))


def pdf_with_file_inside() -> bytes:
    inside = stream(b"Words of the file inside.", b"/Type /EmbeddedFile")
    entry = b"<< /Type /Filespec /F (inside.txt) /UF (inside.txt) /EF << /F 5 0 R >> >>"
    names = b"/Names << /EmbeddedFiles << /Names [(inside.txt) 6 0 R] >> >>"
    return paged(line(b"Words of the page."), catalogue=names, more=(inside, entry))


def _sealed(parameters: bytes) -> bytes:
    seal = b"<< /Filter /Standard /P -44 %s >>" % parameters
    identity = b"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]"
    return paged(line(b"SEALED"), more=(seal,), trailer=b"/Encrypt 5 0 R " + identity)


def pdf_encrypted_rc4() -> bytes:
    return _sealed(b"/V 2 /R 3 /Length 128 /O <%s> /U <%s>" % (b"ab" * 32, b"cd" * 32))


def pdf_encrypted_aes() -> bytes:
    method = b"/CF << /StdCF << /CFM /AESV3 /Length 32 /AuthEvent /DocOpen >> >> /StmF /StdCF"
    keys = b"/O <%s> /U <%s> /OE <%s> /UE <%s> /Perms <%s>" % (
        *(b"ab" * 48, b"cd" * 48, b"ab" * 32, b"cd" * 32, b"ef" * 16),
    )
    return _sealed(b"/V 5 /R 6 /Length 256 /StrF /StdCF " + method + keys)


def pdf_encrypted_without_password() -> bytes:
    """Only the owner's password is set: every viewer opens it without asking."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_two_pages())))
    writer.encrypt(user_password="", owner_password="sesame", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _flate(raw: bytes) -> bytes:
    return b"\x78\x9c" + raw + bytes(4)


def pdf_bomb() -> bytes:
    """A page of 1.5 GB of blanks."""
    return _bomb(_flate(zeros(1500, b" ")), b"/FlateDecode")


def pdf_nested_bomb() -> bytes:
    """A page of 20 GB of blanks in 400 KB, compressed twice."""
    inner = _flate(zeros(20_000, b" "))
    return _bomb(zlib.compress(inner, 9), b"[/FlateDecode /FlateDecode]")


def _bomb(data: bytes, filters: bytes) -> bytes:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        stream(data, b"/Filter " + filters),
    ]
    return pdf(objects)


def pdf_6000_pages() -> bytes:
    return paged(*(line(b"Page %d." % n) for n in range(1, 6001)))
