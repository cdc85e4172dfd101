"""Address cards: what a person reads of them, in the three versions, and damaged ones."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.item import Filters, Item, Kind, Person, Reason, Skipped
from ingest.reading.in_process import read

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


def cards(tmp_path: Path, *entries: str | bytes, name: str = "friends.vcf") -> Path:
    path = tmp_path / name
    inner = (entry.encode() if isinstance(entry, str) else entry for entry in entries)
    path.write_bytes(b"".join(b"BEGIN:VCARD\r\n" + one + b"\r\nEND:VCARD\r\n" for one in inner))
    return path


def items_of(path: Path, **filters: object) -> list[Item]:
    wanted = Filters(**filters)  # type: ignore[arg-type]
    return [i for i in read([path], wanted, zone=UTC, now=NOW) if isinstance(i, Item)]


def skipped_of(path: Path) -> list[Skipped]:
    return [s for s in read([path], zone=UTC, now=NOW) if isinstance(s, Skipped)]


ANA = """VERSION:3.0
UID:ana-1
N:Ruiz;Ana;María;Dr.;
FN:Ana Ruiz
ORG:Example Ltd;Accounts
TITLE:Head\\, Accounts
EMAIL;TYPE=INTERNET,WORK,pref:ana@example.org
EMAIL;TYPE=HOME:ruiz@example.com
TEL;TYPE=CELL:+34 600 111 222
item1.TEL:+34 900 000 000
item1.X-ABLabel:Summer house
item2.URL:https://example.org/ana
item2.X-ABLabel:_$!<HomePage>!$_
ADR;TYPE=WORK:;;Calle Mayor 3\\nPiso 2;Madrid;;28013;Spain
BDAY:1980-03-22
CATEGORIES:Friends,Choir
NOTE:Likes tea\\,
  not coffee.\\nAllergic to nuts.
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAASABIAAD/
 4QBARXhpZgAATU0AKgAA"""


def test_a_card_is_one_field_a_line(tmp_path: Path) -> None:
    (item,) = items_of(cards(tmp_path, ANA))
    assert item.text == (
        "Contact: Ana Ruiz\n"
        "Name: Dr. Ana María Ruiz\n"
        "Organisation: Example Ltd, Accounts\n"
        "Title: Head, Accounts\n"
        "Email: ana@example.org (work, preferred)\n"
        "Email: ruiz@example.com (home)\n"
        "Phone: +34 600 111 222 (cell)\n"
        "Phone: +34 900 000 000 (Summer house)\n"
        "Website: https://example.org/ana (home page)\n"
        "Address: Calle Mayor 3, Piso 2, Madrid, 28013, Spain (work)\n"
        "Birthday: 1980-03-22, 22 March\n"
        "Categories: Friends, Choir\n"
        "Note: Likes tea, not coffee.\n"
        "Allergic to nuts."
    )
    assert (item.kind, item.title, item.when) == (Kind.CONTACT, "Ana Ruiz", None)
    assert item.people.sender == (
        Person("Ana Ruiz", "ana@example.org"),
        Person("Ana Ruiz", "ruiz@example.com"),
    )
    assert item.locator.uid == "ana-1"


def test_a_card_of_version_2_1(tmp_path: Path) -> None:
    card = (
        b"VERSION:2.1\r\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg;;;\r\n"
        b"TEL;WORK;PREF:030 12345\r\nTEL;HOME;VOICE:030 67890\r\n"
        b"LABEL;HOME;ENCODING=QUOTED-PRINTABLE:Lange Stra=DFe 5=0D=0A=\r\nBerlin\r\n"
        b"NOTE:folded at\r\n a space\r\nPHOTO;BASE64:\r\n  AAAABBBBCCCC\r\n  DDDD\r\n\r\n"
        b"BDAY:19800322\r\nEMAIL;QUOTED-PRINTABLE:j=40example.org=\r\nURL:example.org"
    )
    (item,) = items_of(cards(tmp_path, card))
    assert item.text == (
        "Contact: Jörg Müller\n"
        "Phone: 030 12345 (work, preferred)\n"
        "Phone: 030 67890 (home)\n"
        "Birthday: 1980-03-22, 22 March\n"
        "Email: j@example.org\n"
        "Website: example.org\n"
        "Address: Lange Straße 5 Berlin\n"
        "Note: folded at a space"
    )


def test_a_card_of_version_4(tmp_path: Path) -> None:
    card = (
        "VERSION:4.0\nFN:Simon\nBDAY:--0203\nANNIVERSARY:20090808T1430-0500\n"
        'TEL;VALUE=uri;PREF=1;TYPE="voice,home":tel:+1-418-656-9254\n'
        "IMPP:xmpp:simon@example.org\nRELATED;VALUE=text;TYPE=friend:Ana Ruiz\nKIND:individual"
    )
    (item,) = items_of(cards(tmp_path, card))
    assert item.text == (
        "Contact: Simon\nBirthday: 3 February\nAnniversary: 2009-08-08, 8 August\n"
        "Phone: +1-418-656-9254 (home, preferred)\nMessenger: simon@example.org\n"
        "Related: Ana Ruiz (friend)"
    )


@pytest.mark.parametrize(
    ("card", "title"),
    [
        ("FN:\nN:Li;Bo;;;", "Bo Li"),
        ("N:李;四;;;", "李四"),
        ("FN:Li\\, Bo", "Li, Bo"),
        ("N:;;;;\nORG:Example Ltd;", "Example Ltd"),
        ("EMAIL:mailto:bo@example.org", "bo@example.org"),
        ("TEL:112", "112"),
        ("NOTE:nobody", ""),
    ],
)
def test_what_a_card_is_called(tmp_path: Path, card: str, title: str) -> None:
    (item,) = items_of(cards(tmp_path, card))
    assert item.title == title
    assert item.text.startswith(f"Contact: {title}\n"[: len(title) + 9])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("BDAY:1980-03", "March 1980"),
        ("BDAY:--03", "March"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-05", "5 March"),
        ("BDAY:19800322T000000Z", "1980-03-22, 22 March"),
        ("BDAY;VALUE=text:circa 1800", "circa 1800"),
        ("BDAY:1980-99-99", "1980-99-99"),
    ],
)
def test_birthdays_are_said_with_their_month(tmp_path: Path, written: str, said: str) -> None:
    (item,) = items_of(cards(tmp_path, f"FN:A\n{written}"))
    assert f"Birthday: {said}" in item.text.split("\n")


def test_a_group_names_its_members(tmp_path: Path) -> None:
    path = cards(
        tmp_path,
        ANA,
        "VERSION:4.0\nKIND:group\nFN:Choir\nMEMBER:urn:uuid:ANA-1\n"
        "MEMBER:mailto:bo@example.org\nMEMBER:urn:uuid:gone",
    )
    assert items_of(path)[1].text == (
        "Contact group: Choir\nMembers: Ana Ruiz, bo@example.org and 1 more"
    )


def test_several_cards_are_several_contacts_told_apart_by_line(tmp_path: Path) -> None:
    found = items_of(cards(tmp_path, "FN:A", "FN:B", "", "FN:C"))
    assert [(item.title, item.locator.line) for item in found] == [("A", 1), ("B", 4), ("C", 10)]


def test_filters_of_contacts(tmp_path: Path) -> None:
    path = cards(tmp_path, ANA, "FN:Bo\nEMAIL:bo@example.org")
    assert [i.title for i in items_of(path, senders=("ruiz@",))] == ["Ana Ruiz"]
    assert [i.title for i in items_of(path, subjects=("bo",))] == ["Bo"]
    assert len(items_of(path, kinds=frozenset({Kind.CONTACT}))) == 2
    assert items_of(path, kinds=frozenset({Kind.MAIL})) == []
    reading = read([path], Filters(since=date(2020, 1, 1)), zone=UTC, now=NOW)
    assert list(reading) == []
    assert reading.tally.pruned == 2


def test_a_card_is_known_by_what_it_holds(tmp_path: Path) -> None:
    assert items_of(cards(tmp_path, "FN:A", name="card.txt"))[0].kind is Kind.CONTACT
    grouped = tmp_path / "card.ics"
    grouped.write_text("home.begin:vcard\nhome.fn:Ana\nhome.end:vcard\n")
    assert items_of(grouped)[0].text == "Contact: Ana"
    junk = tmp_path / "junk.vcf"
    junk.write_text("this is no card\n")
    assert [(s.reason, s.kinds) for s in skipped_of(junk)] == [(Reason.CORRUPT, {Kind.CONTACT})]


def test_a_card_without_end_is_read_and_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "half.vcf"
    path.write_text("BEGIN:VCARD\nFN:Ana\nTEL:1\nBEGIN:VCARD\nFN:Bo\nEND:VCARD\n")
    assert [item.title for item in items_of(path)] == ["Ana", "Bo"]
    assert [(s.reason, s.member) for s in skipped_of(path)] == [(Reason.CORRUPT, "Ana")]


def test_damaged_cards_are_counted_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "bad.vcf"
    path.write_text("BEGIN:VCARD\n" * 5000)
    assert len(skipped_of(path)) == 21
    assert "4980 more" in skipped_of(path)[-1].remedy


def test_hidden_characters_of_a_card_are_dropped_and_counted(tmp_path: Path) -> None:
    (item,) = items_of(cards(tmp_path, "FN:A\u200bna\nNOTE:x\x1b[31my\u202e"))
    assert item.text == "Contact: Ana\nNote: xy"
    assert item.hidden_removed == 7


PIECES = [
    *("BEGIN:VCARD\n", "END:VCARD\n", "VERSION:2.1\n", "VERSION:4.0\n", "FN:A\n", "N:;;;;\n"),
    *("N;ENCODING=QUOTED-PRINTABLE:=C3=\n", "=B1;x\n", "item1.TEL;TYPE=cell:1\n", " folded\n"),
    *("item1.X-ABLabel:_$!<Home>!$_\n", "KIND:group\n", "MEMBER:urn:uuid:1\n", "UID:1\n"),
    *("BDAY:--0230\n", "BDAY:20261399\n", 'TEL;TYPE="a:b\n', "PHOTO;BASE64:\n", "\\;\\,\\\\:\n"),
    *("ADR;CHARSET=undefined;ENCODING=QUOTED-PRINTABLE:=FF;;\n", ";;=:\n", "\x1b\u202e", "\r"),
]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=25))
def test_arbitrary_cards_give_contacts_or_say_why_not(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path = tmp_path_factory.mktemp("cards", numbered=True) / "a.vcf"
    path.write_bytes(("BEGIN:VCARD\n" + "".join(pieces)).encode("utf-8", "replace"))
    for one in read([path], zone=UTC, now=NOW):
        if isinstance(one, Skipped):
            assert one.remedy
            assert "DAMAGED" not in one.remedy
            assert "could not be read" not in one.remedy
        else:
            assert one.kind is Kind.CONTACT
            assert "\x1b" not in one.text + one.title
