"""Grows what the reading benchmark reads: two mailboxes of 10,000 mails and 2,000 documents.

    python tests/bench/read_grow.py DATA FOLDER [--seed 7] [--copies 5]

Everything comes from the evaluation data in DATA by repetition with changed words, so that no two
files or mails are alike: `text.mbox`, `attachments.mbox` (the same mails at about 500 MB) and the
folder `documents` (about 190 MB). A PDF is changed by a comment behind its end. `--copies N` adds
the folder `copies-N`: so many of `attachments.mbox`, each with Message-IDs of its own, so that all
of their mails count.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import zipfile
from base64 import encodebytes
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

MAILS, DOCUMENTS = 10_000, 2000
MAILBOX_BYTES = 500_000_000
SHARES = {".pdf": 500, ".docx": 580, ".xlsx": 200, ".html": 188, ".pptx": 97}
"""Documents by suffix; the rest is evenly of what else there is."""
_CHANGED = 0.1
"""Share of the words that are exchanged for others of the same text."""
_WORD = re.compile(rb"[a-z]{3,12}")
_BETWEEN_TAGS = re.compile(rb">[^<>]{8,}<")
_ENVELOPE = re.compile(rb"^From .*\d{4}\n", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"^Message-ID:.*\n(?:[ \t].*\n)*", re.IGNORECASE | re.MULTILINE)
_CONTENT = re.compile(
    rb"^(?:Content-|MIME-)[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE
)
_TEXTS = re.compile(
    r"word/document\.xml|xl/sharedStrings\.xml|ppt/slides/slide1\.xml|content\.xml|.*\.xhtml"
)
_NOT_GROWN = frozenset({".doc", ".ppt", ".xls", ".msg"})
_GROWN = b"@grown."
_BOUNDARY = b"=-grown-by-repetition-="


def grow(data: Path, folder: Path, seed: int) -> None:
    """Write both mailboxes and the documents, unless they are there."""
    corpus = data / "corpus"
    documents = [path for path in sorted((corpus / "docs_mixed").rglob("*")) if path.is_file()]
    folder.mkdir(parents=True, exist_ok=True)
    steps: tuple[tuple[str, Callable[[Path, random.Random], None]], ...] = (
        ("text.mbox", lambda path, rng: _write_mails(path, corpus, rng)),
        ("attachments.mbox", lambda path, rng: _write_attached(path, corpus, documents, rng)),
        ("documents", lambda path, rng: _write_documents(path, documents, rng)),
    )
    for name, write in steps:
        if not (folder / name).exists():
            write(folder / name, random.Random(seed))
        files = [path for path in [folder / name, *(folder / name).rglob("*")] if path.is_file()]
        print(f"{name:18} {len(files)} files  {sum(p.stat().st_size for p in files) / 1e6:.1f} MB")


def copy(folder: Path, count: int) -> None:
    """Write so many copies of the mailbox with attachments, unless their folder is there."""
    copies = folder / f"copies-{count}"
    if not copies.exists():
        copies.mkdir()
        for number in range(count):
            with (
                (folder / "attachments.mbox").open("rb") as mbox,
                (copies / f"{number}.mbox").open("wb") as other,
            ):
                other.writelines(line.replace(_GROWN, b"@grown%d." % number) for line in mbox)
    print(f"{copies.name:18} {count} files")


def mails(corpus: Path, rng: random.Random) -> Iterator[bytes]:
    """Yield mails without their envelope lines; after the first round with changed words."""
    whole = b"".join(
        (corpus / f"mail_spamassassin_{name}.mbox").read_bytes() for name in ("ham", "hardham")
    )
    found = _ENVELOPE.split(whole)[1:]
    for number, mail in zip(range(MAILS), cycle(found), strict=False):
        head, blank, body = mail.partition(b"\n\n")
        head = _MESSAGE_ID.sub(b"", head + b"\n") + b"Message-ID: <%d@grown.invalid>" % number
        yield head + blank + (changed(body, rng) if number >= len(found) else body)


def changed(text: bytes, rng: random.Random) -> bytes:
    """Return `text` with some of its plain words exchanged for others of them."""
    words = text.split(b" ")
    plain = [at for at, word in enumerate(words) if _WORD.fullmatch(word)]
    for at in rng.sample(plain, round(len(plain) * _CHANGED)):
        words[at] = words[rng.choice(plain)]
    return b" ".join(words)


def changed_document(name: str, data: bytes, rng: random.Random, number: int) -> bytes:
    """Return a document that differs from `data` in its words or, at least, in its bytes."""
    suffix = Path(name).suffix.lower()
    if suffix in _NOT_GROWN:
        return data
    if data.startswith(b"%PDF"):
        return data + b"\n%% copy %d\n" % number
    if data.startswith(b"PK"):
        return _changed_zip(data, rng, number)
    if suffix in (".html", ".htm", ".xml"):
        return _changed_markup(data, rng) + b"<!-- %d -->" % number
    return changed(data, rng) + b"\n%d\n" % number


def _changed_markup(data: bytes, rng: random.Random) -> bytes:
    return _BETWEEN_TAGS.sub(lambda match: changed(match[0], rng), data)


def _changed_zip(data: bytes, rng: random.Random, number: int) -> bytes:
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for member in old.infolist():
                content = old.read(member)
                if _TEXTS.fullmatch(member.filename):
                    content = _changed_markup(content, rng)
                new.writestr(member, content)
            new.comment = b"%d" % number
    except (zipfile.BadZipFile, RuntimeError):
        return data + b"%d" % number
    return out.getvalue()


def _write_mails(path: Path, corpus: Path, rng: random.Random) -> None:
    with path.open("wb") as mbox:
        for mail in mails(corpus, rng):
            mbox.write(_enveloped(mail))


def _write_attached(path: Path, corpus: Path, documents: list[Path], rng: random.Random) -> None:
    """Write the same mails, so many with a document attached that the size comes out."""
    sources = [(document.name, document.read_bytes()) for document in documents]
    room = MAILBOX_BYTES - (path.parent / "text.mbox").stat().st_size
    share = room / (MAILS * sum(len(data) for _, data in sources) / len(sources) * 1.37)
    picks = random.Random(rng.random())
    with path.open("wb") as mbox:
        for number, mail in enumerate(mails(corpus, rng)):
            if picks.random() < share:
                name, data = picks.choice(sources)
                mail = _attached(mail, name, changed_document(name, data, picks, number))
            mbox.write(_enveloped(mail))


def _enveloped(mail: bytes) -> bytes:
    escaped = re.sub(rb"^(>*From )", rb">\1", mail.rstrip(b"\n"), flags=re.MULTILINE)
    return b"From grown@example.invalid Tue Nov 17 08:02:00 2026\n" + escaped + b"\n\n"


def _attached(mail: bytes, name: str, data: bytes) -> bytes:
    """Return the mail as the first part of one with an attachment."""
    head, _, body = mail.partition(b"\n\n")
    head += b"\n"
    fields = b"".join(_CONTENT.findall(head)).replace(b"MIME-Version: 1.0\n", b"")
    return b"".join(
        (
            _CONTENT.sub(b"", head),
            b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n\n' % _BOUNDARY,
            b"--%s\n%s\n%s\n" % (_BOUNDARY, fields, body),
            b"--%s\nContent-Type: application/octet-stream\n" % _BOUNDARY,
            b'Content-Disposition: attachment; filename="%s"\n' % name.encode(),
            b"Content-Transfer-Encoding: base64\n\n%s--%s--\n" % (encodebytes(data), _BOUNDARY),
        )
    )


def _write_documents(folder: Path, documents: list[Path], rng: random.Random) -> None:
    by_suffix: dict[str, list[Path]] = {suffix: [] for suffix in SHARES}
    other: list[Path] = []
    for path in documents:
        by_suffix.get(path.suffix.lower(), other).append(path)
    rest = DOCUMENTS - sum(SHARES.values())
    plan = [*((by_suffix[suffix], count) for suffix, count in SHARES.items()), (other, rest)]
    number = 0
    for sources, count in plan:
        for path, _ in zip(cycle(sources), range(count), strict=False):
            below = folder / f"{number % 40:02}"
            below.mkdir(parents=True, exist_ok=True)
            data = changed_document(path.name, path.read_bytes(), rng, number)
            (below / f"{number:04}-{path.name}").write_bytes(data)
            number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--copies", type=int, default=0)
    options = parser.parse_args()
    grow(options.data, options.folder, options.seed)
    if options.copies:
        copy(options.folder, options.copies)


if __name__ == "__main__":
    main()
