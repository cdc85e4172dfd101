"""Whatever bytes a file holds, reading it gives items or says why not."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.item import Item, Skipped
from ingest.read import read

CHECKS = list(HealthCheck)
NOW = datetime(2026, 11, 17, tzinfo=UTC)
TOKENS = {
    "a.eml": [
        *(b"From: ", b'To: a@b.c, "x" <d@e>', b"Date: Tue, 17 Nov 2026 09:02:00 +0100", b"\n\n"),
        *(b"Content-Type: multipart/mixed; boundary=x\n", b"--x\n", b"--x--", b"=?utf-8?b?", b"?="),
        *(b"Content-Type: text/html; charset=utf-7\n", b"Content-Transfer-Encoding: base64\n"),
        *(b"Content-Type: message/rfc822\n", b"Content-Disposition: attachment; filename*0=\xe9\n"),
        *(b"X-To: A, B </O=X>, <", b"Content-Transfer-Encoding: x-uuencode\n", b"begin 6 a\n"),
        b"Message-ID: <",
    ],
    "a.ics": [
        *(b"BEGIN:VCALENDAR\n", b"END:VCALENDAR\n", b"BEGIN:VEVENT\n", b"END:VEVENT\n"),
        *(b"BEGIN:VTIMEZONE\n", b"END:VTIMEZONE\n", b"DTSTART:20261117T090000\n", b"UID:1\n"),
        *(b"DTSTART;VALUE=DATE:20261117\n", b"RRULE:FREQ=WEEKLY;BYDAY=XX\n", b"DURATION:-P1D\n"),
        *(b"RRULE:FREQ=MONTHLY;COUNT=3\n", b"EXDATE:2026\n", b"RECURRENCE-ID:20261117T090000\n"),
        *(b"DTSTART;TZID=Nowhere:99991231T235959\n", b"DTEND:00010101T000000Z\n", b"BEGIN:VTODO\n"),
        *(b"ATTENDEE;CN=:mailto:\n", b"RDATE;VALUE=PERIOD:20261117T090000/PT2H\n", b"END:VTODO\n"),
    ],
    "a.jsonl": [b"{", b"}", b'"text"', b'"title"', b":", b",", b"\n", b"[", b"]", b"1e999", b"NaN"],
    "a.html": [
        *(b"<p>", b"</p>", b"<div hidden>", b"<table><td>", b"<a href='https://x'>", b"<pre>\n"),
        *(b"<script>", b"<!--", b"-->", b"<template>", b"<svg><style>", b"&#x202e;", b"<", b"<li>"),
    ],
    "box": [
        *(b"From a@b Tue Nov 17 08:02:00 2026\n", b"From: x@y\n", b"\n\n", b"\nFrom ", b"\r\n"),
        *(b">From ", b"Date: ", b"Subject: \xff"),
    ],
    "a.csv": [b'"', b",", b"\n", b"\r", b"a"],
    "a.txt": [b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[", b"\x80", b"\xe2\x80\xae", b"\x00"],
}


@pytest.mark.parametrize("name", TOKENS)
def test_arbitrary_bytes_never_raise(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the last net around each file, so that what falls into it is seen.
    monkeypatch.setattr(sys.modules["ingest.read"], "DAMAGED", ())
    path = tmp_path / name
    pieces = st.lists(st.one_of(st.sampled_from(TOKENS[name]), st.binary(max_size=20)), max_size=30)

    @settings(max_examples=100, deadline=None, suppress_health_check=CHECKS, database=None)
    @given(pieces)
    def check(parts: list[bytes]) -> None:
        path.write_bytes(b"".join(parts))
        found = list(read([path], zone=UTC, now=NOW))
        for one in found:
            if isinstance(one, Skipped):
                assert one.remedy
                continue
            assert isinstance(one, Item)
            assert "\x1b" not in one.text + one.title
            assert one.when is None or one.when.tzinfo is not None
            assert one.text.encode()

    check()
