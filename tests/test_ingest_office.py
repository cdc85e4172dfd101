"""Office documents: Word, PowerPoint, Excel, OpenDocument, RTF, old and new."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from ingest.item import Item, Reason, Skipped
from ingest.office.sheets.number_formats import form_of
from ingest.office.word.markup import shortened_markup
from tests.support.office_files import (
    A,
    P,
    R,
    W,
    docx,
    found,
    item_in,
    odf,
    packed,
    paragraph,
    relations,
    run,
    skip_in,
)


def test_word_keeps_paragraphs_lists_tables_and_links(tmp_path: Path) -> None:
    cell = "<w:tc>{}</w:tc>"
    row = "<w:tr>{}</w:tr>"
    table = "".join(
        row.format("".join(cell.format(paragraph(run(text))) for text in texts))
        for texts in (("Who", "Pays"), ("Ana", "900"))
    )
    item_of_list = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    numbering = (
        f'<w:numbering {W}><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0">'
        '<w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§%1"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )
    data = docx(
        paragraph(run("Lease "), run("of 2026"))
        + paragraph(run("Term"), style=item_of_list)
        + paragraph(run("Rent"), style=item_of_list)
        + f"<w:tbl>{table}</w:tbl>"
        + paragraph(f'<w:hyperlink r:id="rId1">{run("more")}</w:hyperlink>'),
        numbering__xml=numbering,
        **{"_rels/document__xml__rels": relations(("hyperlink", "https://example.org/x"))},
    )
    item = item_in(tmp_path, "lease.docx", data)
    assert item.text == (
        "Lease of 2026\n\n§3 Term\n§4 Rent\n\nWho | Pays\nAna | 900\n\nmore (https://example.org/x)"
    )
    assert (item.title, item.flags, item.hidden_removed) == ("lease.docx", (), 0)


def test_word_leaves_out_what_is_hidden_and_says_so(tmp_path: Path) -> None:
    data = docx(
        paragraph(
            run("seen "),
            run("not seen", "<w:vanish/>"),
            run("tiny", '<w:sz w:val="1"/>'),
            run("white ", '<w:color w:val="FFFFFF"/>'),
            "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>",
            f"<w:ins>{run('inserted')}</w:ins>",
        ),
        vbaProject__bin=b"macro",
    )
    item = item_in(tmp_path, "a.docm", data)
    assert item.text == "seen inserted"
    assert item.hidden_removed == len("notseentinywhitedeleted")
    assert item.flags == ("macros", "white text")


def test_words_notes_comments_and_margins_are_told_apart(tmp_path: Path) -> None:
    small = paragraph(run("small print"), run("secret", "<w:vanish/>"))
    note = f'<w:footnotes {W}><w:footnote w:id="2">{small}</w:footnote>'
    comment = f'<w:comments {W}><w:comment w:id="0" w:author="Bo">{paragraph(run("why?"))}'
    margin = f"<w:hdr {W}>{paragraph(run('Confidential'))}</w:hdr>"
    data = docx(
        paragraph(
            run("Rent"),
            '<w:r><w:footnoteReference w:id="2"/></w:r>',
            '<w:r><w:commentReference w:id="0"/></w:r>',
        ),
        footnotes__xml=f"{note}</w:footnotes>",
        comments__xml=f"{comment}</w:comment></w:comments>",
        header1__xml=margin,
        header2__xml=margin,
        **{
            "_rels/document__xml__rels": relations(
                ("header", "header1.xml"), ("header", "header2.xml")
            )
        },
    )
    assert item_in(tmp_path, "a.docx", data).text == (
        "Confidential\n\nRent [note 1]\n\nNote 1: small print\n\n[Comment by Bo: why?]"
    )


def test_words_text_boxes_are_read_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph(run('boxed'))}</w:txbxContent>"
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    choice = f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
    fallback = f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
    both = f"<w:r><mc:AlternateContent {mc}>{choice}{fallback}</mc:AlternateContent></w:r>"
    data = docx(paragraph(run("before"), both))
    assert item_in(tmp_path, "a.docx", data).text == "before\n\nboxed"


@pytest.mark.parametrize("entity", ['"lol"', 'SYSTEM "file:///etc/hostname"'])
def test_documents_that_declare_entities_are_refused(tmp_path: Path, entity: str) -> None:
    document = f"<!DOCTYPE w [<!ENTITY x {entity}>]><w:document {W}><w:t>&x;</w:t></w:document>"
    for encoding in ("utf-8", "utf-16"):
        declared = f'<?xml version="1.0" encoding="{encoding}"?>{document}'.encode(encoding)
        parts: dict[str, str | bytes] = {"word/document.xml": declared}
        data = packed({"[Content_Types].xml": "", **parts})
        skip = skip_in(tmp_path, "a.docx", data)
        assert (skip.reason, "entities" in skip.remedy) == (Reason.CORRUPT, True)


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    bomb = docx(paragraph(run("A" * 3_000_000)))
    assert skip_in(tmp_path, "a.docx", bomb).reason is Reason.TOO_LARGE
    lying = bytearray(docx(paragraph(run("A" * 1000))))
    size = (1000).to_bytes(4, "little")
    at = lying.index(b"PK\x01\x02", lying.index(b"PK\x01\x02") + 4)
    lying[at + 24 : at + 28] = size
    assert skip_in(tmp_path, "b.docx", bytes(lying)).reason is Reason.CORRUPT


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run("one", "<w:b/>"), run(" two > 1"), style='<w:ind w:left="9"/>'),
        '<w:p w:rsidR="00AB"/><w:p w:rsidR="00AB"><w:r w:rsidR="1"><w:t>after it</w:t></w:r></w:p>',
        f"<!-- <w:r --><w:p>{run('seen')}</w:p><!-- </w:r> -->",
        f"<?x <w:r ?><w:p>{run('seen')}</w:p><?x ?>",
        "<w:p><w:r><w:t><![CDATA[<w:b/> as written]]></w:t></w:r></w:p>",
        f'<w:p w:note="a>b">{run("seen")}</w:p>',
        f'<w:p xmlns:x="urn:x"><x:odd>{run("seen")}</x:odd></w:p>',
        "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/></w:r><w:r><w:t>3</w:t></w:r></w:p>",
        '<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="9"/></w:tabs></w:pPr>'
        "<w:r><w:t/><w:tab/></w:r><w:r><w:t>end</w:t></w:r></w:p>",
        "<w:p><w:r><w:rPr><w:b/><w:rPrChange><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr>"
        "<w:t>changed</w:t></w:r></w:p>",
        "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc>"
        "</w:tr></w:tbl>",
    ],
)
def test_markup_that_is_left_out_changes_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    short = item_in(tmp_path, "a.docx", docx(body)).text
    monkeypatch.setattr("ingest.office.word.docx.shortened_markup", lambda data, _: (data, True))
    assert item_in(tmp_path, "a.docx", docx(body)).text == short


def test_markup_without_words_is_made_short() -> None:
    body = paragraph(run("one", "<w:b/>"), run("two"), style='<w:ind w:left="9"/>').encode()
    assert shortened_markup(body, False) == (b"<w:p><w:t>onetwo</w:t></w:p>", False)
    assert not shortened_markup(body.replace(b"<w:b/>", b'<w:shd w:fill="FFFFFF"/>'), False)[1]


@pytest.mark.parametrize(
    "style",
    ["<w:vanish/>", '<w:color w:themeColor="x" w:val="ffFFff"/>', "<w:sz\nw:val='1'/>"],
)
def test_markup_that_may_hide_words_is_kept(style: str) -> None:
    body = paragraph(run("one", style)).encode()
    assert shortened_markup(body, False) == (body, True)


def test_strict_documents_are_read_alike(tmp_path: Path) -> None:
    parts = docx(paragraph(run("strict words")))
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    with zipfile.ZipFile(BytesIO(parts)) as archive:
        document = archive.read("word/document.xml").decode().replace(W[9:-1], strict)
    data = packed({"[Content_Types].xml": "", "word/document.xml": document})
    assert item_in(tmp_path, "a.docx", data).text == "strict words"


S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx(*sheets: str, states: tuple[str, ...] = ()) -> bytes:
    """Return a workbook with a sheet for each run of rows."""
    listed = "".join(
        f'<sheet name="Sheet {n}" sheetId="{n}" r:id="rId{n}" state="{state}"/>'
        for n, state in enumerate((*states, *["visible"] * (len(sheets) - len(states))), 1)
    )
    formats = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 10, 200))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{S}" {R}><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *(("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1))
        ),
        "xl/sharedStrings.xml": (
            f'<sst xmlns="{S}"><si><t>Who</t></si><si><r><t>A</t></r><r><t>na</t></r></si></sst>'
        ),
        "xl/styles.xml": (
            f'<styleSheet xmlns="{S}"><numFmts><numFmt numFmtId="200" formatCode="[$€-407]0.00"/>'
            f"</numFmts><cellXfs>{formats}</cellXfs></styleSheet>"
        ),
    }
    for n, rows in enumerate(sheets, 1):
        content = f'<worksheet xmlns="{S}"><sheetData>{rows}</sheetData></worksheet>'
        parts[f"xl/worksheets/sheet{n}.xml"] = content
    return packed(parts)


def cell(place: str, value: str, kind: str = "n", style: int = 0) -> str:
    return f'<c r="{place}" t="{kind}" s="{style}"><v>{value}</v></c>'


def row(*cells: str, hidden: bool = False) -> str:
    return f'<row hidden="{int(hidden)}">{"".join(cells)}</row>'


def test_sheets_are_items_whose_rows_name_their_columns(tmp_path: Path) -> None:
    head = row(cell("A1", "0", "s"), cell("B1", "On", "str"), cell("D1", "Paid", "str"))
    ana = row(cell("A2", "1", "s"), cell("B2", "46343", style=1), cell("D2", "0.5", style=2))
    bo = row(cell("A3", "Bo", "str"), cell("D3", "1234.5", style=3), hidden=True)
    first, second = found(tmp_path, "a.xlsx", xlsx(head + ana + bo, row(cell("A1", "7"))))
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert first.text == (
        "Who | On |  | Paid\nWho: Ana | On: 2026-11-17 | Paid: 50.00%\n"
        "[hidden row] | Who: Bo | Paid: €1234.50"
    )
    assert [first.text[at : at + 5] for at in first.records] == ["Who |", "Who: ", "[hidd"]
    assert (first.title, first.locator.sheet, first.flags) == (
        "a.xlsx, Sheet 1",
        "Sheet 1",
        ("hidden rows",),
    )
    assert (second.text, second.locator.sheet) == ("7", "Sheet 2")


def test_hidden_sheets_are_left_out_and_counted(tmp_path: Path) -> None:
    data = xlsx(row(cell("A1", "secret", "str")), row(cell("A1", "7")), states=("veryHidden",))
    item = item_in(tmp_path, "a.xlsx", data)
    assert (item.text, item.flags, item.hidden_removed) == ("7", ("hidden sheet",), len("secret"))


def test_cells_in_far_corners_cost_nothing(tmp_path: Path) -> None:
    data = xlsx(row(cell("A1", "near", "str")) + row(cell("XFD1048576", "far", "str")))
    assert item_in(tmp_path, "a.xlsx", data).text == "near\nfar"


def test_sheets_with_too_many_cells_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.layout.tables.CELLS", 3)
    data = xlsx("".join(row(cell(f"A{n}", str(n))) for n in range(1, 6)))
    item, skip = found(tmp_path, "a.xlsx", data)
    assert isinstance(item, Item)
    assert isinstance(skip, Skipped)
    assert (item.text, skip.reason) == ("1\n2\n3", Reason.TOO_LARGE)


@pytest.mark.parametrize(
    ("code", "raw", "shown"),
    [
        (0, "0.30000000000000004", "0.3"),
        (0, "13.0", "13"),
        (14, "59", "1900-02-28"),
        (22, "46343.75", "2026-11-17 18:00"),
        (20, "0.5", "12:00"),
        (9, "0.07", "7%"),
        ("[h]:mm:ss", "1.5", "36:00:00"),
        ("dd/mm/yyyy;@", "46343", "2026-11-17"),
        ('#,##0.00 "kr"', "1234.5", "1234.50 kr"),
        ("0.0##", "2.50", "2.500"),
        ("General", "12", "12"),
        ('"Day "0', "3", "3"),
        ("@", "text", "text"),
    ],
)
def test_numbers_are_shown_as_people_see_them(code: str | int, raw: str, shown: str) -> None:
    assert form_of(code)(raw) == shown


def slide(*texts: str, show: str = "1", kinds: tuple[str, ...] = ()) -> str:
    shapes = "".join(
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        for text, kind in zip(texts, (*kinds, *["body"] * len(texts)), strict=False)
    )
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    return f'<p:sld {A} {P} show="{show}">{tree}</p:sld>'


def test_slides_are_pages_in_the_order_they_are_shown(tmp_path: Path) -> None:
    listed = "".join(f'<p:sldId r:id="rId{n}"/>' for n in (3, 1, 2))
    main = f"<p:presentation {P} {R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    targets = [("slide", f"slides/slide{n}.xml") for n in (1, 2, 3)]
    data = packed(
        {
            "[Content_Types].xml": "",
            "ppt/presentation.xml": main,
            "ppt/_rels/presentation.xml.rels": relations(*targets),
            "ppt/slides/slide1.xml": slide("secret", show="0"),
            "ppt/slides/slide2.xml": slide("Body", "Rent", "12", kinds=("", "title", "sldNum")),
            "ppt/slides/slide3.xml": slide("First"),
            "ppt/slides/_rels/slide3.xml.rels": relations(("notesSlide", "../notes/notes1.xml")),
            "ppt/notes/notes1.xml": slide("Speak slowly"),
        }
    )
    item = item_in(tmp_path, "a.pptx", data)
    assert item.text == "First\n\nNotes: Speak slowly\n\n\n\nRent\n\nBody"
    assert [item.text[at : at + 4] for at in item.pages] == ["Firs", "\n\nRe", "Rent"]
    assert (item.flags, item.hidden_removed) == (("hidden slide",), len("secret"))


def test_opendocument_texts_keep_lists_notes_and_comments(tmp_path: Path) -> None:
    hidden = '<style:style style:name="H"><style:text-properties text:display="none"/>'
    body = (
        "<office:text><text:tracked-changes><text:p>old</text:p></text:tracked-changes>"
        "<text:h>Lease</text:h><text:list><text:list-item><text:p>Rent\n   due"
        '<text:s text:c="2"/>now</text:p></text:list-item></text:list>'
        "<text:p>Fee<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>once</text:p></text:note-body></text:note><office:annotation><text:p>why?"
        '</text:p></office:annotation> <text:span text:style-name="H">secret</text:span></text:p>'
        "</office:text>"
    )
    item = item_in(tmp_path, "a.odt", odf("text", body, f"{hidden}</style:style>"))
    assert item.text == (
        "Lease\n\n- Rent due  now\n\nFee [note 1]\n\nNote 1: once\n\n[Comment: why?]"
    )
    assert item.hidden_removed == len("oldsecret")


def test_opendocument_sheets_end_where_their_content_ends(tmp_path: Path) -> None:
    value = '<table:table-cell office:date-value="2026-11-17T00:00:00"><text:p>17.11.26</text:p>'
    rows = (
        f"<table:table-row>{value}</table:table-cell><table:table-cell"
        ' table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
        '<table:table-cell table:number-columns-repeated="16381"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048575"><table:table-cell/>'
        "</table:table-row>"
    )
    body = f'<table:table table:name="Costs">{rows}</table:table>'
    data = odf("spreadsheet", f"<office:spreadsheet>{body}</office:spreadsheet>")
    item = item_in(tmp_path, "a.ods", data)
    assert (item.text, item.title) == ("2026-11-17 | x | x", "a.ods, Costs")


def test_rich_text_is_decoded_and_what_is_hidden_left_out(tmp_path: Path) -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}"
        rb"{\header Top\par}{\*\generator x;}Gr\'fcn \uc1\u8364? {\v secret}{\f1 \'ea\'e0}\par"
        rb'{\field{\*\fldinst HYPERLINK "https://example.org/x"}{\fldrslt more}}\par'
        rb"\trowd\intbl Who\cell Pays\cell\row\intbl Ana\cell 900\cell\row\pard "
        rb"Fee{\footnote once\par}\par{\pict 0102{\bin4 }}}}}"
        rb"}"
    )
    item = item_in(tmp_path, "a.doc", data)
    assert item.text == (
        "Top\n\nGrün € ка\n\nmore (https://example.org/x)\n\nWho | Pays\nAna | 900\n\n"
        "Fee [note 1]\n\nNote 1: once"
    )
    assert item.hidden_removed == len("secret")


def test_deeply_nested_rich_text_ends(tmp_path: Path) -> None:
    data = b"{\\rtf1 " + b"{" * 100_000 + b"found" + b"}" * 100_000
    assert item_in(tmp_path, "a.rtf", data).text == "found"


def line(number: int, *values: str) -> str:
    cells = zip("ABC", values, strict=True)
    return row(*(cell(f"{c}{number}", v, "n" if v.isdigit() else "str") for c, v in cells if v))


def test_rows_name_the_year_of_their_table(tmp_path: Path) -> None:
    rows = (
        ("Rent and heat", "", ""),
        ("In euros", "", "January to June 2023"),
        ("", "Rent", "Heat"),
        ("May", "900", "60"),
        ("June", "910", "20"),
        ("In euros", "", "January to June 2022"),
        ("", "Rent", "Heat"),
        ("May", "850", "70"),
        ("", "Cellar", "Yard"),
        ("July", "80", "7"),
        ("Seen by the tenants", "", ""),
    )
    data = xlsx("".join(line(n, *values) for n, values in enumerate(rows, 1)))
    assert item_in(tmp_path, "a.xlsx", data).text.split("\n")[3:] == [
        "In euros, January to June 2023 | May | Rent: 900 | Heat: 60",
        "In euros, January to June 2023 | June | Rent: 910 | Heat: 20",
        "In euros | Heat: January to June 2022",
        "Rent | Heat",
        "In euros, January to June 2022 | May | Rent: 850 | Heat: 70",
        "Cellar | Yard",
        "July | Cellar: 80 | Yard: 7",
        "Seen by the tenants",
    ]


@pytest.mark.parametrize(
    ("above", "begins"),
    [
        (("2023", "", ""), "2023 | May | "),
        (("Rent", "in euros", "2023"), "Rent, in euros, 2023 | May | "),
        (("Printed on", "", "2023-05-03"), "May | "),
        (("2022", "", "2023"), "May | "),
        (("For the tenants of 2023, and for nobody else in the house or beside it", "", ""), "May"),
    ],
)
def test_a_caption_names_one_year_in_few_words(
    tmp_path: Path, above: tuple[str, ...], begins: str
) -> None:
    rows = (above, ("", "Rent", "Heat"), ("May", "900", "60"), ("June", "910", "20"))
    data = xlsx("".join(line(n, *values) for n, values in enumerate(rows, 1)))
    assert item_in(tmp_path, "a.xlsx", data).text.split("\n")[2].startswith(begins)


def test_tables_below_each_other_have_headers_of_their_own(tmp_path: Path) -> None:
    rows = (
        ("In euros", "spring", ""),
        ("", "Rent", "Heat"),
        ("May", "900", "60"),
        ("June", "910", "20"),
        ("Flats", "Rooms", "Floor"),
        ("Alfama", "3", "2"),
    )
    data = xlsx("".join(line(n, *values) for n, values in enumerate(rows, 1)))
    assert item_in(tmp_path, "a.xlsx", data).text.split("\n")[2:] == [
        "May | Rent: 900 | Heat: 60",
        "June | Rent: 910 | Heat: 20",
        "Flats | Rooms | Floor",
        "Flats: Alfama | Rooms: 3 | Floor: 2",
    ]
