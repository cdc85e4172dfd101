"""Mailboxes of mail programs, where mails lie, what is sealed, what is quoted."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from email.message import EmailMessage
from pathlib import Path
from struct import pack

import pytest

from ingest.files import File
from ingest.item import Filters, Item, Kind, Reason, Shelf, Skipped
from ingest.mail.mbox import read_later, read_mbox
from ingest.mail.shelves import shelved
from ingest.origin import Origin
from ingest.outlook.mapi import MapiMessage, Properties, attachment
from ingest.outlook.msg import mapi_items, unpacked_rtf
from ingest.reading.in_process import read
from ingest.sieve import Later, LeftOut, Scope
from ingest.text.quotes import quoted_spans

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
HEAD = b"From: Ana Ruiz <ana@example.org>\nTo: bo@example.org\nSubject: Lease\n"
HEAD += b"Date: Tue, 17 Nov 2026 09:02:00 +0100\nMessage-ID: <%d@example.org>\n"
ENVELOPE = b"From ana@example.org Tue Nov 17 08:02:00 2026\n"


def scope(**filters: object) -> Scope:
    return Scope(Filters(**filters), UTC, NOW)  # type: ignore[arg-type]


def found(path: Path, **filters: object) -> list[Item | Skipped]:
    return list(read([path], Filters(**filters), zone=UTC, now=NOW))  # type: ignore[arg-type]


def items_of(path: Path, **filters: object) -> list[Item]:
    return [item for item in found(path, **filters) if isinstance(item, Item)]


def skips_of(path: Path) -> list[tuple[Reason, str | None]]:
    return [(skip.reason, skip.member) for skip in found(path) if isinstance(skip, Skipped)]


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def mail(body: bytes = b"Words.\n", fields: bytes = b"", number: int = 1) -> bytes:
    return HEAD % number + fields + b"\n" + body


def with_attachment(number: int = 1, size: int = 40) -> bytes:
    message = EmailMessage()
    for name, value in (("From", "a@b.c"), ("Message-ID", f"<{number}@x>"), ("Subject", "Papers")):
        message[name] = value
    message["Date"] = "Tue, 17 Nov 2026 09:02:00 +0100"
    message.set_content("See below.")
    message.add_attachment("word " * size, filename="words.txt")
    return message.as_bytes()


def test_attachments_wait_for_their_turn(tmp_path: Path) -> None:
    path = write(tmp_path / "box", ENVELOPE + mail() + b"\n" + ENVELOPE + with_attachment())
    with File(path) as file:
        first = list(read_mbox(file, scope()))
        assert [type(one) for one in first] == [Item, Later, Item]
        later = first[1]
        assert isinstance(later, Later)
        assert later.offset == len(ENVELOPE + mail() + b"\n")
        assert 150 < later.size < 300
        second = list(read_later(file, scope(), later.offset))
    assert [(one.title, one.locator.part) for one in second if isinstance(one, Item)] == [
        ("words.txt", "2")
    ]
    assert isinstance(first[0], Item)
    assert first[0].attachments == ("words.txt",)


def test_a_large_attached_mail_waits_as_a_whole(tmp_path: Path) -> None:
    outer = EmailMessage()
    outer["From"], outer["Subject"], outer["Date"] = "a@b.c", "Outer", "x"
    outer.set_content("See below.")
    for number, size in ((1, 10), (2, 100_000)):
        inner = EmailMessage()
        inner["Subject"], inner["Message-ID"] = f"Inner {number}", f"<{number}@y>"
        inner.set_content("word " * size)
        inner.add_attachment("Terms", filename=f"terms{number}.txt")
        outer.add_attachment(inner)
    path = write(tmp_path / "a.eml", outer.as_bytes())
    with File(path) as file:
        first = list(read_mbox(file, scope()))
        assert [one.title for one in first if isinstance(one, Item)] == ["Outer", "Inner 1"]
        assert [type(one) for one in first][-1] is Later
        second = list(read_later(file, scope(), 0))
    titles = [one.title for one in second if isinstance(one, Item)]
    assert titles == ["terms1.txt", "Inner 2", "terms2.txt"]


def test_what_a_filter_leaves_out_is_counted_once(tmp_path: Path) -> None:
    path = write(tmp_path / "box", ENVELOPE + with_attachment())
    with File(path) as file:
        only_mail = scope(kinds=frozenset({Kind.MAIL}))
        assert [type(one) for one in read_mbox(file, only_mail)] == [Item, LeftOut]
        assert list(read_later(file, only_mail, 0)) == []
        late = scope(since=date(2027, 1, 1))
        assert [type(one) for one in read_mbox(file, late)] == [LeftOut]


def test_emlx_is_the_message_within_and_its_flags(tmp_path: Path) -> None:
    plist = (
        b'<?xml version="1.0"?><plist><dict><key>flags</key>\n<integer>%d</integer></dict></plist>'
    )
    for name, flags, shelf in (("1", 1, None), ("2", 2, Shelf.TRASH), ("3", 64, Shelf.DRAFTS)):
        data = mail(number=int(name))
        path = write(tmp_path / f"{name}.emlx", b"%d\n" % len(data) + data + plist % flags)
        [item] = items_of(path)
        assert item.text.endswith("Words.")
        assert item.shelf is shelf


def test_a_partial_emlx_says_where_its_attachments_are(tmp_path: Path) -> None:
    part = b"--x\nContent-Type: application/pdf; name=lease.pdf\nX-Apple-Content-Length: 9\n\n\n"
    data = mail(part + b"--x--\n", b"Content-Type: multipart/mixed; boundary=x\n")
    path = write(tmp_path / "1.partial.emlx", b"%d\n" % len(data) + data)
    assert skips_of(path) == [(Reason.MISSING, "lease.pdf")]


@pytest.mark.parametrize(
    ("path", "shelf", "is_sent"),
    [
        ("Mail/Trash", Shelf.TRASH, False),
        ("Maildir/.INBOX.Trash/cur/1", Shelf.TRASH, False),
        ("Mail/Papierkorb.mbox", Shelf.TRASH, False),
        ("[Gmail].sbd/Spam", Shelf.SPAM, False),
        ("[Gmail]/Entwürfe", Shelf.DRAFTS, False),
        ("Mail/Junk E-mail", Shelf.SPAM, False),
        ("Mail/Éléments supprimés.mbox/mbox", Shelf.TRASH, False),
        ("Maildir/cur/1.host:2,ST", Shelf.TRASH, False),
        ("Maildir/cur/1.host:2,DS", Shelf.DRAFTS, False),
        ("Mail/file:2,T", None, False),
        ("Mail/V10/Ab12/Junk.mbox/Cd34/Data/3/1/Messages/7.emlx", Shelf.SPAM, False),
        ("Mail/Trashy novels", None, False),
        ("Mail/Sent Items", None, True),
        ("Maildir/.Gesendet/cur/1:2,S", None, True),
        ("Mail/Presents", None, False),
    ],
)
def test_a_mails_place_says_what_it_is(path: str, shelf: Shelf | None, is_sent: bool) -> None:
    place = shelved(Path("/home/ana") / path)
    assert (place.shelf, place.is_sent) == (shelf, is_sent)


def test_labels_and_states_of_mail_programs_count(tmp_path: Path) -> None:
    box = [
        mail(fields=b"X-Gmail-Labels: Archived,=?UTF-8?Q?Entw=C3=BCrfe?=\n", number=1),
        mail(fields=b"X-Mozilla-Status: 0009\n", number=2),
        mail(fields=b"X-Mozilla-Status: 0001\n", number=3),
    ]
    path = write(tmp_path / "box", b"\n".join(ENVELOPE + one for one in box))
    assert [(i.locator.message_id, i.shelf) for i in items_of(path)] == [
        ("<3@example.org>", None),
        ("<1@example.org>", Shelf.DRAFTS),
    ]


def test_of_a_thunderbird_profile_only_the_mail_is_read(tmp_path: Path) -> None:
    profile = tmp_path / ".thunderbird" / "abcd.default"
    write(tmp_path / ".thunderbird/profiles.ini", b"[Profile0]\nPath=abcd.default\n")
    write(profile / "prefs.js", b'user_pref("a", 1);\n')
    write(profile / "cookies.sqlite", b"SQLite format 3\0")
    write(profile / "Mail/Local Folders/Archive.sbd/Leases", ENVELOPE + mail())
    write(profile / "Mail/Local Folders/Archive.sbd/Leases.msf", b"// <!-- <mdb:mork:z -->")
    write(profile / "Mail/Local Folders/msgFilterRules.dat", b'version="9"\n')
    write(profile / "ImapMail/example.org/Far.msf", b"// <!-- <mdb:mork:z -->")
    assert [item.title for item in items_of(tmp_path)] == ["Lease"]
    [gap] = [skip for skip in found(tmp_path) if isinstance(skip, Skipped)]
    assert (gap.path.name, gap.reason) == ("Far.msf", Reason.UNSUPPORTED)


def der(tag: int, *content: bytes) -> bytes:
    data = b"".join(content)
    length = len(data).to_bytes(3, "big")
    return bytes([tag, 0x83]) + length + data


SIGNED = bytes.fromhex("06092a864886f70d010702")
DATA = bytes.fromhex("06092a864886f70d010701")
ENVELOPED = bytes.fromhex("06092a864886f70d010703")
INNER = b"Content-Type: text/plain\n\nThe signed words.\n"


def smime(content: bytes) -> bytes:
    from base64 import encodebytes

    fields = b"Content-Type: application/pkcs7-mime; name=smime.p7m\n"
    return mail(encodebytes(content), fields + b"Content-Transfer-Encoding: base64\n")


@pytest.mark.parametrize(
    "octets",
    [
        der(0x04, INNER),
        der(0x24, der(0x04, INNER[:9]), der(0x04, INNER[9:])),
        b"\x24\x80" + der(0x04, INNER[:9]) + der(0x04, INNER[9:]) + b"\0\0",
    ],
)
def test_what_smime_signed_as_a_whole_is_read(octets: bytes, tmp_path: Path) -> None:
    content = der(0x30, DATA, der(0xA0, octets))
    signed = der(0x30, SIGNED, der(0xA0, der(0x30, b"\x02\x01\x01", der(0x31), content, der(0x31))))
    path = write(tmp_path / "a.eml", smime(signed))
    assert [item.text.endswith("\n\nThe signed words.") for item in items_of(path)] == [True]
    assert skips_of(path) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (smime(der(0x30, ENVELOPED, der(0xA0, b"secret"))), Reason.ENCRYPTED),
        (smime(b"\x30\x03no"), Reason.UNSUPPORTED),
        (smime(b""), Reason.UNSUPPORTED),
        (
            mail(
                b"--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x\n"
                b"Content-Type: application/octet-stream\n\nsecret\n--x--\n",
                b"Content-Type: multipart/encrypted; boundary=x\n",
            ),
            Reason.ENCRYPTED,
        ),
        (
            mail(b"-----BEGIN PGP MESSAGE-----\n\nsecret\n-----END PGP MESSAGE-----\n"),
            Reason.ENCRYPTED,
        ),
    ],
)
def test_a_sealed_mail_is_found_by_its_headers_and_said_to_be_sealed(
    data: bytes, reason: Reason, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.eml", data)
    [item] = items_of(path)
    assert item.title == "Lease"
    assert "secret" not in item.text
    assert skips_of(path) == [(reason, "Lease")]


def test_pgp_signatures_are_no_text(tmp_path: Path) -> None:
    body = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nTrue words.\n- -- dashes\n"
    body += b"-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\nAfter.\n"
    [item] = items_of(write(tmp_path / "a.eml", mail(body)))
    assert item.text.endswith("\n\nTrue words.\n-- dashes\nAfter.")


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        ("New.\n> Old.\n> Older.\nNew too.\n>> Oldest.", ["> Old.\n> Older.\n", ">> Oldest."]),
        (
            "On Tue, 17 Nov 2026, Ana wrote:\n\n> Old.\nNew.",
            ["On Tue, 17 Nov 2026, Ana wrote:\n\n> Old.\n"],
        ),
        (
            "New.\n\nOn Tue, 17 Nov 2026 at 09:02, Ana Ruiz\n<ana@example.org> wrote:\n\nOld.",
            ["On Tue, 17 Nov 2026 at 09:02, Ana Ruiz\n<ana@example.org> wrote:\n\nOld."],
        ),
        (
            "Neu.\nAm 17.11.2026 um 09:02 schrieb Ana:\nAlt.",
            ["Am 17.11.2026 um 09:02 schrieb Ana:\nAlt."],
        ),
        (
            "Neuf.\nLe 17/11/2026, Ana a écrit :\n> Vieux.",
            ["Le 17/11/2026, Ana a écrit :\n> Vieux."],
        ),
        (
            "New.\n\n-----Original Message-----\nFrom: Ana\nOld.",
            ["-----Original Message-----\nFrom: Ana\nOld."],
        ),
        (
            "Neu.\n\nVon: Ana\nGesendet: Dienstag\nAn: Bo\nBetreff: Miete\n\nAlt.",
            ["Von: Ana\nGesendet: Dienstag\nAn: Bo\nBetreff: Miete\n\nAlt."],
        ),
        (
            "*From:* Ana\n*Sent:* Tuesday\n*Subject:* Lease\n\nOld.",
            ["*From:* Ana\n*Sent:* Tuesday\n*Subject:* Lease\n\nOld."],
        ),
        (
            "新的\n\n发件人：Ana\n时间：周二\n主题：房租\n\n旧的",  # noqa: RUF001
            ["发件人：Ana\n时间：周二\n主题：房租\n\n旧的"],  # noqa: RUF001
        ),
        (
            "Ny.\nDen 17. nov. skrev Ana\uff1a \n> Gammel.",
            ["Den 17. nov. skrev Ana\uff1a \n> Gammel."],
        ),
        (
            "New.\n-----\n__________ Forwarded message\nOld.\n-- \nAna",
            ["__________ Forwarded message\nOld.\n-- \nAna"],
        ),
        (" -- Forwarded by Ana\nOld.", [" -- Forwarded by Ana\nOld."]),
        ("She wrote: come on.\nThe Subject: of it.\n-- \nAna", []),
        ("On 1 May I wrote this letter.\nIt is long.", []),
        ("", []),
    ],
)
def test_quoted_history_is_told_from_new_text(body: str, quoted: list[str]) -> None:
    assert [body[start:end] for start, end in quoted_spans(body)] == quoted


def test_quoted_spans_lie_in_the_items_text(tmp_path: Path) -> None:
    [item] = items_of(write(tmp_path / "a.eml", mail(b"New.\n> Old.\n")))
    assert [item.text[start:end] for start, end in item.quoted] == ["> Old."]


def test_searching_for_quotations_ends() -> None:
    for piece in (
        "> a\nb\n",
        "On 1 wrote\n",
        "wrote: ",
        "-" * 9 + "\n",
        "-" * 100_000 + "\n",
        "wrote:\n",
        "-- Forwarded\n",
        "Subject: x\n",
        "From: a\n",
    ):
        assert quoted_spans(piece * (1_000_000 // len(piece))) is not None


def text(value: str) -> tuple[int, bytes]:
    return 0x1F, value.encode("utf-16-le")


def letter(**more: tuple[int, bytes]) -> MapiMessage:
    # 2026-11-17 08:02 UTC as hundreds of nanoseconds since 1601.
    ticks = int((datetime(2026, 11, 17, 8, 2, tzinfo=UTC).timestamp() + 11_644_473_600) * 10**7)
    values = {
        0x001A: text("IPM.Note"),
        0x0037: text("Lease"),
        0x0039: (0x40, pack("<Q", ticks)),
        0x0C1A: text("Ruiz, Ana"),
        0x0C1F: text("/O=CORP/CN=ARUIZ"),
        0x5D01: text("ana@example.org"),
        0x1000: text("The rent is due.\r\n> Old.\r\n"),
        **{int(name[1:], 16): value for name, value in more.items()},
    }
    bo = Properties(
        {0x3001: text("Bo"), 0x39FE: text("bo@example.org"), 0x0C15: (3, pack("<I", 1))}
    )
    terms = Properties({0x3707: text("../terms.txt")})
    return MapiMessage(Properties(values), [bo], [attachment(terms, lambda: b"Three months.", 13)])


def letter_reads(one: MapiMessage, **filters: object) -> list[object]:
    origin = Origin.of_file(File(Path(__file__)))
    return list(mapi_items(one, origin, scope(**filters)))


def test_an_outlook_message_is_a_mail_with_attachments() -> None:
    reads = [one for one in letter_reads(letter()) if isinstance(one, Item)]
    assert [(one.kind, one.title) for one in reads] == [
        (Kind.MAIL, "Lease"),
        (Kind.DOCUMENT, "terms.txt"),
    ]
    first = reads[0]
    assert first.text == (
        'Subject: Lease\nFrom: "Ruiz, Ana" <ana@example.org>\nTo: Bo <bo@example.org>\n'
        "Date: Tue 2026-11-17 08:02 +0000\nAttachments: terms.txt\n\nThe rent is due.\n> Old."
    )
    assert first.when == datetime(2026, 11, 17, 8, 2, tzinfo=UTC)
    assert [first.text[a:b] for a, b in first.quoted] == ["> Old."]
    assert reads[1].text == "Three months."


def test_an_outlook_message_obeys_filters_and_bodies_stand_in() -> None:
    assert {type(one) for one in letter_reads(letter(), senders=("nobody",))} == {LeftOut}
    rich = letter(x1000=text(""), x1013=(0x102, b"<p>Rich <b>words</b></p>"))
    [item, *_] = letter_reads(rich)
    assert isinstance(item, Item)
    assert item.text.endswith("\n\nRich words")


def test_an_outlook_contact_is_a_contact() -> None:
    [item] = letter_reads(
        letter(x001A=text("IPM.Contact"), x3001=text("Bo Li"), x3A1C=text("0170"))
    )
    assert isinstance(item, Item)
    assert (item.kind, item.title) == (Kind.CONTACT, "Bo Li")
    assert "Mobile phone: 0170" in item.text


def test_compressed_rtf_is_unpacked() -> None:
    # The example of MS-OXRTFCP, section 3.1.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af320"
        "68656c0900206277"
        "05b06c647d0a800fa0"
    )
    assert unpacked_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpacked_rtf(packed[:-9]) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello w"
    assert unpacked_rtf(b"") == b""


def test_a_broken_outlook_mailbox_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pst", b"!BDN" + bytes(600))
    try:
        import pypff  # noqa: F401

        reason = Reason.CORRUPT
    except ImportError:
        reason = Reason.UNSUPPORTED
    assert skips_of(path) == [(reason, None)]


def test_without_libpff_the_remedy_is_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypff", None)
    [skip] = found(write(tmp_path / "a.ost", b"!BDN" + bytes(600)))
    assert isinstance(skip, Skipped)
    assert (skip.reason, "askance[pst]" in skip.remedy) == (Reason.UNSUPPORTED, True)
