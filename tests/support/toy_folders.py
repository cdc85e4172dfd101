"""Homes of people who use other programs: small folders laid out as those programs lay theirs out.

Each function returns files by their path below the person's home; bytes that end a path with "/"
stand for an empty folder. Names and texts are made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from tests.odd import calendars, office, pdf, texts
from tests.odd.mail import _emlx as emlx
from tests.support.databases import at, calendar_with
from tests.support.scanned import drawn, saved

Files = dict[str, bytes]

INGRID = "Ingrid Halloran <ingrid@bay.example.org>"
DANA = "Dana Okafor <dana@trust.example.com>"


def letter(
    number: int,
    sender: str,
    subject: str,
    text: str,
    attached: tuple[str, bytes] | None = None,
    to: str = INGRID,
) -> bytes:
    """Return a mail of the `number`th of November 2026."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, to, subject
    made["Date"] = f"{number:02} Nov 2026 09:12:00 +0000"
    made["Message-ID"] = f"<{number}@example.org>"
    made.set_content(text)
    if attached:
        name, data = attached
        made.add_attachment(data, maintype="application", subtype="pdf", filename=name)
    return made.as_bytes()


def mbox(*mails: bytes) -> bytes:
    return b"".join(b"From - Thu Nov 12 09:12:00 2026\n" + mail + b"\n" for mail in mails)


def paper(*lines: str) -> bytes:
    """Return a PDF of one page with these lines."""
    page = b"".join(pdf.line(line.encode(), 700 - 20 * row) for row, line in enumerate(lines))
    return pdf.paged(page)


def word(*paragraphs: str) -> bytes:
    return office.docx("".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in paragraphs))


def event(uid: str, start: str, summary: str, *lines: str) -> bytes:
    stamps = (f"DTSTART:{start}", "DURATION:PT1H", f"SUMMARY:{summary}", *lines)
    return calendars.calendar(calendars.entry(*stamps, uid=uid))


LEASE = letter(12, DANA, "Lease of the boathouse", "Please bring the signed lease form.\n")
INVOICE = letter(
    16, "Tomas Lindqvist <tomas@boats.example.net>", "Invoice 2026-118",
    "The invoice for the outboard motor is attached.\n",
    ("invoice-2026-118.pdf", paper("Invoice 2026-118", "Outboard motor, serviced: 412 euros")),
)  # fmt: skip
SENT = letter(13, INGRID, "Re: Lease of the boathouse", "I will bring the form.\n", to=DANA)
SPAM = letter(14, "Prizes <win@prizes.example>", "You have won", "A boathouse is yours.\n")


def thunderbird() -> Files:
    profile = ".thunderbird/k3x9qa1z.default-release"
    return {
        ".thunderbird/profiles.ini": b"[Profile0]\nPath=k3x9qa1z.default-release\n",
        f"{profile}/prefs.js": b'user_pref("mail.account.account1.server", "server1");\n',
        f"{profile}/ImapMail/imap.example.org/INBOX": mbox(LEASE, INVOICE),
        f"{profile}/ImapMail/imap.example.org/INBOX.msf": b"// <!-- <mdb:mork:z v=1.4/> -->\n",
        f"{profile}/ImapMail/imap.example.org/Archives.msf": b"// <!-- <mdb:mork:z v=1.4/> -->\n",
        f"{profile}/ImapMail/imap.example.org/Sent": mbox(SENT),
        f"{profile}/ImapMail/imap.example.org/Junk": mbox(SPAM),
        f"{profile}/Mail/Local Folders/Inbox": b"",
        f"{profile}/Mail/Local Folders/msgFilterRules.dat": b'version="9"\n',
        f"{profile}/calendar-data/local.sqlite": calendar_with(
            "Engine check", at(2026, 12, 3, 9), at(2026, 12, 3, 10), "Lindqvist's yard"
        ),
    }


def apple_mail() -> Files:
    account = "Library/Mail/V10/0E6B7F5C-1D52-4C7E-9C68-2A3E8A0F4D11"
    inbox = f"{account}/INBOX.mbox/5C9D2F7E-0B1A-4E54-9B5D-6C1E6F0A7B22/Data"
    partial = letter(17, DANA, "Floor plan", "The plan of the boathouse is attached.\n")
    return {
        f"{account}/INBOX.mbox/Info.plist": b"<?xml version='1.0'?><plist/>\n",
        f"{inbox}/Messages/1041.emlx": emlx(LEASE),
        f"{inbox}/Messages/1042.partial.emlx": emlx(partial),
        f"{inbox}/Attachments/1042/2/floor-plan.pdf": paper("Boathouse 3: 11.5 by 6 metres"),
        f"{account}/Junk.mbox/5C9D2F7E/Data/Messages/7.emlx": emlx(SPAM),
        "Library/Mail/V10/MailData/Envelope Index": texts.database(),
        "Documents/Home.ics": event("a@example.org", "20261124T100000Z", "Harbour Trust: lease"),
    }


def maildir() -> Files:
    return {
        "Mail/INBOX/cur/1763000000.1_1.host:2,S": LEASE,
        "Mail/INBOX/new/1763000001.2_1.host": INVOICE,
        "Mail/INBOX/tmp/": b"",
        "Mail/INBOX/.mbsyncstate": b"FarUidValidity 1\n",
        "Mail/INBOX/.uidvalidity": b"1\n1\n",
        "Mail/Sent/cur/1763000002.3_1.host:2,S": SENT,
        "Mail/Sent/new/": b"",
        "Mail/Spam/cur/1763000003.4_1.host:2,S": SPAM,
        "Mail/Spam/new/": b"",
        "Mail/.notmuch/xapian/postlist.glass": bytes(range(256)) * 32,
        "Mail/.notmuch/xapian/iamglass": b"\x0f\rXapian Glass" + bytes(90),
    }


def vdirsyncer() -> Files:
    work = ".local/share/calendars/work"
    dana = "ATTENDEE;CN=Dana Okafor:mailto:dana@trust.example.com"
    board = ("RRULE:FREQ=MONTHLY;BYDAY=1TU;COUNT=12", "LOCATION:Room 4", dana)
    lease = ("Harbour Trust: lease of the boathouse", "LOCATION:Harbour office")
    card = calendars.card("FN:Dana Okafor", "N:Okafor;Dana;;;", "TEL:+44 1632 960114")
    return {
        f"{work}/color": b"#0070bb\n",
        f"{work}/displayname": b"Work\n",
        f"{work}/lease.ics": event("lease", "20261124T100000Z", *lease),
        f"{work}/board.ics": event("board", "20260901T090000Z", "Board meeting", *board),
        ".local/share/calendars/private/dentist.ics": event(
            "dentist", "20261126T080000Z", "Dentist"
        ),
        ".local/share/contacts/dana.vcf": card,
    }


def obsidian() -> Files:
    note = (
        "---\ntags: [boathouse, lease]\n---\n# Boathouse\n\nThe lease ends on 31 December 2026, "
        "see [[Harbour Trust]].\n\n- [ ] ask Helen to sign\n"
    )
    board = {"nodes": [{"id": "1", "type": "text", "text": "New roof before the winter"}]}
    return {
        "Vault/.obsidian/app.json": b'{"promptDelete": false}\n',
        "Vault/.obsidian/workspace.json": b'{"main": {"id": "a", "type": "split"}}\n',
        "Vault/Projects/Boathouse.md": note.encode(),
        "Vault/Daily/2026-11-12.md": b"Dana called: bring the signed form and the certificate.\n",
        "Vault/Projects/Roof.canvas": json.dumps(board).encode(),
        "Vault/Attachments/certificate.pdf": paper("Insurance certificate 77-410-3"),
        "Vault/Attachments/roof.png": texts.png(),
        "Vault/.trash/Old idea.md": b"# Old idea\n\nRent the boathouse to a band.\n",
    }


def case_folder() -> Files:
    case = "Cases/2026-017 Halden v Brask"
    claim = word("Statement of claim", "The claimant asks for 48,300 euros with interest.")
    rows = office._row(1, "Date", "Amount") + office._row(2, "2026-03-02", "12,000 euros")
    ledger = office.xlsx(("Payments", "visible", rows))
    receipt = saved([drawn(["Receipt of 5 March 2025", "Paid in cash: 1,250 euros."])], "PDF")
    offer = letter(16, "Nils Brask <nils@brask.example.com>", "Offer", "I offer 20,000 euros.\n")
    return {
        f"{case}/1 Correspondence/2026-11-16 offer.eml": offer,
        f"{case}/2 Pleadings/2026-09-01 statement of claim.docx": claim,
        f"{case}/3 Evidence/B1 contract.pdf": paper(
            "Contract of 3 February 2025", "Clause 7: the buyer inspects the boat within 14 days."
        ),
        f"{case}/3 Evidence/B2 receipt (scan).pdf": receipt,
        f"{case}/3 Evidence/B3 payments.xlsx": ledger,
        f"{case}/3 Evidence/B4 sealed.pdf": pdf.pdf_encrypted_aes(),
        f"{case}/4 Hearings/hearing.ics": event(
            "hearing", "20270114T090000Z", "Hearing, Halden v Brask", "LOCATION:Court room 2"
        ),
    }


def papers() -> Files:
    tables = json.dumps(
        {"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["Cover: 61 percent"]}],
         "metadata": {}, "nbformat": 4}
    )  # fmt: skip
    return {
        "Zotero/zotero.sqlite": texts.database(),
        "Zotero/storage/AB12CD34/Marsh 2024 - Seagrass.pdf": paper(
            "Seagrass cover in northern bays", "We surveyed 14.2 hectares in 2024."
        ),
        "Zotero/storage/AB12CD34/.zotero-ft-cache": b"Seagrass cover in northern bays\n",
        "Zotero/storage/EF56GH78/Okoro 2025 - Shoots.pdf": paper(
            "Shoot density", "Density fell by a third between 2019 and 2024."
        ),
        "Papers/draft/main.tex": b"\\documentclass{article}\n\\begin{document}\n"
        b"\\section{Method}\nWe dive along three transects.\n\\end{document}\n",
        "Papers/draft/references.bib": b"@article{marsh2024, title={Seagrass}, year={2024}}\n",
        "Papers/analysis/cover.ipynb": tables.encode(),
        "Papers/analysis/plots.csv": b"site,cover\nNorth,61\nSouth,48\n",
    }


def exports() -> Files:
    enex = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export><note><title>Berth of the boat</title><content><![CDATA[<en-note>
<div>The berth costs 395 euros.</div><div><en-todo checked="true"/>pay</div>
<div><en-todo checked="false"/>sign</div></en-note>]]></content>
<updated>20260903T101500Z</updated><tag>harbour</tag>
<note-attributes><author>Kim Ode</author></note-attributes></note></en-export>"""
    bookmarks = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>Boats</H3><DL><p>
<DT><A HREF="https://tides.example.org" ADD_DATE="1700000000">Tides and winds</A></DL><p></DL>"""
    return {"exports/Harbour.enex": enex.encode(), "exports/bookmarks.html": bookmarks.encode()}


LAYOUTS: dict[str, Callable[[], Files]] = {
    "thunderbird": thunderbird,
    "apple-mail": apple_mail,
    "mutt-notmuch": maildir,
    "khal-vdirsyncer": vdirsyncer,
    "obsidian": obsidian,
    "case-folder": case_folder,
    "papers": papers,
    "exports": exports,
}
"""By the name of the page in `docs/recipes/`."""


def lay_out(home: Path, name: str) -> None:
    """Write one person's files below `home`."""
    for path, data in LAYOUTS[name]().items():
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            target.mkdir(exist_ok=True)
        else:
            target.write_bytes(data)
