"""Office documents: Word, PowerPoint, Excel, OpenDocument, RTF, old and new."""

from __future__ import annotations

import zipfile
from datetime import UTC
from io import BytesIO
from pathlib import Path

import pytest

from ingest.item import Item, Reason, Skipped
from ingest.read import read

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


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
    assert item.text == "seen white inserted"
    assert item.hidden_removed == len("notseentinydeleted")
    assert item.flags == ("macros", "white text")


def test_words_notes_comments_and_margins_are_told_apart(tmp_path: Path) -> None:
    note = f'<w:footnotes {W}><w:footnote w:id="2">{paragraph(run("small print"))}</w:footnote>'
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


def test_strict_documents_are_read_alike(tmp_path: Path) -> None:
    parts = docx(paragraph(run("strict words")))
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    with zipfile.ZipFile(BytesIO(parts)) as archive:
        document = archive.read("word/document.xml").decode().replace(W[9:-1], strict)
    data = packed({"[Content_Types].xml": "", "word/document.xml": document})
    assert item_in(tmp_path, "a.docx", data).text == "strict words"
