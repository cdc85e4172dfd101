"""Pages drawn as pictures: by locked-down processes, with a quote marked, of files and mails."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import msgspec
import pytest
from PIL import Image, ImageChops

from ingest.item import Item, Locator, Reason, Skipped
from ingest.reading import wire
from ingest.reading.session import Session
from ingest.sieve import DrawnPage
from tests.odd.archives import zipped
from tests.odd.pdf import line, paged, pdf_cut_off
from tests.support.scanned import drawn, saved

AGREEMENT = Path(__file__).parents[1] / "app/sample/data/documents/supply-agreement-nordvik.pdf"
QUOTE = "If the delivery is late, Nordvik Instruments pays 340 euros to the station"
YELLOW = (255, 255, 96)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(workers=1) as made:
        yield made


def picture(page: DrawnPage | Skipped | None) -> Image.Image:
    assert isinstance(page, DrawnPage)
    return Image.frombytes("RGB", (page.width, page.height), page.dots)


def marked(page: DrawnPage | Skipped | None) -> tuple[int, int, int, int] | None:
    """Return what surrounds all yellow of a page: left, top, right, bottom."""
    shown = picture(page)
    other = Image.new("RGB", shown.size, YELLOW)
    unlike = ImageChops.difference(shown, other).convert("L", (1, 1, 1, 0))
    mask = unlike.point(lambda value: 0 if value else 255)
    return mask.getbbox()


def test_a_page_is_drawn_with_its_quote_marked(session: Session) -> None:
    page = session.drawn(Locator(AGREEMENT), 2, QUOTE)
    around = marked(page)
    assert around is not None
    left, top, right, bottom = around
    assert picture(page).height == 1600
    assert 100 < top < bottom < 250, "the first lines of the page"
    assert 100 < left < right < 900
    assert marked(session.drawn(Locator(AGREEMENT), 2)) is None
    assert marked(session.drawn(Locator(AGREEMENT), 1, QUOTE)) is None, "it is on the other page"


def test_a_quote_over_two_pages_is_marked_where_it_is(session: Session) -> None:
    quote = "The supplier pays for transport and insurance.\n\nNothing is paid for a delay that the"
    around = marked(session.drawn(Locator(AGREEMENT), 2, quote))
    assert around is not None
    assert around[3] - around[1] < 80, "two lines at most"


def test_a_row_of_a_table_is_marked_without_the_names_of_its_columns(
    session: Session, tmp_path: Path
) -> None:
    table = (
        ("Date", "Text", "Debit"),
        ("3 March", "Rent", "890.00"),
        ("9 March", "Dentist", "210"),
    )
    path = tmp_path / "statement.pdf"
    cells = [
        line(cell.encode(), 700 - 20 * at, x=72 + 120 * column)
        for at, row in enumerate(table)
        for column, cell in enumerate(row)
    ]
    path.write_bytes(paged(b"".join(cells)))
    quote = "Date: 9 March | Text: Dentist | Debit: 210"
    [item] = [one for one in session.read([path]) if isinstance(one, Item)]
    assert quote in item.text
    around = marked(session.drawn(Locator(path), 1, quote))
    assert around is not None
    assert around[3] - around[1] < 40, "its row alone"


def test_a_page_that_is_not_there_is_not_drawn(session: Session, tmp_path: Path) -> None:
    assert session.drawn(Locator(AGREEMENT), 3) is None
    text = tmp_path / "note.txt"
    text.write_text("Nothing to draw.")
    assert session.drawn(Locator(text), 1) is None
    gone = session.drawn(Locator(tmp_path / "gone.pdf"), 1)
    assert isinstance(gone, Skipped)
    assert gone.reason is Reason.MISSING


def test_a_damaged_file_is_drawn_or_nothing_is(session: Session, tmp_path: Path) -> None:
    (tmp_path / "cut.pdf").write_bytes(pdf_cut_off())
    found = session.drawn(Locator(tmp_path / "cut.pdf"), 1)
    assert found is None or isinstance(found, DrawnPage | Skipped)
    (tmp_path / "cut.png").write_bytes(saved([drawn(["The ferry leaves."])], "PNG")[:2000] * 2)
    found = session.drawn(Locator(tmp_path / "cut.png"), 1)
    assert not isinstance(found, DrawnPage)


def mail_with(name: str, data: bytes) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Kim <kim@example.org>", "me@example.org", "Papers"
    made["Date"], made["Message-ID"] = "Thu, 03 Sep 2026 09:12:00 +0000", f"<{name}@example.org>"
    made.set_content("See the paper.")
    made.add_attachment(data, maintype="application", subtype="pdf", filename=name)
    return made


@pytest.mark.parametrize("form", ["mbox", "Maildir", "zip"])
def test_what_is_attached_is_drawn_by_its_place(
    session: Session, tmp_path: Path, form: str
) -> None:
    data = AGREEMENT.read_bytes()
    if form == "mbox":
        mails = [mail_with("other.pdf", pdf_cut_off()), mail_with("agreement.pdf", data)]
        box = b"".join(b"From kim Thu Sep  3 09:12:00 2026\n" + bytes(one) + b"\n" for one in mails)
        (tmp_path / "Inbox").write_bytes(box)
    elif form == "Maildir":
        (tmp_path / "cur").mkdir()
        (tmp_path / "cur" / "1.x:2,S").write_bytes(bytes(mail_with("agreement.pdf", data)))
    else:
        (tmp_path / "papers.zip").write_bytes(zipped({"a/agreement.pdf": data, "b.txt": b"Text."}))
    found = [one for one in session.read([tmp_path]) if isinstance(one, Item) and one.pages]
    [item] = [one for one in found if QUOTE in " ".join(one.text.split())]
    around = marked(session.drawn(item.locator, 2, QUOTE))
    assert around is not None
    assert 100 < around[1] < around[3] < 250


def test_a_page_of_a_picture_is_shown_in_colour(session: Session, tmp_path: Path) -> None:
    red = Image.new("RGB", (300, 200), (200, 30, 30))
    (tmp_path / "fax.tiff").write_bytes(saved([drawn(["The ferry leaves."]), red], "TIFF"))
    page = picture(session.drawn(Locator(tmp_path / "fax.tiff"), 2))
    assert (page.size, page.getpixel((10, 10))) == ((300, 200), (200, 30, 30))
    assert session.drawn(Locator(tmp_path / "fax.tiff"), 3) is None


def test_reading_goes_on_as_before_while_pages_are_drawn(session: Session) -> None:
    stream = session.read([AGREEMENT.parent])
    first = next(stream)
    assert isinstance(session.drawn(Locator(AGREEMENT), 1), DrawnPage)
    rest = list(stream)
    assert len([first, *rest]) == 3


@pytest.mark.parametrize("size", [(2, 3), (0, 0), (5000, 1), (-1, 2)])
def test_a_page_of_another_size_than_it_says_is_not_believed(size: tuple[int, int]) -> None:
    good = DrawnPage(bytes(3 * 2 * 2), 2, 2)
    [read] = wire.unpacked(wire.packed([good]), AGREEMENT)
    assert read == good
    with pytest.raises(msgspec.MsgspecError):
        wire.unpacked(wire.packed([DrawnPage(good.dots, *size)]), AGREEMENT)
