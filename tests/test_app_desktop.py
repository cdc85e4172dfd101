"""Sources open in the desktop's programs at the quote; programs among them do not open at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.desktop import viewers
from app.desktop.files import open_source
from app.desktop.notice import show_notice
from app.errors import NotOpened
from engine.values import Citation, Passage
from ingest.item import Item, Kind, Locator, People

TEXT = "One.\nTwo.\nThree."


def cited(path: Path, kind: Kind = Kind.DOCUMENT, **place: object) -> Citation:
    """Return a citation of "Two." on the second page."""
    pages = (0, TEXT.index("Two"), TEXT.index("Three")) if path.suffix == ".pdf" else ()
    item = Item(kind, path.name, None, People(), TEXT, Locator(path, **place), pages=pages)
    begin = TEXT.index("Two")
    return Citation(1, Passage(item, 0, len(TEXT)), begin, begin + 4, "model", support=True)


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a desktop whose programs write down what they were called with; return their folder."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    calendars = [program for program, _ in viewers.ON_DAY.values()]
    for name in ("xdg-open", *viewers.AT_PAGE, *calendars):
        _program(programs / name, f'echo "{name} $*" > {tmp_path}/said.part\n'
                 f"mv {tmp_path}/said.part {tmp_path}/said")  # fmt: skip
    return programs


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)


def _prefers(programs: Path, **entries: str) -> None:
    """Let the desktop say these entries for PDFs (`pdf`), calendars, and for `mid:` (`mid`)."""
    cases = "".join(f"*{kind}) echo {entry};; " for kind, entry in entries.items())
    _program(programs / "xdg-mime", f'case "$3" in {cases} esac')


def _said(folder: Path) -> str:
    end = time.monotonic() + 10
    while not (folder / "said").exists():
        assert time.monotonic() < end, "no program was started"
        time.sleep(0.01)
    return (folder / "said").read_text().strip()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("okularApplication_pdf.desktop", "okular --page=2 {path}"),
        ("org.gnome.Evince.desktop", "evince --page-index=2 {path}"),
        ("org.pwmt.zathura-pdf-poppler.desktop", "zathura --page=2 {path}"),
        ("firefox-esr.desktop", "firefox-esr {uri}#page=2"),
        ("chromium.desktop", "chromium {uri}#page=2"),
        ("unheard-of.desktop", "xdg-open {path}"),
        ("", "xdg-open {path}"),
    ],
)
def test_a_pdf_opens_at_its_page(desktop: Path, tmp_path: Path, entry: str, said: str) -> None:
    _prefers(desktop, pdf=entry)
    path = tmp_path / "a b.pdf"
    path.write_bytes(b"%PDF-1.4")
    open_source(cited(path))
    assert _said(tmp_path) == said.format(path=path, uri=path.as_uri())


def test_a_page_within_an_archive_is_no_page_of_the_archive(desktop: Path, tmp_path: Path) -> None:
    _prefers(desktop, pdf="okularApplication_pdf.desktop")
    path = tmp_path / "all.pdf"
    path.write_bytes(b"%PDF-1.4")
    open_source(cited(path, member="inner.pdf"))
    assert _said(tmp_path) == f"xdg-open {path}"


@pytest.mark.parametrize(
    ("entry", "occurrence", "said"),
    [
        ("org.gnome.Calendar.desktop", "2026-11-24", "gnome-calendar --date=2026-11-24"),
        ("org.gnome.Calendar.desktop", "2026-11-24T23:30:00Z", "gnome-calendar --date={local}"),
        ("org.gnome.Evolution.desktop", "2026-11-24", "evolution calendar:///?startdate=20261124"),
        ("thunderbird.desktop", "2026-11-24", "xdg-open {path}"),
        ("", "2026-11-24", "xdg-open {path}"),
    ],
)
def test_an_event_opens_on_its_day(
    desktop: Path, tmp_path: Path, entry: str, occurrence: str, said: str
) -> None:
    _prefers(desktop, calendar=entry)
    path = tmp_path / "work.ics"
    path.write_bytes(b"BEGIN:VCALENDAR\n")
    when = datetime.fromisoformat(occurrence).replace(tzinfo=UTC)
    event = cited(path, Kind.EVENT, occurrence=occurrence)
    passage = replace(event.passage, item=replace(event.passage.item, when=when))
    open_source(replace(event, passage=passage))
    assert _said(tmp_path) == said.format(path=path, local=when.astimezone().date())


@pytest.mark.parametrize(
    ("handler", "message_id", "said"),
    [
        ("thunderbird.desktop", "<a/1%2@x.example>", "xdg-open mid:a%2F1%252%40x.example"),
        ("thunderbird.desktop", "sha256:00", "xdg-open {path}"),
        ("", "<a@x.example>", "xdg-open {path}"),
    ],
)
def test_a_mail_opens_by_its_id_where_a_program_takes_one(
    desktop: Path, tmp_path: Path, handler: str, message_id: str, said: str
) -> None:
    _prefers(desktop, mid=handler)
    path = tmp_path / "Inbox.mbox"
    path.write_bytes(b"From \n")
    open_source(cited(path, Kind.MAIL, message_id=message_id))
    assert _said(tmp_path) == said.format(path=path)


def test_a_desktop_that_does_not_answer_is_not_waited_for(
    desktop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewers, "SECONDS", 0.1)
    _program(desktop / "xdg-mime", "exec sleep 5")
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4")
    open_source(cited(path))
    assert _said(tmp_path) == f"xdg-open {path}"


def test_programs_that_do_not_start_are_named_and_lose_nothing(
    desktop: Path, tmp_path: Path
) -> None:
    broken = "#!/nowhere/interpreter\n"
    for name in ("xdg-mime", "xdg-open", "notify-send"):
        (desktop / name).write_text(broken)
        (desktop / name).chmod(0o700)
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4")
    with pytest.raises(NotOpened, match="/xdg-open does not start"):
        open_source(cited(path))
    assert not show_notice()


def test_programs_are_not_opened(tmp_path: Path) -> None:
    link = tmp_path / "x.desktop"
    link.write_text("[Desktop Entry]")
    with pytest.raises(NotOpened, match="may be a program"):
        open_source(cited(link))
    script = tmp_path / "notes.txt"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(NotOpened, match="may be a program"):
        open_source(cited(script))
    with pytest.raises(NotOpened, match="not there any more"):
        open_source(cited(tmp_path / "gone.pdf"))


@pytest.mark.parametrize("name", ["okular", "evince", "zathura"])
def test_the_real_viewers_have_these_options(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    environ = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    helped = subprocess.run([name, "--help"], capture_output=True, text=True, env=environ)
    option = viewers.AT_PAGE[name](name, Path("/a.pdf"), 2)[1].partition("=")[0]
    assert option in helped.stdout
