"""Scanned pages and pictures: recognised last, likeliest first, for some seconds; hostile ones."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from email.message import EmailMessage
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from app.cli import main
from engine.answer import answer, search
from engine.events import Answered, Found, Reading
from engine.retrieval.memory import Memory
from engine.settings import Settings
from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.session import Session
from ingest.reading.stream import LATER
from ingest.scans import tesseract
from ingest.sieve import DrawnPage, ReadingBudget
from models.roles import ModelSet
from tests.odd.archives import zipped
from tests.odd.office import docx_parts, word_xml
from tests.support.scanned import drawn, saved

FERRY = ["The ferry to Aero leaves at seven.", "Bring the red suitcase."]
LEASE = ["The lease of the boathouse ends in May.", "The deposit is returned."]
ALL_TIME = ReadingBudget(scans=600)


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(workers=1) as made:
        yield made


def read(
    session: Session,
    *sources: Path,
    budget: ReadingBudget | None = ALL_TIME,
    filters: Filters | None = None,
) -> tuple[list[Item], list[Skipped]]:
    found = list(session.read(sources, filters, zone=UTC, budget=budget))
    items = [one for one in found if isinstance(one, Item)]
    return items, [one for one in found if isinstance(one, Skipped)]


def words(items: Sequence[Item]) -> str:
    return " ".join(" ".join(item.text.split()) for item in items)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_the_words_of_a_picture_are_read(session: Session, tmp_path: Path, form: str) -> None:
    (tmp_path / "note").write_bytes(saved([drawn(FERRY)], form))
    [item], skipped = read(session, tmp_path)
    assert words([item]) == " ".join(FERRY)
    assert (item.kind, item.flags, item.title) == (Kind.DOCUMENT, ("recognised",), "note")
    assert not skipped


def test_specks_of_which_tesseract_takes_note_end_no_reader(
    session: Session, tmp_path: Path
) -> None:
    page, draw = drawn(FERRY), random.Random(1)
    paint = ImageDraw.Draw(page)
    for _ in range(120):
        x, y = draw.randrange(page.width), draw.randrange(page.height)
        paint.ellipse((x, y, x + 3, y + 3), fill=0)
    (tmp_path / "specks.png").write_bytes(saved([page], "PNG"))
    items, skipped = read(session, tmp_path)
    assert not skipped
    assert "ferry" in words(items)


def test_a_scanned_page_is_cited_by_its_number(tmp_path: Path) -> None:
    pages = saved([drawn(FERRY), Image.new("L", (900, 400), 255), drawn(LEASE)], "PDF")
    (tmp_path / "scan.pdf").write_bytes(pages)
    with Memory(1) as memory:
        *_, found = search("returned deposit", [tmp_path], Settings(scans=600), memory=memory)
    assert isinstance(found, Found)
    [hit] = found.result.hits
    assert len(hit.passage.item.pages) == 3
    assert hit.passage.item.flags == ("recognised",)


def test_pages_of_a_tiff_have_numbers_too(session: Session, tmp_path: Path) -> None:
    (tmp_path / "fax.tiff").write_bytes(saved([drawn(FERRY), drawn(LEASE)], "TIFF"))
    items, skipped = read(session, tmp_path)
    assert [len(item.pages) for item in items] == [1, 2]
    assert not skipped


def mail_with(name: str, data: bytes, *, shown: bool = False) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Kim <kim@example.org>", "me@example.org", "Photo"
    made["Date"], made["Message-ID"] = "Thu, 03 Sep 2026 09:12:00 +0000", f"<{name}@example.org>"
    made.set_content("See the photo.")
    made.add_attachment(data, maintype="image", subtype="png", filename=name)
    if shown:
        part = next(iter(made.iter_attachments()))
        part.replace_header("Content-Disposition", "inline")
        part["Content-ID"] = "<logo@example.org>"
    return made.as_bytes()


def test_pictures_are_read_wherever_they_lie(session: Session, tmp_path: Path) -> None:
    ferry, lease = saved([drawn(FERRY)], "PNG"), saved([drawn(LEASE)], "PDF")
    (tmp_path / "one.eml").write_bytes(mail_with("ferry.png", ferry))
    (tmp_path / "packed.zip").write_bytes(zipped({"lease.pdf": lease}))
    message = b"From kim@example.org Thu Sep 03 09:12:00 2026\n" + mail_with("box.png", ferry)
    (tmp_path / "box.mbox").write_bytes(message)
    items, skipped = read(session, tmp_path)
    recognised = {item.locator.member: words([item]) for item in items if item.flags}
    assert recognised == {
        "ferry.png": " ".join(FERRY),
        "box.png": " ".join(FERRY),
        "lease.pdf": " ".join(LEASE),
    }
    [of_mail] = [item for item in items if item.locator.member == "ferry.png"]
    assert of_mail.people.sender[0].name == "Kim"
    assert not skipped


def test_a_logo_within_a_mail_is_left_alone(session: Session, tmp_path: Path) -> None:
    logo = mail_with("logo.png", saved([drawn(FERRY)], "PNG"), shown=True)
    (tmp_path / "one.eml").write_bytes(logo)
    items, skipped = read(session, tmp_path)
    assert not any(item.flags for item in items)
    assert [one.reason for one in skipped] == [Reason.UNSUPPORTED]


def test_what_has_no_turn_is_named_and_comes_next(session: Session, tmp_path: Path) -> None:
    for name, lines in (("ferry", FERRY), ("lease", LEASE)):
        (tmp_path / f"{name}.pdf").write_bytes(saved([drawn(lines)] * 3, "PDF"))
    moment = ReadingBudget(frozenset({"lease"}), scans=1e-9)
    items, skipped = read(session, tmp_path, budget=moment)
    assert {one.remedy for one in skipped} == {LATER}
    assert {item.title for item in items} == {"lease.pdf"}  # it is named like the question
    asked = 1
    while skipped and asked < 20:  # each question takes it further
        items, skipped = read(session, tmp_path, budget=ReadingBudget(scans=1e-9))
        asked += 1
    assert sorted(item.title for item in items) == ["ferry.pdf"] * 3 + ["lease.pdf"] * 3
    assert [len(item.pages) for item in items if item.title == "lease.pdf"] == [1, 2, 3]


def test_recognised_words_are_kept_until_the_file_changes(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "note.png"
    path.write_bytes(saved([drawn(FERRY)], "PNG"))
    read(session, tmp_path)
    monkeypatch.setattr("ingest.reading.dispatcher.Dispatcher.next", lambda *_: pytest.fail("read"))
    [item], _ = read(session, tmp_path)
    assert "suitcase" in item.text
    monkeypatch.undo()
    path.write_bytes(saved([drawn(LEASE)], "PNG"))
    [item], _ = read(session, tmp_path)
    assert "deposit" in item.text


def test_without_seconds_a_scan_is_a_gap_and_a_picture_is_none(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(saved([drawn(FERRY)], "PDF"))
    (tmp_path / "photo.png").write_bytes(saved([drawn(FERRY)], "PNG"))
    with Session(workers=1) as session:
        _, skipped = read(session, tmp_path, budget=None)
    gaps = {one.path.name: (one.reason, one.kinds) for one in skipped}
    assert gaps["scan.pdf"] == (Reason.SCANNED, frozenset({Kind.DOCUMENT}))
    assert gaps["photo.png"] == (Reason.UNSUPPORTED, frozenset())


def test_without_tesseract_nothing_is_tried(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.reading.session.is_ready", lambda: False)
    (tmp_path / "scan.pdf").write_bytes(saved([drawn(FERRY)], "PDF"))
    items, [skip] = read(session, tmp_path)
    assert not items
    assert "askance[ocr]" in skip.remedy


def test_filters_hold_for_recognised_pages(session: Session, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(saved([drawn(FERRY)], "PDF"))
    (tmp_path / "photo.png").write_bytes(saved([drawn(FERRY)], "PNG"))
    items, _ = read(session, tmp_path, filters=Filters(kinds=frozenset({Kind.MAIL})))
    assert not items
    items, _ = read(session, tmp_path, filters=Filters(subjects=("photo",)))
    assert [item.title for item in items] == ["photo.png"]


def test_progress_counts_scans(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(saved([drawn(FERRY)] * 2, "PDF"))
    with Memory(1) as memory:
        events = list(search("ferry", [tmp_path], Settings(scans=600), memory=memory))
    last = [event for event in events if isinstance(event, Reading)][-1]
    assert (last.scans, last.scans_done) == (1, 1)


def test_the_command_line_bounds_the_seconds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scan.pdf").write_bytes(saved([drawn(FERRY)], "PDF"))
    assert main(["search", "red suitcase", str(tmp_path)]) == 0
    assert "page 1, recognised" in capsys.readouterr().out
    assert main(["search", "red suitcase", str(tmp_path), "--scans", "0"]) == 3
    assert "skipped 1 (1 scanned)" in capsys.readouterr().out


def png_of(width: int, height: int) -> bytes:
    """Return a PNG that says so many dots and holds few."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = chunk(b"IDAT", zlib.compress(bytes(100)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + rows + chunk(b"tEXt", bytes(9000))


HOSTILE = {
    "bomb.png": (png_of(60_000, 60_000), "million dots"),
    "half.jpg": (saved([drawn(FERRY)], "JPEG")[:6000], "damaged"),
    "short.png": (png_of(500, 500), "damaged"),
    "nothing.png": (saved([Image.effect_noise((600, 600), 90)], "PNG"), "No words"),
    "strip.png": (saved([Image.effect_noise((4000, 20), 90)], "PNG"), "No words"),
    "noise.tif": (b"II*\0" + bytes(range(256)) * 40, "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pictures_cost_nothing_but_themselves(
    session: Session, tmp_path: Path, name: str
) -> None:
    data, remedy = HOSTILE[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.png").write_bytes(saved([drawn(FERRY)], "PNG"))
    [item], [skip] = read(session, tmp_path)
    assert item.title == "good.png"
    assert (skip.path.name, skip.reason) == (name, Reason.SCANNED)
    assert remedy in skip.remedy


def test_a_tiff_of_many_pages_ends(session: Session, tmp_path: Path) -> None:
    tiny = [Image.new("L", (8, 8), n % 256) for n in range(600)]
    (tmp_path / "many.tiff").write_bytes(saved(tiny, "TIFF"))
    items, skipped = read(session, tmp_path)
    assert not items
    assert {one.reason for one in skipped} == {Reason.SCANNED}
    assert len(skipped) == 500


def test_languages_are_those_of_the_first_folder_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("deu", "eng", "osd"):
        (tmp_path / f"{name}.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    tesseract.language_folder.cache_clear()
    try:
        folder = tesseract.language_folder()
        assert folder == tmp_path
        assert tesseract.languages(tmp_path) == ["eng", "deu"]
    finally:
        monkeypatch.undo()
        tesseract.language_folder.cache_clear()


def test_a_picture_lies_on_its_side(session: Session, tmp_path: Path) -> None:
    """Cameras write the picture as the chip saw it, and how to turn it."""
    made, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6  # turn it by 90 degrees clockwise
    drawn(FERRY).rotate(90, expand=True).save(made, "JPEG", exif=exif)
    (tmp_path / "photo.jpg").write_bytes(made.getvalue())
    [item], _ = read(session, tmp_path)
    assert "suitcase" in item.text


def test_what_a_question_has_no_time_for_is_read_behind_it(
    session: Session, tmp_path: Path
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.png").write_bytes(
            saved([drawn([f"Page {name} of the lease.", *LEASE])], "PNG")
        )
    assert session.go_on() is None, "nothing was asked yet"
    stream = session.read([tmp_path], budget=ReadingBudget(scans=1e-9))
    first = [one for one in stream if isinstance(one, Item)]
    assert len(first) == 1, "each question recognises one at least"
    assert stream.tally.left >= 2
    going_on = session.go_on()
    assert going_on is not None
    seen = [going_on.tally.scans_done for _ in going_on.ticks()]
    assert seen[-1] >= 2
    assert (going_on.tally.scans_found, going_on.tally.left) == (3, 0)
    assert session.go_on() is None, "nothing is left"
    again = session.read([tmp_path], budget=ReadingBudget(scans=1e-9))
    assert len([one for one in again if isinstance(one, Item)]) == 3
    assert again.tally.left == 0


def test_reading_behind_a_question_ends_when_told_and_keeps_what_it_has(
    session: Session, tmp_path: Path
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.png").write_bytes(
            saved([drawn([f"Page {name} of the lease.", *LEASE])], "PNG")
        )
    list(session.read([tmp_path], budget=ReadingBudget(scans=1e-9)))
    going_on = session.go_on()
    assert going_on is not None
    for _ in going_on.ticks():
        if going_on.tally.scans_done == 1:
            going_on.stop()
    kept = list(session.read([tmp_path], budget=ReadingBudget(scans=1e-9)))
    assert len([one for one in kept if isinstance(one, Item)]) >= 2


def test_attachments_are_read_behind_a_question_too(session: Session, tmp_path: Path) -> None:
    box = b"".join(
        b"From kim Thu Sep  3 09:12:00 2026\n" + mail_with(f"{n}.txt", b"The lease.") + b"\n"
        for n in range(3)
    )
    (tmp_path / "Inbox").write_bytes(box.replace(b"image/png", b"text/plain"))
    list(session.read([tmp_path], budget=ReadingBudget(attachments=0)))
    going_on = session.go_on()
    assert going_on is not None
    documents = [one for one in going_on if isinstance(one, Item) and one.kind is Kind.DOCUMENT]
    assert len(documents) == 3
    found = list(session.read([tmp_path], budget=ReadingBudget(attachments=0)))
    assert len([one for one in found if isinstance(one, Item)]) == 6


def test_a_count_is_unsure_while_scans_wait(
    tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    for name, lines in (("ferry", FERRY), ("lease", LEASE), ("both", FERRY + LEASE)):
        (tmp_path / f"{name}.png").write_bytes(saved([drawn(lines)], "PNG"))
    asked, settings = "How many documents are there?", Settings(scans=1e-9)
    told: list[tuple[str, str, list[str]]] = []
    with Memory(1) as memory:
        for _ in range(2):
            *_, end = answer(asked, [tmp_path], fake_models(), settings, memory=memory)
            assert isinstance(end, Answered)
            found = end.answer
            told.append((found.text, found.certainty, [one.text for one in found.reasons]))
            list(memory.session.go_on() or ())
    assert told[0][1:] == ("unsure", ["not all that may count was read"])
    assert told[1] == ("3 documents [1][2][3]", "sure", [])


def letter(*pictures: bytes) -> bytes:
    parts = docx_parts(word_xml("<w:p><w:r><w:t>Words of the text.</w:t></w:r></w:p>"))
    media = {f"word/media/image{n}.png": data for n, data in enumerate(pictures, 1)}
    return zipped({name: _bytes(data) for name, data in (parts | media).items()})


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data


def photographed(lines: Sequence[str]) -> bytes:
    """Return lines as a picture in colour, as large as those that a camera makes."""
    page = drawn(lines)
    return saved([Image.merge("RGB", [page, page, Image.effect_noise(page.size, 90)])], "PNG")


def test_pictures_within_documents_come_with_the_scans(session: Session, tmp_path: Path) -> None:
    logo = saved([Image.new("L", (40, 40), 255)], "PNG")
    (tmp_path / "letter.docx").write_bytes(letter(photographed(FERRY), logo))
    items, skipped = read(session, tmp_path, budget=None)
    assert (len(items), skipped) == (1, [])
    (document, picture), skipped = read(session, tmp_path)
    assert document.text.strip() == "Words of the text."
    assert "suitcase" in picture.text
    assert (picture.flags, picture.title) == (("recognised",), "image1.png in letter.docx")
    assert picture.locator.member == "image1.png"
    assert not skipped
    assert isinstance(session.drawn(picture.locator, 1), DrawnPage)


def test_pictures_within_documents_wait_as_scans_do(session: Session, tmp_path: Path) -> None:
    (tmp_path / "letter.docx").write_bytes(letter(photographed(FERRY), photographed(LEASE)))
    items, skipped = read(session, tmp_path, budget=ReadingBudget(scans=1e-9))
    assert [item.flags for item in items][:1] == [()]
    assert {one.remedy for one in skipped} == {LATER}
    list(session.go_on() or ())
    items, skipped = read(session, tmp_path, budget=ReadingBudget(scans=1e-9))
    assert (len(items), skipped) == (3, [])


def test_reading_behind_an_answer_leaves_what_is_kept(tmp_path: Path) -> None:
    for number in range(4):
        text = f"Letter {number}: " + "the deposit is returned. " * 40
        (tmp_path / f"{number}.txt").write_text(text)
        (tmp_path / f"{number}.png").write_bytes(saved([drawn([*FERRY, *LEASE])], "PNG"))
    with Session(workers=1, memory=9_000) as session:
        list(session.read([tmp_path], budget=ReadingBudget(scans=1e-9)))
        kept = session.size
        list(session.go_on() or ())
        assert session.size >= kept
        stream = session.read([tmp_path], budget=ReadingBudget(scans=1e-9))
        assert len([one for one in stream if isinstance(one, Item) and not one.flags]) == 4
