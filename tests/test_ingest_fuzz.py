"""Whatever bytes a file holds, reading it gives items or says why not.

`bench/fuzz.py` looks for what does not, for minutes and led by coverage.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.item import Item, Skipped
from ingest.reading.in_process import read
from tests.odd.archives import unzipped, zipped
from tests.odd.make import content_of

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
    "a.rtf": [
        *(
            b"{",
            b"}",
            b"{\\rtf1\\ansi ",
            b"\\par",
            b"\\'e4",
            b"\\u8364?",
            b"\\bin9 ",
            b"{\\*\\objdata ",
        ),
        *(
            b"\\v ",
            b"\\v0",
            b"\\trowd",
            b"\\cell",
            b"\\row",
            b"{\\fonttbl",
            b"\\uc0",
            b"\\",
            b"{\\pict",
        ),
    ],
    "a.vcf": [
        *(b"BEGIN:VCARD\n", b"END:VCARD\n", b"VERSION:2.1\n", b"N:A;B\n", b"FN:A B\n", b"\n "),
        *(
            b"TEL;TYPE=HOME:",
            b";ENCODING=QUOTED-PRINTABLE:=C3=\n",
            b"PHOTO;ENCODING=b:",
            b"BDAY:--02",
        ),
    ],
    "a.tex": [
        b"\\documentclass{a}",
        b"\\begin{document}",
        b"%",
        b"\\%",
        b"\n",
        b"{",
        b"}",
        b"$",
        b"\\",
    ],
    "a.csv": [b'"', b",", b"\n", b"\r", b"a"],
    "a.txt": [b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[", b"\x80", b"\xe2\x80\xae", b"\x00"],
}


BITTEN = {
    "docx_tracked_changes": "a.docx",
    "docx_table": "a.docx",
    "xlsx_dates_and_formulas": "a.xlsx",
    "pptx_table": "a.pptx",
    "odt_tracked_deletion": "a.odt",
    "ods_plain": "a.ods",
    "epub_order": "a.epub",
    "zip_of_everything": "a.zip",
    "doc_plain": "a.doc",
    "xls_plain": "a.xls",
    "msg_plain": "a.msg",
    "pdf_form_field": "a.pdf",
    "pdf_with_file_inside": "a.pdf",
    "ipynb_cells": "a.ipynb",
    "tar_gzipped": "a.tar.gz",
    "mail_delivery_report": "a.eml",
    "emlx": "a.emlx",
}
"""Odd files, and names to read them under once something was cut out of them or put in."""


@pytest.mark.parametrize("name", TOKENS)
def test_arbitrary_bytes_never_raise(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the last nets around each file, so that what falls into them is seen.
    for module in ("ingest.reading.jobs", "ingest.formats"):
        monkeypatch.setattr(sys.modules[module], "DAMAGED", ())
    path = tmp_path / name
    pieces = st.lists(st.one_of(st.sampled_from(TOKENS[name]), st.binary(max_size=20)), max_size=30)

    @settings(max_examples=100, deadline=None, suppress_health_check=CHECKS, database=None)
    @given(pieces)
    def check(parts: list[bytes]) -> None:
        path.write_bytes(b"".join(parts))
        check_outcome(path)

    check()


@pytest.mark.parametrize("name", BITTEN)
def test_bitten_files_never_raise(name: str, tmp_path: Path) -> None:
    path = tmp_path / BITTEN[name]
    whole = content_of(name)
    assert isinstance(whole, bytes)
    members = unzipped(whole) if whole.startswith(b"PK") else {}
    bite = st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=8))

    @settings(max_examples=30, deadline=None, suppress_health_check=CHECKS, database=None)
    @given(st.lists(bite, min_size=1, max_size=4), st.sampled_from([*members, ""]))
    def check(bites: list[tuple[float, int, bytes]], member: str) -> None:
        if member:
            path.write_bytes(zipped(members | {member: bitten(members[member], bites)}))
        else:
            path.write_bytes(bitten(whole, bites))
        check_outcome(path)

    check()


def bitten(data: bytes, bites: list[tuple[float, int, bytes]]) -> bytes:
    """Return `data` with so many bytes at some places replaced by others."""
    for share, length, other in bites:
        at = int(share * len(data))
        data = data[:at] + other + data[at + length :]
    return data


def check_outcome(path: Path) -> None:
    for one in read([path], zone=UTC, now=NOW):
        if isinstance(one, Skipped):
            assert one.remedy
            continue
        assert isinstance(one, Item)
        assert "\x1b" not in one.text + one.title
        assert one.when is None or one.when.tzinfo is not None
        assert one.text.encode()
        assert list(one.pages) == sorted(one.pages)
        assert all(0 <= at <= len(one.text) for at in (*one.pages, *one.records))
        assert all(begin <= end <= len(one.text) for begin, end in one.quoted)
