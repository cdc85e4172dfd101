"""Odd mails and mailboxes, made in memory. Each function is named after its row in `table.toml`."""

from __future__ import annotations

import struct
from base64 import b64encode
from binascii import b2a_uu

from tests.odd.archives import zipped
from tests.odd.office import docx

HEAD = b"""\
From: Ana Ruiz <ana@example.org>
To: Ben Okafor <ben@example.org>
Subject: Lease
Date: Tue, 17 Nov 2026 09:02:00 +0100
Message-ID: <lease@example.org>
"""
ENVELOPE = b"From ana@example.org Tue Nov 17 08:02:00 2026\n"
INVITATION = b"""\
BEGIN:VCALENDAR
VERSION:2.0
METHOD:REQUEST
BEGIN:VEVENT
UID:viewing@example.org
DTSTART:20261120T090000Z
DTEND:20261120T100000Z
SUMMARY:Viewing of the flat
END:VEVENT
END:VCALENDAR
"""


def mail(body: bytes, *fields: bytes, number: int | None = None) -> bytes:
    """Return a mail with `fields` below the usual ones; `number` tells several apart."""
    head = HEAD if number is None else HEAD.replace(b"lease@", b"lease%d@" % number)
    return head + b"".join(field + b"\n" for field in fields) + b"\n" + body


def mbox(*mails: bytes) -> bytes:
    return b"\n".join(ENVELOPE + one for one in mails)


def part(body: bytes, *fields: bytes) -> bytes:
    return b"".join(field + b"\n" for field in fields) + b"\n" + body


def multipart(*parts: bytes, kind: bytes = b"mixed", closed: bool = True) -> bytes:
    """Return a mail made of parts; `kind` may carry parameters."""
    lines = b"".join(b"--cut\n" + one.rstrip(b"\n") + b"\n" for one in parts)
    field = b"Content-Type: multipart/%s; boundary=cut" % kind
    return mail(lines + (b"--cut--\n" if closed else b""), b"MIME-Version: 1.0", field)


PLAIN = part(b"The rent is due on Friday.\n", b"Content-Type: text/plain")


def attached(data: bytes, name: bytes, kind: bytes = b"application/octet-stream") -> bytes:
    return part(
        b64encode(data),
        b"Content-Type: " + kind,
        b"Content-Transfer-Encoding: base64",
        b'Content-Disposition: attachment; filename="%s"' % name,
    )


# Mailboxes


def mbox_plain() -> bytes:
    return mbox(mail(b"First of two.\n", number=1), mail(b"Second of two.\n", number=2))


def mbox_crlf() -> bytes:
    return mbox_plain().replace(b"\n", b"\r\n")


def mbox_no_blank_lines() -> bytes:
    return b"".join(ENVELOPE + mail(b"Mail %d.\n" % n, number=n) for n in range(3))


def mbox_from_in_body() -> bytes:
    body = b"Two things.\n\nFrom here on the rent is 900 euros.\n"
    return mbox(mail(body, number=1), mail(b"Fine.\n", number=2))


def mbox_dated_from_in_body() -> bytes:
    body = b"My notes:\n\nFrom the meeting on Tue Nov 17 09:02:00 2026\nwe keep the flat.\n"
    return mbox(mail(body, number=1), mail(b"Fine.\n", number=2))


def mbox_escaped_from() -> bytes:
    return mbox(mail(b"He writes:\n\n>From the lawyer I hear nothing.\n"))


def mbox_lying_content_length() -> bytes:
    first = mail(b"First of two.\n", b"Content-Length: 999999", number=1)
    return mbox(first, mail(b"Second of two.\n", b"Content-Length: 1", number=2))


def mbox_same_mail_twice() -> bytes:
    return mbox(mail(b"The same words.\n"), mail(b"The same words.\n"))


def mbox_cut_off() -> bytes:
    second = multipart(PLAIN, attached(b"Inventory of the kitchen. " * 40, b"kitchen.txt"))
    return mbox(mail(b"Whole.\n", number=1), second)[:-200]


def mbox_deleted_not_compacted() -> bytes:
    kept = mail(b"Kept words.\n", b"X-Mozilla-Status: 0001", number=1)
    return mbox(kept, mail(b"Deleted words.\n", b"X-Mozilla-Status: 0009", number=2))


def mbox_date_in_envelope_only() -> bytes:
    return mbox(mail(b"Undated.\n").replace(b"Date: Tue, 17 Nov 2026 09:02:00 +0100\n", b""))


# Header fields


def mail_8bit_headers() -> bytes:
    """Header fields in raw bytes, one in Latin 1 and one in UTF-8."""
    sender, subject = "Jörg Müller".encode("latin-1"), "Überweisung für die Wohnung".encode()
    return mail(b"Bezahlt.\n").replace(b"Ana Ruiz", sender).replace(b"Lease", subject)


def mail_no_date() -> bytes:
    return mail(b"Undated words.\n").replace(b"Date: Tue, 17 Nov 2026 09:02:00 +0100\n", b"")


def mail_impossible_date() -> bytes:
    return mail(b"Misdated words.\n").replace(b"Tue, 17 Nov 2026", b"Tue, 45 Foo 99999")


def mail_two_message_ids() -> bytes:
    return mail(b"Twice named.\n", b"Message-ID: <second@example.org>")


def mail_no_message_id() -> bytes:
    return mail(b"Unnamed.\n").replace(b"Message-ID: <lease@example.org>\n", b"")


def mail_folded_subject() -> bytes:
    folded = b"Subject: Lease for the flat\n\tin Lisbon,\n  signed"
    return mail(b"Words.\n").replace(b"Subject: Lease", folded)


def mail_split_encoded_word() -> bytes:
    # "ü" in UTF-8, cut between its two bytes.
    words = b"Subject: =?utf-8?q?Schl=C3?=\n =?utf-8?q?=BCssel_der_Wohnung?="
    return mail(b"Words.\n").replace(b"Subject: Lease", words)


def mail_encoded_word_bomb() -> bytes:
    bomb = b"Subject: Lease " + b"=?utf-8?q?a?= " * 200_000 + b"last words"
    return mail(b"Body of the bomb.\n").replace(b"Subject: Lease", bomb)


def mail_200000_recipients() -> bytes:
    crowd = b",".join(b'"n%d" <u%d@example.org>' % (n, n) for n in range(200_000))
    return mail(b"To everyone.\n", b"Cc: " + crowd)


def mail_million_header_fields() -> bytes:
    return HEAD + b"".join(b"X-H%d: v\n" % n for n in range(1_000_000)) + b"\nBelow them all.\n"


def mail_undisclosed_recipients() -> bytes:
    return mail(b"Hush.\n").replace(b"Ben Okafor <ben@example.org>", b"undisclosed-recipients:;")


def mail_escape_in_subject() -> bytes:
    return mail(b"Words.\n").replace(b"Lease", b"Le\x1b[31mase \x1b]0;title\x07now")


def mail_bidi_sender() -> bytes:
    return mail(b"Words.\n").replace(b"Ana Ruiz", "Ana \u202ezziuR\u202c Ruiz".encode())


def mail_byte_order_mark() -> bytes:
    return b"\xef\xbb\xbf" + mail(b"Marked words.\n")


def mail_header_only() -> bytes:
    return HEAD


# Bodies


def mail_flowed() -> bytes:
    body = b"This is one long line that \nwas broken in two.\n\n> quoted \n> words\n"
    return mail(body, b"Content-Type: text/plain; format=flowed")


def mail_flowed_delsp() -> bytes:
    body = b"The address is Rua da Prata 12, Lis \nboa.\n"
    return mail(body, b"Content-Type: text/plain; format=flowed; delsp=yes")


def mail_html_only() -> bytes:
    body = (
        b"<html><body><p>The rent is <b>900</b> euros.</p><script>stolen()</script></body></html>"
    )
    return mail(body, b"Content-Type: text/html; charset=utf-8")


def mail_hidden_html() -> bytes:
    body = (
        b'<div style="display:none">PREHEADER</div><p>Visible words.</p>'
        b'<span style="font-size:0px">ZEROSIZE</span><p style="mso-hide:all">FOROUTLOOK</p>'
        b"<!-- COMMENT --><p hidden>ATTRIBUTE</p>"
    )
    return mail(body, b"Content-Type: text/html")


def mail_remote_picture() -> bytes:
    body = b'<p>Hello.</p><img src="http://tracker.invalid/p.gif" width=1><link href="http://x.invalid/c.css">'
    return mail(body, b"Content-Type: text/html")


def mail_reply_with_history() -> bytes:
    return mail(
        b"I agree.\n\nOn Mon, 16 Nov 2026 at 10:00, Ben Okafor wrote:\n> Shall we sign?\n> Ben\n"
    )


def mail_unknown_charset() -> bytes:
    return mail("Die Küche ist schön.\n".encode(), b"Content-Type: text/plain; charset=x-nowhere")


def mail_iso_2022_jp() -> bytes:
    body = "家賃は九万円です。\n".encode("iso-2022-jp")
    return mail(body, b"Content-Type: text/plain; charset=iso-2022-jp")


def mail_broken_quoted_printable() -> bytes:
    body = b"Broken =ZZ sign, a cut =\nline, and the end=\n"
    return mail(body, b"Content-Type: text/plain", b"Content-Transfer-Encoding: quoted-printable")


def mail_nul_in_body() -> bytes:
    return mail(b"Before\0 and after the zero.\n")


def mail_line_of_50_mb() -> bytes:
    return mail(b"Beginning of the line. " + b"word " * 10_000_000 + b"last words\n")


# Parts


def mail_no_boundary() -> bytes:
    body = b"The rent is due on Friday.\n"
    return mail(body, b"MIME-Version: 1.0", b"Content-Type: multipart/mixed")


def mail_unclosed_boundary() -> bytes:
    return multipart(PLAIN, closed=False)


def mail_nested_1000() -> bytes:
    levels = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(1000)
    )
    return HEAD + b"MIME-Version: 1.0\n" + levels + b"Content-Type: text/plain\n\nDeep words.\n"


def mail_nested_10() -> bytes:
    levels = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(10)
    )
    closing = b"".join(b"--b%d--\n" % n for n in reversed(range(10)))
    text = b"Content-Type: text/plain\n\nTen levels down.\n"
    return HEAD + b"MIME-Version: 1.0\n" + levels + text + closing


def mail_100000_parts() -> bytes:
    return multipart(*[b"Content-Type: text/plain\n\nx\n"] * 100_000)


def mail_mails_within_mails() -> bytes:
    return HEAD + b"Content-Type: message/rfc822\n\n" * 5000 + b"Content-Type: text/plain\n\nhi\n"


def mail_attached_mail() -> bytes:
    inner = mail(b"Words of the inner mail.\n").replace(b"lease@", b"inner@")
    return multipart(PLAIN, part(inner, b"Content-Type: message/rfc822"))


def mail_attached_text() -> bytes:
    return multipart(PLAIN, attached(b"Inventory: two chairs.\n", b"inventory.txt", b"text/plain"))


def mail_attached_docx() -> bytes:
    return multipart(PLAIN, attached(docx("<w:p><w:r><w:t>Clause 7.</w:t></w:r></w:p>"), b"c.docx"))


def mail_attached_zip() -> bytes:
    return multipart(PLAIN, attached(zipped({"notes.txt": b"Packed notes."}), b"papers.zip"))


def mail_attached_picture() -> bytes:
    return multipart(PLAIN, attached(b"\x89PNG\r\n\x1a\n" + bytes(50), b"plan.png", b"image/png"))


def mail_attachment_climbs() -> bytes:
    return multipart(PLAIN, attached(b"Climbing words.\n", b"../../etc/passwd", b"text/plain"))


def mail_attachment_long_name() -> bytes:
    fields = (
        b"Content-Type: text/plain",
        b"Content-Disposition: attachment; filename*0*=UTF-8''%C3%9Cbersicht%20;\n"
        b" filename*1*=der%20M%C3%B6bel.txt",
    )
    return multipart(PLAIN, part(b"Two chairs.\n", *fields))


def mail_base64_cut_off() -> bytes:
    coded = b64encode(b"Inventory: two chairs, one table, six plates.")[:-7]
    fields = (b"Content-Type: text/plain", b"Content-Transfer-Encoding: base64")
    disposition = b"Content-Disposition: attachment; filename=list.txt"
    return multipart(PLAIN, part(coded, *fields, disposition))


def mail_uuencoded_part() -> bytes:
    coded = b"begin 644 notes.txt\n" + b2a_uu(b"Coded notes on the flat.") + b" \nend\n"
    fields = (b"Content-Type: text/plain; name=notes.txt", b"Content-Transfer-Encoding: x-uuencode")
    disposition = b"Content-Disposition: attachment; filename=notes.txt"
    return multipart(PLAIN, part(coded, *fields, disposition))


def mail_uuencoded_body() -> bytes:
    coded = b"begin 644 notes.txt\n" + b2a_uu(b"Coded notes on the flat.") + b" \nend\n"
    return mail(b"Find the notes below.\n\n" + coded)


def mail_invitation() -> bytes:
    return multipart(
        PLAIN,
        part(INVITATION, b"Content-Type: text/calendar; method=REQUEST"),
        kind=b"alternative",
    )


def mail_delivery_report() -> bytes:
    status = b"Reporting-MTA: dns; mx.example.org\n\nFinal-Recipient: rfc822; ben@example.org\n"
    return multipart(
        part(b"Your mail could not be delivered.\n", b"Content-Type: text/plain"),
        part(status + b"Status: 5.1.1\n", b"Content-Type: message/delivery-status"),
        part(HEAD, b"Content-Type: text/rfc822-headers"),
        kind=b"report; report-type=delivery-status",
    )


# Sealed and encrypted


def mail_smime_enveloped() -> bytes:
    field = b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"
    coded = b64encode(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0\x80" + bytes(200))
    return mail(coded + b"\n", b"MIME-Version: 1.0", field, b"Content-Transfer-Encoding: base64")


def mail_smime_opaque_signed() -> bytes:
    field = b"Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m"
    coded = b64encode(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80" + bytes(200))
    return mail(coded + b"\n", b"MIME-Version: 1.0", field, b"Content-Transfer-Encoding: base64")


def mail_smime_signed() -> bytes:
    seal = attached(bytes(100), b"smime.p7s", b"application/pkcs7-signature")
    return multipart(PLAIN, seal, kind=b'signed; protocol="application/pkcs7-signature"')


def mail_pgp_mime_encrypted() -> bytes:
    version = part(b"Version: 1\n", b"Content-Type: application/pgp-encrypted")
    coded = b"-----BEGIN PGP MESSAGE-----\n\nhQEMA0000000000\n-----END PGP MESSAGE-----\n"
    sealed = part(coded, b"Content-Type: application/octet-stream; name=encrypted.asc")
    return multipart(version, sealed, kind=b'encrypted; protocol="application/pgp-encrypted"')


def mail_pgp_inline_encrypted() -> bytes:
    return mail(
        b"-----BEGIN PGP MESSAGE-----\n\nhQEMA0000000000\n=abcd\n-----END PGP MESSAGE-----\n"
    )


def mail_pgp_mime_signed() -> bytes:
    armour = b"-----BEGIN PGP SIGNATURE-----\n\niQEz0000\n-----END PGP SIGNATURE-----\n"
    seal = part(armour, b"Content-Type: application/pgp-signature; name=signature.asc")
    return multipart(PLAIN, seal, kind=b'signed; protocol="application/pgp-signature"')


def mail_pgp_inline_signed() -> bytes:
    return mail(
        b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe rent is due on Friday.\n"
        b"-----BEGIN PGP SIGNATURE-----\n\niQEz0000\n-----END PGP SIGNATURE-----\n"
    )


def _attribute(kind: int, value: bytes, level: int = 1) -> bytes:
    return (
        struct.pack("<BII", level, kind, len(value))
        + value
        + struct.pack("<H", sum(value) % 0x10000)
    )


def _tnef(*attributes: bytes) -> bytes:
    """Return what Outlook packs into winmail.dat."""
    codepage = _attribute(0x69007, struct.pack("<II", 1252, 0))
    return b"\x78\x9f\x3e\x22\x01\x00" + codepage + b"".join(attributes)


def _packed_file(name: bytes, data: bytes) -> bytes:
    begin = _attribute(0x69002, bytes(14), 2) + _attribute(0x18010, b"SHORT~1.TXT\0", 2)
    long_name = struct.pack("<IHHII", 1, 0x1E, 0x3707, 1, len(name)) + name + bytes(-len(name) % 4)
    return begin + _attribute(0x69005, long_name, 2) + _attribute(0x6800F, data, 2)


def winmail(*attributes: bytes) -> bytes:
    """Return a mail that Outlook wrote in rich text."""
    data = _tnef(_attribute(0x2800C, b"The body once more.\0"), *attributes)
    return multipart(PLAIN, attached(data, b"winmail.dat", b"application/ms-tnef"))


def mail_winmail_dat() -> bytes:
    return winmail()


def mail_winmail_with_attachments() -> bytes:
    inner = _tnef(_attribute(0x2800C, b"Forwarded words.\0"))
    wrapped = bytes(16) + inner
    forwarded = struct.pack("<IHHII", 1, 0x0D, 0x3701, 1, len(wrapped)) + wrapped + bytes(3)
    return winmail(
        _packed_file(b"inventory.txt", b"Two chairs."),
        _attribute(0x69002, bytes(14), 2) + _attribute(0x69005, forwarded, 2),
    )


def mail_winmail_cut_off() -> bytes:
    data = _tnef(_packed_file(b"inventory.txt", b"Two chairs."), _attribute(0x2800C, b"x" * 99))
    return multipart(PLAIN, attached(data[:-50], b"winmail.dat", b"application/ms-tnef"))


def mail_winmail_alone() -> bytes:
    data = _tnef(_attribute(0x2800C, "The rent is 900 €.\0".encode("cp1252")))
    return multipart(attached(data, b"winmail.dat", b"application/ms-tnef"))


# Folders and files of mail programs

_PLIST = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>flags</key><integer>8590195713</integer></dict></plist>
"""


def _emlx(message: bytes) -> bytes:
    return b"%-10d\n" % len(message) + message + _PLIST


def emlx() -> bytes:
    return _emlx(mail(b"Kept by Apple Mail.\n"))


def emlx_partial() -> dict[str, bytes]:
    fields = (
        b"Content-Type: text/plain; name=notes.txt",
        b"Content-Disposition: attachment; filename=notes.txt",
        b"X-Apple-Content-Length: 24",
    )
    message = multipart(PLAIN, part(b"", *fields))
    return {
        "Messages/12.partial.emlx": _emlx(message),
        "Attachments/12/2/notes.txt": b"Notes kept beside mails.",
    }


def maildir() -> dict[str, bytes]:
    return {
        "cur/1.M1.host:2,S": mail(b"Seen words.\n", number=1),
        "new/2.M2.host": mail(b"New words.\n", number=2),
        "tmp/3.M3.host": mail(b"Unfinished words.\n", number=3),
        "dovecot-uidlist": b"3 V1 N4\n",
    }


def maildir_trashed() -> dict[str, bytes]:
    return {"cur/1.M1.host:2,ST": mail(b"Thrown away.\n"), "new/": b"", "tmp/": b""}


def mail_in_inbox_and_archive() -> dict[str, bytes]:
    return {"Inbox": mbox(mail(b"Kept twice.\n")), "Archive": mbox(mail(b"Kept twice.\n"))}


def mail_in_spam_folder() -> dict[str, bytes]:
    return {"Spam": mbox(mail(b"You have won.\n"))}


def mail_in_drafts_folder() -> dict[str, bytes]:
    return {"Drafts": mbox(mail(b"Not yet sent.\n"))}


def thunderbird_profile() -> dict[str, bytes]:
    folder = "abcd.default-release/Mail/Local Folders"
    return {
        "profiles.ini": b"[Profile0]\nName=default\nIsRelative=1\nPath=abcd.default-release\n",
        "abcd.default-release/prefs.js": b'user_pref("mail.root", "PREFERENCE");\n',
        "abcd.default-release/places.sqlite": b"SQLite format 3\0" + bytes(100),
        f"{folder}/Inbox": mbox(mail(b"In the inbox.\n", number=1)),
        f"{folder}/Inbox.msf": b'// <!-- <mdb:mork:z v="1.4"/> -->\n< <(a=c)> >\n',
        f"{folder}/Archive.sbd/2025": mbox(mail(b"In the archive.\n", number=2)),
        f"{folder}/Archive": b"",
    }


def mbox_gzipped() -> bytes:
    import gzip

    return gzip.compress(mbox_plain(), mtime=0)


def mbox_with_stray_bytes_before() -> bytes:
    return b"\n\n" + mbox_plain()


def pst_header_only() -> bytes:
    return b"!BDN" + bytes(600)
