"""The splitter of MIME messages understands them as the standard library does, only faster."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from email import message_from_bytes
from email.message import EmailMessage, Message
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ingest.mail.headers import LIMIT, Headers, parse_date
from ingest.mail.leap import find_leaping
from ingest.mail.mime import MAILS, PARTS, Part, decode_transfer, parse
from ingest.mail.parts import DEPTH, take_apart
from ingest.text.weekdays import stamp_in_words

Tree = tuple[Any, ...]


def ours(part: Part) -> Tree:
    children, _ = part.children()
    fields = {name: squeezed(value) for name, value in part.fields.items()}
    # Where no boundary is seen, the library drops some of what there is.
    lost = None if part.kind.startswith("multipart/") else part.payload()
    below = [ours(child) for child in children] if children else lost
    return part.kind, fields, below


def reference(message: Message) -> Tree:
    fields: dict[str, str] = {}
    for name, value in message.raw_items():
        fields.setdefault(name.lower(), squeezed(str(value)))
    inner = message.get_payload() if message.is_multipart() else None
    if isinstance(inner, list):
        return squeezed(message.get_content_type()), fields, [reference(one) for one in inner]  # type: ignore[arg-type]
    kind = squeezed(message.get_content_type())
    is_lost = kind.startswith("multipart/")
    return kind, fields, None if is_lost else message.get_payload(decode=True)


def squeezed(value: str) -> str:
    return value.replace("\r", "").replace("\n", "").strip()


LINES = [
    *(
        b"",
        b"",
        b"text",
        b"> quoted",
        b"--x",
        b"--x--",
        b"--y",
        b"--y--",
        b"--x ",
        b"--xy",
        b" --x",
    ),
    *(b"Subject: Lease", b"Subject: a", b" folded", b"\tfolded", b"From: a@b.c", b"To:a@b.c"),
    *(b"X : odd", b": nameless", b"From a@b Tue Nov 17 08:02:00 2026", b"no field", b"\xff: \xe9"),
    *(
        b"Content-Type: multipart/mixed; boundary=x",
        b'Content-Type: multipart/digest; boundary="y"',
    ),
    *(b"Content-Type: text/html; charset=utf-8", b"content-type: image/png", b"Content-Type: odd"),
    *(b"Content-Type: multipart/alternative;", b' boundary="x"', b"Content-Type: message/rfc822"),
    b"Content-Transfer-Encoding: Quoted-Printable",
    *(b"aGVsbG8=", b"=C3=A9=", b"a=20b", b"Content-Transfer-Encoding: 7bit"),
]
ENDS = [b"\n", b"\r\n"]


@settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(LINES), max_size=30),
    st.sampled_from(ENDS),
    st.lists(st.sampled_from(LINES), max_size=3),
    st.booleans(),
)
def test_any_arrangement_of_lines_means_what_the_library_says(
    lines: list[bytes], end: bytes, head: list[bytes], ends: bool
) -> None:
    data = end.join([*head, *lines]) + (end if ends else b"")
    # A type of message that there is not is no mail for us, and one for the library, which does
    # not decode mails.
    assume(not re.search(rb"rfc822\r?\n[ \t]", data))
    assume(b"rfc822" not in data or b"Quoted" not in data)
    # The blank line below an envelope that ends the header is lost to it.
    assume(not re.search(rb"\nFrom a@b[^\n]*\n\r?\n", data))
    part = parse(data, 0, len(data))
    assert ours(part) == reference(message_from_bytes(data))


@given(st.binary(max_size=400), st.integers(0, 40), st.integers(0, 40))
def test_leaping_finds_what_searching_finds(noise: bytes, before: int, after: int) -> None:
    # Runs without a space around the window of the search, and marks at its edges.
    data = b"x" * (before * 1024) + noise + b"\nFrom " + b"y" * (after * 1024) + b" \nFrom\nFrom z"
    for at in (0, before * 1024, len(data) - 8):
        for end in (len(data), len(data) - 3, before * 1024 + len(noise) + 6):
            expected = data.find(b"\nFrom ", at, end)
            assert find_leaping(data, b"\nFrom ", b" ", at, end) == expected


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30)


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(WORDS, st.lists(st.tuples(WORDS, st.binary(max_size=80), WORDS), max_size=4), st.booleans())
def test_any_written_mail_has_its_parts_back(
    body: str, attached: list[tuple[str, bytes, str]], crlf: bool
) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Papers"
    mail.set_content(body)
    mail.add_alternative(f"<p>{body}</p>", subtype="html")
    for text, data, name in attached:
        mail.add_attachment(data, maintype="application", subtype="x-odd", filename=name + ".bin")
        mail.add_attachment(text)
    data = mail.as_bytes()
    data = data.replace(b"\n", b"\r\n") if crlf else data
    assert ours(parse(data, 0, len(data))) == reference(message_from_bytes(data))


@pytest.mark.parametrize(
    ("field", "kind", "charset", "boundary", "name"),
    [
        ("text/plain; charset=UTF-8", "text/plain", "utf-8", None, ""),
        ('Multipart/Mixed;\tboundary="a b=_;1"', "multipart/mixed", None, b"a b=_;1", ""),
        ("text/plain; name*=utf-8''Gr%C3%BC%C3%9Fe.txt", "text/plain", None, None, "Grüße.txt"),
        ('a/b; name*0="long "; name*1="name"', "a/b", None, None, "long name"),
        ('a/b; name="=?utf-8?q?Gr=C3=BC=C3=9Fe?="', "a/b", None, None, "Grüße"),
        (r'a/b; name="a \"b\".txt"', "a/b", None, None, 'a "b".txt'),
        ("text/plain; charset=us-ascii (plain)", "text/plain", "us-ascii (plain)", None, ""),
        ("nonsense", "text/plain", None, None, ""),
        ("", "text/plain", None, None, ""),
    ],
)
def test_content_fields_are_understood(
    field: str, kind: str, charset: str | None, boundary: bytes | None, name: str
) -> None:
    part = Part(b"", {"content-type": field}, 0, 0, "text/plain")
    assert part.kind == kind
    assert part.content[1:3] == (charset, boundary)
    assert part.name == name


@pytest.mark.parametrize(
    ("data", "encoding", "decoded"),
    [
        (b"aGVs\nbG8=", "base64", b"hello"),
        (b"aGVsbG8", "Base64 ", b"hello"),
        (b"aGVsbG8h!aGVs?", "base64", b"hello!hel"),
        (b"aGVsbG8gaGVsbG8gaGVsbG8gaGVsb", "base64", b"hello hello hello hel"),
        (b"Hello!", "base64", b"Hello!"),
        (b"a=3Db=\nc=ZZ", "quoted-printable", b"a=bc=ZZ"),
        (b"begin 644 a\n%:&5L;&\\\n`\nend\n", "x-uuencode", b"hello"),
        (b"begin 644 a\n%:&5L;&\\ junk\nend\n", "uuencode", b"hello"),
        (b"no beginning", "x-uuencode", b"no beginning"),
        (b"as it is", "8bit", b"as it is"),
        (b"as it is", "nonsense", b"as it is"),
    ],
)
def test_damaged_transfer_encodings_give_what_there_is(
    data: bytes, encoding: str, decoded: bytes
) -> None:
    assert decode_transfer(data, encoding) == decoded


def test_parts_and_depth_are_limited_and_counted() -> None:
    wide = b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n\nhi\n" * (3 * PARTS)
    contents = take_apart(parse(wide, 0, len(wide)))
    assert len(contents.body) == PARTS
    assert contents.refused == 2 * PARTS
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(99)
    )
    part, levels = parse(deep, 0, len(deep)), 0
    assert take_apart(part).refused == 1
    while children := part.children()[0]:
        part, levels = children[0], levels + 1
    assert levels > DEPTH


@pytest.mark.parametrize(
    "data",
    [
        b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n)
            for n in range(20_000)
        ),
        b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n\nhi\n" * 300_000,
        b"Content-Type: message/rfc822\n\n" * 100_000,
        b"".join(b"X-%d: y\n" % n for n in range(500_000)) + b"\nhi",
        b"Subject: x" + b"\n y" * 500_000 + b"\n\nhi",
        b"Subject : odd\n" + b"X-Odd: y\n z\n" * 200_000,
        b"From: " + b'"' * 400_000 + b"\nTo: " + b" " * 400_000 + b"x\n\nhi",
        b"Content-Type: text/plain; " + b"a=b;" * 100_000 + b"\n\nhi",
        b"Content-Type: " + b'"' * 200_000 + b"\n\nhi",
        b"Subject: " + b"=?utf-8?q?x?= " * 100_000 + b"\n\nhi",
    ],
    ids=[
        "depth",
        "parts",
        "mails",
        "fields",
        "folds",
        "odd",
        "quotes",
        "parameters",
        "marks",
        "words",
    ],
)
def test_bombs_end_in_linear_time(data: bytes) -> None:
    # In quadratic time each would take minutes.
    message = parse(data, 0, len(data))
    headers = Headers(message.fields)
    headers.text("subject")
    headers.people("from")
    headers.people("to")
    contents = take_apart(message)
    assert len(contents.body) <= PARTS


def test_headers_say_when_they_are_cut() -> None:
    assert Headers({"subject": "x" * (LIMIT + 1)}).is_cut
    assert not Headers({"subject": "x" * LIMIT, "received": "x" * (LIMIT + 1)}).is_cut


DATES = [
    "Tue, 17 Nov 2026 09:02:00 +0100",
    "17 Nov 2026 09:02 -0000",
    "Tue, 17 Nov 2026 09:02:61 GMT",
    "Tue Nov 17 08:02:00 2026",
    "Tue, 17 Nov 26 09:02:00 EST",
    "Tue, 17 Nov 2026 09:02:00 +0100 (CET)",
    "31 Feb 2026 09:02:00 +0100",
    "Tue, 17 Foo 2026 09:02:00 +0100",
    "Tue, 17 Nov 2026 25:02:00 +0100",
    "17 Nov 2026 09:02:00 +9999",
]


@given(st.sampled_from(DATES), st.integers(0, 40), st.sampled_from(" :0,+-x9"))
@settings(max_examples=400, deadline=None, database=None)
def test_dates_mean_what_the_library_says(date: str, at: int, other: str) -> None:
    from ingest.mail import headers

    date = date[:at] + other + date[at + 1 :]
    assert parse_date(date) == headers._parse_awkward_date(date)


@given(
    st.datetimes(datetime(1000, 1, 1)), st.integers(-1439, 1439).map(lambda m: timedelta(minutes=m))
)
def test_stamps_are_those_of_strftime(when: datetime, offset: timedelta) -> None:
    stamp = when.replace(tzinfo=timezone(offset))
    assert stamp_in_words(stamp) == f"{stamp:%a %Y-%m-%d %H:%M %z}"


def test_attached_mails_are_parts_even_in_base64() -> None:
    data = (
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogaGkKCnlv\n"
    )
    part = parse(data, 0, len(data))
    assert part.kind in MAILS
    assert part.children()[0][0].fields["subject"].strip() == "hi"
