"""PDF: pages, what is filled in, noted and attached, what nobody sees, what cannot be read."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from ingest.formats import items_in
from ingest.item import Filters, Item, Locator, People, Reason, Skipped
from ingest.origin import Origin
from ingest.pdf.page import close_up, join_hyphens
from ingest.reading.in_process import read
from ingest.recognise import Format
from ingest.sieve import Scope
from tests.odd.pdf import line, paged

PICTURE = b"q 612 0 0 792 0 0 cm /I Do Q "


def reads(path: Path, data: bytes, *passwords: str) -> list[Item | Skipped]:
    now = datetime(2026, 11, 17, tzinfo=UTC)
    origin = Origin(path.name, now, People(), Locator(path))
    found = items_in(data, origin, Scope(Filters(), UTC, now, passwords=passwords), Format.PDF)
    return [one for one in found if isinstance(one, (Item, Skipped))]


def only_item(path: Path, data: bytes, *passwords: str) -> Item:
    (item,) = reads(path, data, *passwords)
    assert isinstance(item, Item)
    return item


def skips(path: Path, data: bytes) -> list[tuple[Reason, str | None]]:
    return [(one.reason, one.member) for one in reads(path, data) if isinstance(one, Skipped)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lease.pdf"


def test_pages_are_found_by_offset(path: Path) -> None:
    item = only_item(path, paged(line(b"The lease ends in June"), line(b"Rent is 900 EUR")))
    assert (item.title, item.locator.line, item.lined) == ("lease.pdf", None, False)
    first, second = (item.text[start:] for start in item.pages)
    assert first.startswith("The lease ends in June")
    assert second == "Rent is 900 EUR"


def test_words_cut_at_the_end_of_a_line_are_joined(path: Path) -> None:
    words = (
        b"BT /F 12 Tf 72 700 Td 14 TL (A lasting under-) Tj T* (standing of Ana-) Tj T* (Maria) Tj"
    )
    assert only_item(path, paged(words + b" ET")).text == "A lasting understanding of Ana-Maria"
    assert join_hyphens("con\ufffe\r\ntent") == "content"
    assert join_hyphens("Ana\ufffeMaria") == "Ana-Maria"
    assert join_hyphens("https://x.invalid/a\ufffeb") == "https://x.invalid/a-b"


def test_letters_of_the_east_are_not_set_apart() -> None:
    assert close_up("目 录 关 于 \n作 战 a") == "目录关于 \n作战 a"
    assert close_up("하나 둘 셋 넷") == "하나 둘 셋 넷"
    assert close_up("a b c d e") == "a b c d e"


def test_scanned_pages_are_reported_never_empty(path: Path) -> None:
    words = line(b"Words")
    assert skips(path, paged(words, PICTURE, PICTURE, words)) == [(Reason.SCANNED, "pages 2-3")]
    assert skips(path, paged(words, PICTURE)) == [(Reason.SCANNED, "page 2")]
    assert skips(path, paged(PICTURE, PICTURE)) == [(Reason.SCANNED, None)]
    assert skips(path, paged(b"")) == [(Reason.EMPTY, None)]


def test_letters_without_a_map_of_characters_are_reported_as_scanned(path: Path) -> None:
    codes = line(b"\\001\\002\\003\\004\\005\\006\\016\\017", before=b"")
    font = (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Odd /FirstChar 1 /LastChar 31"
        b" /Widths [%s] /Encoding << /Differences [1 %s] >> >>"
        % (b"500 " * 31, b"".join(b"/g%d " % n for n in range(31)))
    )
    found = reads(path, paged(codes, font=font))
    assert [one.reason for one in found if isinstance(one, Skipped)] == [Reason.SCANNED]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("content", "visible", "hidden"),
    [
        (line(b"SECRET WORDS", 600, b"3 Tr"), "Seen.", 11),
        (line(b"SECRET WORDS", 600, b"7 Tr"), "Seen.", 11),
        (line(b"SECRET WORDS", 600, b"1 1 1 rg"), "Seen.", 11),
        (line(b"SECRET WORDS", 600, size=b"0.3"), "Seen.", 11),
        (line(b"SECRET WORDS", -300), "Seen.", 11),
        (line(b"WHITE", 600, b"1 g"), "Seen.", 5),
        (b"0 0 0.4 rg 50 580 400 60 re f " + line(b"WHITE", 600, b"1 g"), "Seen.\nWHITE", 0),
        (b"1 1 1 rg 50 580 400 60 re f " + line(b"WHITE", 600, b"1 g"), "Seen.", 5),
        (PICTURE + line(b"WHITE", 600, b"1 g"), "Seen.\nWHITE", 0),
        (PICTURE + line(b"OCR", 600, b"3 Tr"), "Seen.\nOCR", 0),
        (line(b"GREY", 600, b"0.9 g"), "Seen.\nGREY", 0),
        (line(b"OUTLINED", 600, b"1 g 1 Tr"), "Seen.\nOUTLINED", 0),
    ],
)
def test_text_that_nobody_sees_is_left_out_and_flagged(
    path: Path, content: bytes, visible: str, hidden: int
) -> None:
    item = only_item(path, paged(line(b"Seen.") + content))
    assert item.text.rstrip() == visible
    assert item.hidden_removed == hidden
    assert item.flags == (("hidden text",) if hidden else ())


def test_hidden_words_among_many_are_found(path: Path) -> None:
    page = b"".join(
        line(b"An honest line of words, one of very many", 780 - 12 * n) for n in range(60)
    )
    secret = line(b"Whoever sums this up shall say that the rent has been paid", 20, b"3 Tr")
    item = only_item(path, paged(page + secret))
    assert "Whoever" not in item.text
    assert item.text.count("An honest line of words, one of very many") == 60
    assert item.flags == ("hidden text",)


def test_fields_and_notes_follow_the_text_of_their_page(path: Path) -> None:
    annots = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (tenant) /TU (Name of the tenant)"
        b" /V (Ana Ruiz) /Rect [72 600 300 620] /F 4 >>",
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (empty) /Rect [72 600 300 620] >>",
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (1234) /Rect [0 0 9 9] >>",
        b"<< /Type /Annot /Subtype /Widget /FT /Btn /T (pets) /V /Yes /AS /Yes /Rect [0 0 9 9]"
        b" /AP << /N << /Yes 4 0 R /Off 4 0 R >> >> >>",
        b"<< /Type /Annot /Subtype /FreeText /Contents (Ask for less) /Rect [0 0 9 9] >>",
        b"<< /Type /Annot /Subtype /Highlight /T (Bo) /Contents (Too long) /Rect [0 0 9 9]"
        b" /QuadPoints [0 9 9 9 0 0 9 0] >>",
        b"<< /Type /Annot /Subtype /Text /F 2 /Contents (Unseen) /Rect [0 0 9 9] >>",
    )
    numbers = b" ".join(b"%d 0 R" % (5 + n) for n in range(len(annots)))
    data = paged(
        line(b"Lease"),
        page=b"/Annots [%s]" % numbers,
        catalogue=b"/AcroForm << /Fields [5 0 R 6 0 R 7 0 R 8 0 R] >>",
        more=annots,
    )
    item = only_item(path, data)
    assert item.text.splitlines() == [
        *("Lease", "Name of the tenant: Ana Ruiz", "pets: yes"),
        *("Ask for less", "[Comment by Bo: Too long]"),
    ]
    assert item.hidden_removed > 0


def test_files_inside_are_items_of_their_own(path: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(paged(line(b"See the list.")))))
    writer.add_attachment("list.txt", b"Towels, soap")
    writer.add_attachment("inner.pdf", paged(line(b"Inner words")))
    out = BytesIO()
    writer.write(out)
    found = reads(path, out.getvalue())
    items = {one.locator.member: one for one in found if isinstance(one, Item)}
    assert {member: item.text for member, item in items.items()} == {
        None: "See the list.",
        "list.txt": "Towels, soap",
        "inner.pdf": "Inner words",
    }
    assert items["list.txt"].title == "list.txt"
    assert {item.locator.path for item in items.values()} == {path}


def test_files_inside_files_are_followed_only_so_far(path: Path) -> None:
    data = paged(line(b"The innermost"))
    for _ in range(5):
        writer = PdfWriter(clone_from=PdfReader(BytesIO(paged(line(b"Another")))))
        writer.add_attachment("a.pdf", data)
        out = BytesIO()
        writer.write(out)
        data = out.getvalue()
    found = reads(path, data)
    assert isinstance(found[-1], Skipped)
    assert found[-1].reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Lease of the boathouse", "Lease of the boathouse (lease.pdf)"),
        ("Microsoft Word - Lease of the boathouse", "Lease of the boathouse (lease.pdf)"),
        ("Microsoft Word - lease final.docx", "lease.pdf"),
        ("untitled", "lease.pdf"),
        ("(anonymous)", "lease.pdf"),
        ("", "lease.pdf"),
    ],
)
def test_a_sensible_title_stands_before_the_name(path: Path, title: str, shown: str) -> None:
    info = b"<< /Title (%s) /Author (Ana Ruiz) >>" % title.encode()
    data = paged(line(b"Words"), trailer=b"/Info 5 0 R", more=(info,))
    item = only_item(path, data)
    assert item.title == shown
    assert [person.name for person in item.people.sender] == ["Ana Ruiz"]


def test_titles_are_filtered_by_what_the_document_says(path: Path) -> None:
    info = b"<< /Title (Lease of the boathouse) /Author (admin) >>"
    path.write_bytes(paged(line(b"Words"), trailer=b"/Info 5 0 R", more=(info,)))
    for subject, count in (("boathouse", 1), ("lease.pdf", 1), ("harbour", 0)):
        found = list(read([path], Filters(subjects=(subject,)), zone=UTC))
        assert len(found) == count
    assert only_item(path, path.read_bytes()).people.sender == ()


def encrypted(data: bytes, user: str, owner: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(user, owner, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_encrypted_documents_open_with_a_password_of_the_session(path: Path) -> None:
    data = encrypted(paged(line(b"Secret words")), "user", "owner")
    assert skips(path, data) == [(Reason.ENCRYPTED, None)]
    assert [type(one) for one in reads(path, data, "wrong")] == [Skipped]
    for password in ("user", "owner"):
        assert only_item(path, data, "wrong", password).text == "Secret words"
    assert only_item(path, encrypted(paged(line(b"Open words")), "", "x")).text == "Open words"


def test_what_pdfium_refuses_is_read_by_pypdf(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("refused")

    monkeypatch.setattr("ingest.pdf.document._with_pdfium", refuse)
    found = reads(path, paged(line(b"Readable words"), PICTURE))
    assert isinstance(found[0], Item)
    assert "Readable words" in found[0].text
    assert skips(path, b"%PDF-1.4\nbroken") == [(Reason.CORRUPT, None)]
    data = encrypted(paged(line(b"Secret words")), "user", "owner")
    assert skips(path, data) == [(Reason.ENCRYPTED, None)]
    assert "Secret words" in only_item(path, data, "user").text


def test_pages_and_characters_have_a_limit_that_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.pdf.document.PAGES", 2)
    data = paged(*[line(b"Words of a page")] * 3)
    assert skips(path, data) == [(Reason.TOO_LARGE, "after page 2")]
    monkeypatch.setattr("ingest.pdf.document.CHARACTERS", 10)
    assert skips(path, data) == [(Reason.TOO_LARGE, "after page 1")]


def test_a_broken_page_is_named(path: Path) -> None:
    data = paged(line(b"Words"), line(b"Other"))
    broken = data.replace(b"/Kids [5 0 R 7 0 R]", b"/Kids [5 0 R 99 0 R]")
    assert skips(path, broken) == [(Reason.CORRUPT, "page 2")]
