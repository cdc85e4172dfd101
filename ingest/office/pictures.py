"""Pictures within office documents, whose words are recognised as those of scans are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from ingest.containers.zips import Zip, name_of
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.scans.pictures import picture_items
from ingest.sieve import Read, Scope

LEAST = 30_000
"""Bytes of the smallest picture that is looked at: a page in it has more, a logo less."""
_PICTURE = re.compile(
    r"(?:(?:word|ppt|xl)/media|Pictures|.*images?)/[^/]*\.(?:png|jpe?g|tiff?|webp)", re.IGNORECASE
)


def pictures_within(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the words of each picture when its turn has come; until then say that they wait."""
    archive = Zip(data, scope.passwords)
    wanted = [
        one
        for one in archive.members
        if one.file_size >= LEAST and _PICTURE.fullmatch(name_of(one))
    ]
    if wanted and scope.scans is None and scope.page is None:
        words = f"{len(wanted)} picture{'' if len(wanted) == 1 else 's'}"
        remedy = "Their words were not recognised."
        yield origin.skipped(Reason.SCANNED, remedy, words, kinds=frozenset())
        return
    for member in wanted:
        name = PurePosixPath(name_of(member)).name
        around = origin.locator.member
        place = replace(origin.locator, member=f"{around}/{name}" if around else name)
        inner = replace(origin, title=f"{name} in {origin.title}", locator=place)
        try:
            yield from picture_items(archive.read(member), inner, scope)
        except UnreadableError as error:
            yield inner.skipped(error.reason, error.remedy, kinds=frozenset())
