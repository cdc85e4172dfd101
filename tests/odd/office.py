"""Odd office documents: Word, Excel, PowerPoint, OpenDocument, RTF, Outlook messages."""

from __future__ import annotations

import struct
from datetime import UTC, datetime

from tests.odd.archives import Member, raw_zip, stored, zeros, zipped
from tests.odd.ole import compound

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument"


def _types(**overrides: str) -> str:
    """Return the list of types; a name such as `word__document` stands for /word/document.xml."""
    rows = "".join(
        f'<Override PartName="/{name.replace("__", "/")}.xml" ContentType="{kind}"/>'
        for name, kind in overrides.items()
    )
    return (
        f'{XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    )


def _relations(*targets: tuple[str, str], mode: str = "") -> str:
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATED}/{kind}" Target="{target}"{mode}/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'{XML}<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


# Word


def word_xml(body: str, before: str = XML, namespace: str = _WORD) -> str:
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    names = f'xmlns:w="{namespace}" xmlns:r="{_RELATED}" xmlns:mc="{mc}" xmlns:v="urn:v"'
    return f"{before}<w:document {names}><w:body>{body}</w:body></w:document>"


def docx_parts(document: str | bytes, **more: str | bytes) -> dict[str, str | bytes]:
    """Return the parts of a docx; `more` has further parts of `word/`, without `.xml`."""
    kinds = {f"word__{name}": f"{_TYPE}.wordprocessingml.{name.rstrip('1')}+xml" for name in more}
    main = f"{_TYPE}.wordprocessingml.document.main+xml"
    return {
        "[Content_Types].xml": _types(word__document=main, **kinds),
        "_rels/.rels": _relations(("officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": _relations(
            *((name.rstrip("1"), f"{name}.xml") for name in more)
        ),
        "word/document.xml": document,
        **{f"word/{name}.xml": data for name, data in more.items()},
    }


def docx(body: str, before: str = XML, **more: str | bytes) -> bytes:
    return zipped(docx_parts(word_xml(body, before), **more))


def _p(text: str, properties: str = "") -> str:
    kept = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:p><w:r>{kept}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def docx_plain() -> bytes:
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Lease</w:t></w:r></w:p>'
    rent = '<w:r><w:t xml:space="preserve">The rent is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>'
    rent += '<w:t>900</w:t></w:r><w:r><w:t xml:space="preserve"> euros.</w:t></w:r>'
    return docx(f"{heading}<w:p>{rent}</w:p>")


def docx_vanish() -> bytes:
    return docx(_p("Visible clause.") + _p("HIDDEN CLAUSE", "<w:vanish/>"))


def docx_white_text() -> bytes:
    return docx(_p("Visible clause.") + _p("WHITE CLAUSE", '<w:color w:val="FFFFFF"/>'))


def docx_tracked_changes() -> bytes:
    return docx(
        '<w:p><w:r><w:t xml:space="preserve">The rent is </w:t></w:r>'
        '<w:del w:id="1"><w:r><w:delText>DELETED 800</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:t>900</w:t></w:r></w:ins>'
        '<w:r><w:t xml:space="preserve"> euros.</w:t></w:r></w:p>'
        '<w:moveFrom w:id="3"><w:p><w:r><w:t>MOVED AWAY</w:t></w:r></w:p></w:moveFrom>'
    )


def docx_table() -> bytes:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{_p(cell)}</w:tc>" for cell in cells) + "</w:tr>"

    table = row("Flat", "Rent") + row("Rua da Prata", "900") + row("Alfama", "750")
    return docx(_p("Offers") + f"<w:tbl>{table}</w:tbl>" + _p("End"))


def docx_notes() -> bytes:
    def part(tag: str, inner: str) -> str:
        return f'{XML}<w:{tag} xmlns:w="{_WORD}">{inner}</w:{tag}>'

    return docx(
        _p("Main text."),
        header1=part("hdr", _p("Head of the page")),
        footer1=part("ftr", _p("Foot of the page")),
        footnotes=part("footnotes", f'<w:footnote w:id="2">{_p("Small print.")}</w:footnote>'),
        endnotes=part("endnotes", f'<w:endnote w:id="2">{_p("Last words.")}</w:endnote>'),
    )


def docx_comment() -> bytes:
    inner = f'<w:comment w:id="0" w:author="Ben">{_p("Ask for 850 instead.")}</w:comment>'
    return docx(
        _p("Main text."), comments=f'{XML}<w:comments xmlns:w="{_WORD}">{inner}</w:comments>'
    )


def docx_text_box() -> bytes:
    box = f"<w:txbxContent>{_p('Words in the box.')}</w:txbxContent>"
    return docx(
        '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps">'
        f"<w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>" + _p("After the box.")
    )


def docx_breaks_and_tabs() -> bytes:
    return docx(
        "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>over</w:t><w:noBreakHyphen/><w:t>all</w:t></w:r></w:p>"
    )


def docx_field_code() -> bytes:
    return docx(
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> INCLUDEPICTURE '
        '"http://x.invalid/p.png" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/>'
        '</w:r><w:r><w:t>Shown result.</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )


def docx_remote_template() -> bytes:
    parts = docx_parts(word_xml(_p("Main text.")))
    parts["word/settings.xml"] = (
        f'{XML}<w:settings xmlns:w="{_WORD}" xmlns:r="{_RELATED}">'
        '<w:attachedTemplate r:id="rId1"/></w:settings>'
    )
    parts["word/_rels/settings.xml.rels"] = _relations(
        ("attachedTemplate", "http://template.invalid/t.dotm"), mode=' TargetMode="External"'
    )
    return zipped(parts)


def docx_external_entity() -> bytes:
    kind = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    return docx(_p("X&x;Y"), '<?xml version="1.0"?>' + kind)


def docx_entity_bomb() -> bytes:
    entities = '<!ENTITY a "lollollollol">' + "".join(
        f'<!ENTITY {to} "{f"&{of};" * 10}">' for of, to in zip("abcdefgh", "bcdefghi", strict=True)
    )
    return docx(_p("&i;"), f'<?xml version="1.0"?><!DOCTYPE w [{entities}]>')


def docx_bomb() -> bytes:
    """A document part of 1.2 GB of blanks."""
    parts = docx_parts("")
    members = [
        stored(name.encode(), data.encode())
        for name, data in parts.items()
        if isinstance(data, str) and data
    ]
    blank = Member(b"word/document.xml", zeros(1200, b" "), 1200 << 20, method=8)
    return raw_zip(*members, blank)


def docx_deep() -> bytes:
    return docx("<w:p>" * 50_000 + "</w:p>" * 50_000)


def docx_cut_off() -> bytes:
    whole = docx(_p("The rent is 900 euros."))
    return whole[: len(whole) // 2]


def docx_without_document() -> bytes:
    parts = docx_parts("")
    del parts["word/document.xml"]
    return zipped(parts)


def docx_broken_xml() -> bytes:
    return zipped(docx_parts(word_xml(_p("The rent is 900 euros."))[:-30]))


def docx_utf16() -> bytes:
    text = word_xml(_p("Mieträume")).replace("UTF-8", "UTF-16")
    return zipped(docx_parts(text.encode("utf-16")))


def docx_strict() -> bytes:
    body = word_xml(
        _p("Strictly spoken."), namespace="http://purl.oclc.org/ooxml/wordprocessingml/main"
    )
    return zipped(docx_parts(body))


def docx_empty() -> bytes:
    return docx("<w:p/>")


def docm_macro() -> bytes:
    return zipped(docx_parts(word_xml(_p("Main text."))) | {"word/vbaProject.bin": bytes(100)})


def docx_encrypted() -> bytes:
    return compound({"EncryptionInfo": bytes(248), "EncryptedPackage": bytes(8192)})


def _doc(text: bytes, flags: int) -> bytes:
    """Return a Word 97 document of one piece of 8-bit text."""
    base = 0x800
    fib = bytearray(base)
    struct.pack_into("<HHHHHH", fib, 0, 0xA5EC, 0xC1, 0, 0x409, 0, flags)
    struct.pack_into("<II", fib, 0x18, base, base + len(text))
    struct.pack_into("<H", fib, 0x20, 14)
    struct.pack_into("<H", fib, 0x3E, 22)
    struct.pack_into("<I", fib, 0x4C, len(text))
    struct.pack_into("<H", fib, 0x98, 93)
    piece = struct.pack("<IIHIH", 0, len(text), 0, base * 2 | 0x40000000, 0)
    clx = b"\2" + struct.pack("<I", len(piece)) + piece
    struct.pack_into("<II", fib, 0x1A2, 0, len(clx))
    return compound({"WordDocument": bytes(fib) + text.ljust(4096, b"\0"), "1Table": clx})


def doc_plain() -> bytes:
    return _doc("The rent for the flat is 900 €.\rSecond paragraph.\r".encode("cp1252"), 0x200)


def doc_encrypted() -> bytes:
    return _doc(bytes(range(128, 160)), 0x300)


# Excel


def xlsx(*sheets: tuple[str, str, str], shared: str = "", styles: str = "") -> bytes:
    """Return a workbook; a sheet is its name, its state and the XML of its rows."""
    names = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}" state="{state}"/>'
        for n, (name, state, _) in enumerate(sheets, 1)
    )
    parts = {
        "[Content_Types].xml": _types(
            xl__workbook=f"{_TYPE}.spreadsheetml.sheet.main+xml",
            xl__sharedStrings=f"{_TYPE}.spreadsheetml.sharedStrings+xml",
            xl__styles=f"{_TYPE}.spreadsheetml.styles+xml",
            **{
                f"xl__worksheets__sheet{n}": f"{_TYPE}.spreadsheetml.worksheet+xml"
                for n in range(1, len(sheets) + 1)
            },
        ),
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'{XML}<workbook xmlns="{_SHEET}" xmlns:r="{_RELATED}">'
        f"<sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(
            *(("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)),
            ("sharedStrings", "sharedStrings.xml"),
            ("styles", "styles.xml"),
        ),
        "xl/sharedStrings.xml": f'{XML}<sst xmlns="{_SHEET}">{shared}</sst>',
        "xl/styles.xml": f'{XML}<styleSheet xmlns="{_SHEET}">{styles}</styleSheet>',
    }
    for number, (_, _, rows) in enumerate(sheets, 1):
        data, _, after = rows.partition("|")
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'{XML}<worksheet xmlns="{_SHEET}"><sheetData>{data}</sheetData>{after}</worksheet>'
        )
    return zipped(parts)


def _row(number: int, *cells: str) -> str:
    inner = "".join(
        f'<c r="{chr(65 + n)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for n, cell in enumerate(cells)
        if cell
    )
    return f'<row r="{number}">{inner}</row>'


def xlsx_plain() -> bytes:
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
    rows += '<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>900</v></c></row>'
    shared = (
        "<si><t>Flat</t></si><si><t>Rent</t></si>"
        "<si><r><t xml:space='preserve'>Rua da </t></r><r><t>Prata</t></r></si>"
    )
    return xlsx(
        ("Costs", "visible", rows),
        ("Dates", "visible", _row(1, "Moving", "1 December")),
        shared=shared,
    )


def xlsx_hidden_sheet() -> bytes:
    return xlsx(
        ("Open", "visible", _row(1, "Visible")), ("Secret", "hidden", _row(1, "HIDDEN SHEET"))
    )


def xlsx_very_hidden_sheet() -> bytes:
    return xlsx(
        ("Open", "visible", _row(1, "Visible")), ("Secret", "veryHidden", _row(1, "HIDDEN SHEET"))
    )


def xlsx_merged_cells() -> bytes:
    rows = _row(1, "Offers", "", "") + _row(2, "Flat", "Rent", "Deposit")
    merged = '<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>'
    return xlsx(("Costs", "visible", f"{rows}|{merged}"))


def xlsx_sparse_corner() -> bytes:
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>omega</t></is></c></row>'
    return xlsx(("Wide", "visible", _row(1, "alpha") + far))


def xlsx_dates_and_formulas() -> bytes:
    rows = (
        '<row r="1"><c r="A1" s="1"><v>46343</v></c><c r="B1"><f>1+1</f><v>2468</v></c>'
        '<c r="C1" t="b"><v>1</v></c><c r="D1" t="e"><v>#DIV/0!</v></c>'
        '<c r="E1" t="str"><f>A1</f><v>computed words</v></c></row>'
    )
    styles = (
        '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'
    )
    return xlsx(("Costs", "visible", rows), styles=styles)


def xlsx_no_cell_references() -> bytes:
    """Cells may leave out where they stand: they follow one another."""
    rows = '<row><c t="inlineStr"><is><t>Flat</t></is></c><c><v>900</v></c></row>'
    return xlsx(("Costs", "visible", rows))


def xlsx_bad_shared_string() -> bytes:
    rows = '<row r="1"><c r="A1" t="s"><v>99999</v></c><c r="B1" t="s"><v>0</v></c></row>'
    return xlsx(("Costs", "visible", rows), shared="<si><t>Rent</t></si>")


def xlsx_empty() -> bytes:
    return xlsx(("Costs", "visible", ""))


def xlsx_encrypted() -> bytes:
    return docx_encrypted()


def _xls(text: bytes) -> bytes:
    """Return a BIFF8 workbook of one sheet with a text and a number."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x0DBB, 0x07CC, 0, 6))

    end = record(0x0A, b"")
    cells = record(0x204, struct.pack("<HHHHB", 0, 0, 15, len(text), 0) + text)
    cells += record(0x203, struct.pack("<HHHd", 0, 1, 15, 987.0))
    name = b"Costs"
    codepage = record(0x42, struct.pack("<H", 1200))
    xf = record(0xE0, bytes(20)) * 16
    font = record(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 32767, 400, 0, 0, 0, 0, 0, 1, 0) + b"A")
    sheet_at = len(begin(5) + codepage + font * 4 + xf) + 4 + 8 + len(name) + len(end)
    listed = record(0x85, struct.pack("<IHBB", sheet_at, 0, len(name), 0) + name)
    book = begin(5) + codepage + font * 4 + xf + listed + end
    sheet = begin(0x10) + cells + end
    return compound({"Workbook": (book + sheet).ljust(4096, b"\0")})


def xls_plain() -> bytes:
    return _xls(b"Rent")


def xls_of_html() -> bytes:
    return (
        b'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table><tr><td>Flat</td>'
        b"<td>900</td></tr></table></body></html>"
    )


# PowerPoint


def pptx(*slides: tuple[str, str], notes: str = "") -> bytes:
    """Return a presentation; a slide is its attributes and its text. The last file comes first."""
    count = len(slides)
    order = "".join(
        f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in reversed(range(1, count + 1))
    )
    parts: dict[str, bytes | str] = {
        "[Content_Types].xml": _types(
            ppt__presentation=f"{_TYPE}.presentationml.presentation.main+xml",
            **{
                f"ppt__slides__slide{n}": f"{_TYPE}.presentationml.slide+xml"
                for n in range(1, count + 1)
            },
        ),
        "_rels/.rels": _relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'{XML}<p:presentation xmlns:p="{_SLIDE}" xmlns:r="{_RELATED}">'
        f"<p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations(
            *(("slide", f"slides/slide{n}.xml") for n in range(1, count + 1))
        ),
    }
    for number, (attributes, text) in enumerate(slides, 1):
        parts[f"ppt/slides/slide{number}.xml"] = _slide("sld", attributes, text)
    if notes:
        parts["ppt/slides/_rels/slide1.xml.rels"] = _relations(
            ("notesSlide", "../notesSlides/notesSlide1.xml")
        )
        parts["ppt/notesSlides/notesSlide1.xml"] = _slide("notes", "", notes)
    return zipped(parts)


def _slide(tag: str, attributes: str, text: str) -> str:
    shape = f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    return (
        f'{XML}<p:{tag} xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}"{attributes}><p:cSld><p:spTree>'
        f"{shape}</p:spTree></p:cSld></p:{tag}>"
    )


def pptx_order() -> bytes:
    return pptx(("", "Shown second."), ("", "Shown first."))


def pptx_hidden_slide() -> bytes:
    return pptx(("", "Visible slide."), (' show="0"', "HIDDEN SLIDE"))


def pptx_notes() -> bytes:
    return pptx(("", "On the slide."), notes="Said by the speaker.")


def pptx_table() -> bytes:
    def row(*cells: str) -> str:
        inner = "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>"
            for cell in cells
        )
        return f"<a:tr>{inner}</a:tr>"

    table = f"<a:tbl>{row('Flat', 'Rent')}{row('Alfama', '750')}</a:tbl>"
    graphic = (
        f"<a:graphic><a:graphicData uri='{_DRAWING}/table'>{table}</a:graphicData></a:graphic>"
    )
    frame = f"<p:graphicFrame>{graphic}</p:graphicFrame>"
    shape = "</a:t></a:r></a:p></p:txBody></p:sp>" + frame
    rest = "<p:sp><p:txBody><a:p><a:r><a:t>After."
    return pptx(("", "Offers" + shape + rest))


# OpenDocument

_OD = "urn:oasis:names:tc:opendocument:xmlns"
_NAMES = (
    " ".join(f'xmlns:{name}="{_OD}:{name}:1.0"' for name in ("office", "text", "table", "style"))
    + f' xmlns:draw="{_OD}:drawing:1.0" xmlns:presentation="{_OD}:presentation:1.0"'
    + f' xmlns:svg="{_OD}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def opendocument(kind: str, body: str, styles: str = "", before: str = XML) -> bytes:
    """Return an OpenDocument file; `kind` is text, spreadsheet or presentation."""
    media = f"application/vnd.oasis.opendocument.{kind}"
    content = (
        f"{before}<office:document-content {_NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    return zipped(
        {"mimetype": media, "META-INF/manifest.xml": _manifest(media), "content.xml": content}
    )


def _manifest(media: str, encryption: str = "") -> str:
    return (
        f'{XML}<manifest:manifest xmlns:manifest="{_OD}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{media}"/><manifest:file-entry '
        f'manifest:full-path="content.xml" manifest:media-type="text/xml">{encryption}'
        "</manifest:file-entry></manifest:manifest>"
    )


def odt_plain() -> bytes:
    return opendocument(
        "text",
        '<text:h text:outline-level="1">Lease</text:h>'
        "<text:p>The rent is <text:span>900</text:span> euros.</text:p>",
    )


def odt_spaces_and_tabs() -> bytes:
    words = '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>'
    return opendocument("text", words)


def odt_linked_pictures() -> bytes:
    def frame(inside: str) -> str:
        about = "<svg:title>Plan of the flat</svg:title>"
        return f"<draw:frame>{inside}<draw:image/>{about}</draw:frame>"

    box = "<draw:text-box><text:p>Words in the box.</text:p></draw:text-box>"
    link = 'xlink:href="https://example.org/{}"'
    return opendocument(
        "text",
        f"<text:p><draw:a {link.format(1)}>{frame('')}</draw:a></text:p>"
        f"<text:p><text:a {link.format(2)}>{frame('')}</text:a></text:p>"
        f"<text:p><draw:a {link.format(3)}>{frame(box)}</draw:a></text:p>",
    )


def odt_tracked_deletion() -> bytes:
    deleted = "<text:deletion><text:p>DELETED WORDS</text:p></text:deletion>"
    region = f'<text:changed-region text:id="c1">{deleted}</text:changed-region>'
    changes = f"<text:tracked-changes>{region}</text:tracked-changes>"
    return opendocument("text", f"{changes}<text:p>Kept words.</text:p>")


def odt_hidden_text() -> bytes:
    hidden = '<style:text-properties text:display="none"/>'
    style = f'<style:style style:name="H" style:family="text">{hidden}</style:style>'
    words = (
        '<text:p>Visible words. <text:span text:style-name="H">HIDDEN WORDS</text:span></text:p>'
    )
    return opendocument("text", words, style)


def odt_external_entity() -> bytes:
    kind = '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    return opendocument("text", "<text:p>X&x;Y</text:p>", before=kind)


def odt_encrypted() -> bytes:
    media = "application/vnd.oasis.opendocument.text"
    method = '<manifest:algorithm manifest:algorithm-name="aes256-cbc"/>'
    sealed = f"<manifest:encryption-data>{method}</manifest:encryption-data>"
    manifest = _manifest(media, sealed)
    return zipped(
        {"mimetype": media, "META-INF/manifest.xml": manifest, "content.xml": bytes(range(256)) * 4}
    )


def odt_flat() -> bytes:
    return (
        f'{XML}<office:document {_NAMES} office:mimetype="application/vnd.oasis.opendocument.text">'
        "<office:body><office:text><text:p>Flat words.</text:p></office:text></office:body>"
        "</office:document>"
    ).encode()


def _cells(*cells: str) -> str:
    inner = "".join(f"<table:table-cell><text:p>{c}</text:p></table:table-cell>" for c in cells)
    return f"<table:table-row>{inner}</table:table-row>"


def ods_plain() -> bytes:
    rows = _cells("Flat", "Rent") + _cells("Alfama", "750")
    other = f'<table:table table:name="Dates">{_cells("Moving", "1 December")}</table:table>'
    return opendocument(
        "spreadsheet", f'<table:table table:name="Costs">{rows}</table:table>{other}'
    )


def ods_repeated_to_the_corner() -> bytes:
    blank = '<table:table-cell table:number-columns-repeated="16384"/>'
    rows = _cells("alpha") + (
        f'<table:table-row table:number-rows-repeated="1048574">{blank}</table:table-row>'
    )
    rows += _cells("omega")
    return opendocument("spreadsheet", f'<table:table table:name="Wide">{rows}</table:table>')


def ods_repeated_value() -> bytes:
    repeated = 'table:number-columns-repeated="16384"'
    cell = f"<table:table-cell {repeated}><text:p>again</text:p></table:table-cell>"
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    return opendocument("spreadsheet", f'<table:table table:name="Wide">{rows}</table:table>')


def odp_two_pages() -> bytes:
    pages = "".join(
        f'<draw:page draw:name="page{n}"><draw:frame><draw:text-box><text:p>{words}</text:p>'
        "</draw:text-box></draw:frame></draw:page>"
        for n, words in enumerate(("Shown first.", "Shown second."), 1)
    )
    return opendocument("presentation", pages)


# RTF


def rtf_plain() -> bytes:
    return (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Helvetica;}}{\*\generator Nobody;}"
        rb"{\info{\title TITLE}}The rent f\'fcr the flat is 900 \u8364?.\par Second\tab line.\par}"
    )


def rtf_hidden() -> bytes:
    return rb"{\rtf1\ansi Visible words. {\v HIDDEN WORDS} More words.\par}"


def rtf_all_hidden() -> bytes:
    return rb"{\rtf1\ansi {\v HIDDEN WORDS} \par}"


def rtf_with_object() -> bytes:
    return (
        rb"{\rtf1\ansi Before. {\object\objemb{\*\objdata 0105000002000000deadbeefdeadbeef}}"
        rb" After.{\pict\pngblip 89504e470d0a1a0a0000cafecafe}\par}"
    )


def rtf_deep() -> bytes:
    return rb"{\rtf1 " + b"{" * 300_000 + b"deep" + b"}" * 300_000 + b"}"


def rtf_cut_off() -> bytes:
    return rb"{\rtf1\ansi The rent is 900 euros.\par And the dep"


# Outlook


def _text(value: str) -> bytes:
    return value.encode("utf-16-le")


def msg_plain() -> bytes:
    sent = int(
        (
            datetime(2026, 11, 17, 8, 2, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)
        ).total_seconds()
    )
    properties = bytes(32) + struct.pack("<IIQ", 0x00390040, 6, sent * 10_000_000)
    return compound(
        {
            **{f"__nameid_version1.0/__substg1.0_000{n}0102": bytes(16) for n in (2, 3, 4)},
            "__properties_version1.0": properties,
            "__substg1.0_001A001F": _text("IPM.Note"),
            "__substg1.0_0037001F": _text("Lease"),
            "__substg1.0_1000001F": _text("The rent is due on Friday.\r\n"),
            "__substg1.0_0C1A001F": _text("Ana Ruiz"),
            "__substg1.0_0C1E001F": _text("SMTP"),
            "__substg1.0_0C1F001F": _text("ana@example.org"),
            "__substg1.0_5D01001F": _text("ana@example.org"),
            "__substg1.0_0E04001F": _text("Ben Okafor"),
            "__recip_version1.0_#00000000/__properties_version1.0": bytes(8)
            + struct.pack("<IIQ", 0x0C150003, 6, 1),
            "__recip_version1.0_#00000000/__substg1.0_3001001F": _text("Ben Okafor"),
            "__recip_version1.0_#00000000/__substg1.0_39FE001F": _text("ben@example.org"),
            "__attach_version1.0_#00000000/__properties_version1.0": bytes(8)
            + struct.pack("<IIQ", 0x37050003, 6, 1),
            "__attach_version1.0_#00000000/__substg1.0_3707001F": _text("inventory.txt"),
            "__attach_version1.0_#00000000/__substg1.0_37010102": b"Inventory: two chairs.",
        }
    )


def ole_of_nothing() -> bytes:
    return compound({"Contents": b"\1\2\3" * 30})


def ole_cut_off() -> bytes:
    return msg_plain()[:1200]
