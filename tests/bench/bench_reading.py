"""Messages a second of `ingest.read` beside the standard library's mailbox and email, in one run.

    python tests/bench/bench_reading.py MBOX [--rounds 3]

Both give the decoded subject, people, date and body text of every message; ours also its
attachments, locators and one text per mail. Times are CPU seconds, medians over the rounds.
"""

from __future__ import annotations

import argparse
import mailbox
import resource
from collections.abc import Callable
from datetime import UTC
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path
from shutil import copyfile
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from ingest.item import Kind
from ingest.read import read


def read_with_ours(path: Path) -> int:
    reading = read([path], zone=UTC)
    for _ in reading:
        pass
    return reading.tally.items.get(Kind.MAIL, 0)


def read_with_stdlib(path: Path) -> int:
    """Read a copy's messages: `mailbox.mbox` opens its file for writing."""
    count = 0
    box = mailbox.mbox(path, create=False)
    for message in box:
        fields = [
            str(value) for name in ("from", "to", "cc") for value in message.get_all(name, [])
        ]
        getaddresses(fields)
        try:
            str(make_header(decode_header(message["subject"] or "")))
            parsedate_to_datetime(str(message["date"]))
        except (LookupError, TypeError, ValueError):
            pass
        _body(message)
        count += 1
    box.close()
    return count


def _body(message: Message) -> str:
    texts = []
    for part in message.walk():
        if part.get_content_maintype() == "text":
            data = part.get_payload(decode=True)
            try:
                texts.append(data.decode(part.get_content_charset("utf-8"), "replace"))
            except LookupError:
                texts.append(data.decode("latin-1"))
    return "\n".join(texts)


def timed(reader: Callable[[Path], int], path: Path) -> tuple[float, int]:
    begin = process_time()
    count = reader(path)
    return process_time() - begin, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mbox", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    size = options.mbox.stat().st_size / 1e6
    seconds = {}
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "mbox"
        copyfile(options.mbox, copy)
        rounds = range(options.rounds)
        for name, reader in (("ours", read_with_ours), ("stdlib", read_with_stdlib)):
            runs = [timed(reader, copy) for _ in rounds]
            seconds[name], count = median(run[0] for run in runs), runs[0][1]
            rates = f"{count / seconds[name]:,.0f} messages/s  {size / seconds[name]:.1f} MB/s"
            print(f"{name:7} {count} messages  {seconds[name]:.2f} s  {rates}")
    print(f"ratio   {seconds['stdlib'] / seconds['ours']:.2f} times the standard library's speed")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory  {peak:.0f} MB at most")


if __name__ == "__main__":
    main()
