"""Odd calendars and address cards."""

from __future__ import annotations

from base64 import b64encode

DAY = "DTSTART:20261120T090000Z", "DTEND:20261120T100000Z"


def entry(*lines: str, kind: str = "VEVENT", uid: str = "one@example.org") -> str:
    inner = [f"UID:{uid}", "DTSTAMP:20261101T000000Z", *lines]
    return "\n".join([f"BEGIN:{kind}", *inner, f"END:{kind}", ""])


def calendar(*entries: str, lines: str = "") -> bytes:
    head = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//odd//\n{lines}"
    return (head + "".join(entries) + "END:VCALENDAR\n").replace("\n", "\r\n").encode()


def ics_plain() -> bytes:
    place = "LOCATION:Rua da Prata 12", "ATTENDEE;CN=Ben Okafor:mailto:ben@example.org"
    return calendar(entry(*DAY, "SUMMARY:Viewing", *place))


def ics_every_second() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:Blink", "RRULE:FREQ=SECONDLY"))


def ics_every_minute() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:Blink", "RRULE:FREQ=MINUTELY;COUNT=100000000"))


def ics_impossible_day() -> bytes:
    rule = "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"
    return calendar(entry(*DAY, "SUMMARY:Never", rule))


def ics_daily_for_ever() -> bytes:
    start = "DTSTART:20200101T080000Z", "DTEND:20200101T083000Z"
    return calendar(entry(*start, "SUMMARY:Walk", "RRULE:FREQ=DAILY"))


def ics_birthday() -> bytes:
    start = "DTSTART;VALUE=DATE:19800501"
    return calendar(entry(start, "SUMMARY:Ana's birthday", "RRULE:FREQ=YEARLY"))


def ics_moved_occurrence() -> bytes:
    series = entry(*DAY, "SUMMARY:Stand-up", "RRULE:FREQ=WEEKLY;COUNT=3")
    moved = entry(
        *("RECURRENCE-ID:20261127T090000Z", "DTSTART:20261128T140000Z", "DTEND:20261128T150000Z"),
        "SUMMARY:Stand-up, moved to the kitchen",
    )
    return calendar(series, moved)


def ics_moved_occurrence_alone() -> bytes:
    """What a vdir holds when the series was deleted and one exception stayed."""
    return calendar(entry("RECURRENCE-ID:20261127T090000Z", *DAY, "SUMMARY:Left over"))


def ics_left_out_dates() -> bytes:
    rules = "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE:20261127T090000Z"
    return calendar(entry(*DAY, "SUMMARY:Course", *rules))


def ics_added_dates() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:Course", "RDATE:20261201T090000Z,20261210T090000Z"))


def ics_all_day() -> bytes:
    days = "DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261122"
    return calendar(entry(*days, "SUMMARY:Moving house"))


def ics_floating() -> bytes:
    return calendar(entry("DTSTART:20261120T100000", "DTEND:20261120T110000", "SUMMARY:Tea"))


def ics_unknown_zone() -> bytes:
    zone = ";TZID=Atlantis/Capital"
    start = f"DTSTART{zone}:20261120T100000", f"DTEND{zone}:20261120T110000"
    return calendar(entry(*start, "SUMMARY:Dive"))


def ics_windows_zone() -> bytes:
    zone = ";TZID=W. Europe Standard Time"
    start = f"DTSTART{zone}:20261120T100000", f"DTEND{zone}:20261120T110000"
    return calendar(entry(*start, "SUMMARY:Meeting"))


def ics_other_zone() -> bytes:
    start = "DTSTART;TZID=America/New_York:20261120T100000"
    return calendar(entry(start, "DURATION:PT90M", "SUMMARY:Call"))


def ics_own_zone() -> bytes:
    """A zone that only the file itself explains, five hours behind UTC."""
    part = (
        "BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:-0500\nTZOFFSETTO:-0500\n"
        "TZNAME:ODD\nEND:STANDARD\n"
    )
    zone = f"BEGIN:VTIMEZONE\nTZID:Own Zone\n{part}END:VTIMEZONE\n"
    return calendar(zone, entry("DTSTART;TZID=Own Zone:20261120T100000", "SUMMARY:Far away"))


def ics_ends_before_it_begins() -> bytes:
    days = "DTSTART:20261120T100000Z", "DTEND:20261119T100000Z"
    return calendar(entry(*days, "SUMMARY:Backwards"))


def ics_no_start() -> bytes:
    return calendar(entry("SUMMARY:Some day"))


def ics_nothing_said() -> bytes:
    return b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


def ics_alarm_only() -> bytes:
    alarm = b"BEGIN:VALARM\r\nUID:1\r\nDESCRIPTION:Remember the milk\r\nEND:VALARM\r\n"
    return b"BEGIN:VEVENT\r\n" + alarm + b"END:VEVENT\r\n"


def ics_over_before_it_begins() -> bytes:
    """A rule that ends before the first day; that day counts all the same."""
    days = "DTSTART;VALUE=DATE:20261120", "RRULE:FREQ=WEEKLY;UNTIL=20261101;BYDAY=FR"
    return calendar(entry(*days, "SUMMARY:Course"))


def ics_no_end() -> bytes:
    return ics_plain().partition(b"END:VEVENT")[0]


def ics_200000_begins() -> bytes:
    return b"BEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 200_000


def ics_broken_line() -> bytes:
    broken = entry(*DAY, "SUMMARY:First", "THIS IS NO LINE OF A CALENDAR")
    return calendar(broken, entry(*DAY, "SUMMARY:Second", uid="two@example.org"))


def ics_broken_date() -> bytes:
    broken = entry("DTSTART:2026-11-99", "SUMMARY:First")
    return calendar(broken, entry(*DAY, "SUMMARY:Second", uid="two@example.org"))


def ics_broken_rule() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:First", "RRULE:FREQ=SOMETIMES;BYDAY=XX"))


def ics_task() -> bytes:
    lines = "DUE:20261130T170000Z", "SUMMARY:Return the keys", "PERCENT-COMPLETE:50"
    return calendar(entry(*lines, kind="VTODO"))


def ics_note() -> bytes:
    lines = "DTSTART;VALUE=DATE:20261120", "SUMMARY:Diary", "DESCRIPTION:It rained all day."
    return calendar(entry(*lines, kind="VJOURNAL"))


def ics_busy_times() -> bytes:
    return calendar(entry("FREEBUSY:20261120T090000Z/PT1H", kind="VFREEBUSY"))


def ics_escaped_text() -> bytes:
    return calendar(entry(*DAY, r"SUMMARY:Rent\, deposit\; keys", r"DESCRIPTION:One\nTwo"))


def ics_folded_letter() -> bytes:
    """Lines are folded by bytes, so that a letter may be cut in two."""
    summary = "SUMMARY:Schlüssel".encode()
    cut = summary.index(b"\xc3") + 1
    folded = summary[:cut] + b"\r\n " + summary[cut:]
    return calendar(entry(*DAY, "SUMMARY:X")).replace(b"SUMMARY:X", folded)


def ics_alarm() -> bytes:
    alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nDESCRIPTION:Reminder\nEND:VALARM"
    return calendar(entry(*DAY, "SUMMARY:Dentist", alarm))


def ics_cancelled() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:Party", "STATUS:CANCELLED"))


def ics_remote_attachment() -> bytes:
    return calendar(entry(*DAY, "SUMMARY:Plan", "ATTACH:http://x.invalid/plan.pdf"))


def ics_two_calendars() -> bytes:
    other = calendar(entry(*DAY, "SUMMARY:Second", uid="two@example.org"))
    return calendar(entry(*DAY, "SUMMARY:First")) + other


def ics_without_entries() -> bytes:
    return calendar()


def ics_old_mac_lines() -> bytes:
    return ics_plain().replace(b"\r\n", b"\r")


def ics_utf16() -> bytes:
    return ics_plain().decode().replace("Viewing", "Schlüssel").encode("utf-16")


def ics_outlook_blank_lines() -> bytes:
    return ics_plain().replace(b"\r\n", b"\r\r\n")


def vdir() -> dict[str, bytes]:
    return {
        "Work/one@example.org.ics": calendar(entry(*DAY, "SUMMARY:First")),
        "Work/two@example.org.ics": calendar(entry(*DAY, "SUMMARY:Second", uid="two@example.org")),
        "Work/displayname": b"Work at the office",
        "Work/color": b"#ff0000",
    }


# Contacts


def card(*lines: str, version: str = "3.0") -> bytes:
    inner = ["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD", ""]
    return "\r\n".join(inner).encode()


NAME = "FN:Ana Ruiz", "N:Ruiz;Ana;;;"


def vcf_plain() -> bytes:
    return card(*NAME, "EMAIL;TYPE=WORK:ana@example.org", "TEL;TYPE=CELL:+351 21 555 0100")


def vcf_two_cards() -> bytes:
    return vcf_plain() + card("FN:Ben Okafor", "EMAIL:ben@example.org")


def vcf_version_2() -> bytes:
    """vCard 2.1, with quoted-printable text in a character set of its own."""
    return card(
        "N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg",
        "TEL;HOME;VOICE:030 555 0100",
        "ADR;HOME;ENCODING=QUOTED-PRINTABLE:;;Lindenstr. 1=0D=0A=\r\nHinterhaus;Berlin",
        version="2.1",
    )


def vcf_version_4() -> bytes:
    lines = "EMAIL;PREF=1:ana@example.org", "TEL;VALUE=uri:tel:+351-21-555-0100"
    return card("FN:Ana Ruíz", *lines, "BDAY:--0501", version="4.0")


def vcf_folded() -> bytes:
    return card(*NAME, "NOTE:She lives in the\r\n  house beside the river.")


def vcf_grouped() -> bytes:
    return card(*NAME, "item1.EMAIL:ana@example.org", "item1.X-ABLabel:_$!<HomePage>!$_")


def vcf_photo() -> bytes:
    photo = b64encode(bytes(range(256)) * 200).decode()
    lines = [photo[at : at + 70] for at in range(0, len(photo), 70)]
    return card(*NAME, "PHOTO;ENCODING=b;TYPE=JPEG:" + "\r\n ".join(lines))


def vcf_no_end() -> bytes:
    return vcf_plain().replace(b"END:VCARD\r\n", b"")


def vcf_no_name() -> bytes:
    return card("EMAIL:nobody@example.org", "ORG:Harbour Office")
