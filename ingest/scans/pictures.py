"""Pictures as files and attachments: PNG, JPEG, TIFF, WebP.

HEIC is left out: its library starts threads, which a locked-down process cannot.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.scans.pages import scanned_page
from ingest.scans.tesseract import DOTS_PER_INCH, Picture
from ingest.sieve import DrawnPage, PageWanted, Read, Scope

if TYPE_CHECKING:
    from PIL import Image

_DOTS = 60_000_000
"""Of the largest picture that is decoded: a page of A3 at 400 dots an inch has 31 million."""
_LARGEST = 14 * DOTS_PER_INCH
"""Dots of the longer side that Tesseract gets: more take time and show no more words."""
_LEAST = 64
"""Dots of the shorter side of a picture that may hold words."""
LONGEST = 1600
"""Dots of the longer side of a picture that is shown."""
_FRAMES = 500
"""Pages of one TIFF that are read."""
_SMALL = 3000
"""Bytes of a picture that holds no page: an icon, a line, a logo."""


def picture_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a picture as a document for each of its pages, when its turn has come.

    Until then it is a scan that was not read. Raises UnreadableError.
    """
    if len(data) < _SMALL:
        yield origin.skipped(
            Reason.UNSUPPORTED, "This is a picture; it is not read.", kinds=frozenset()
        )
        return
    if scope.page is None and scope.scans is None:
        yield origin.skipped(Reason.SCANNED, "Its words were not recognised.", kinds=frozenset())
        return
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = _DOTS // 2  # beyond twice this it raises
    try:
        with Image.open(io.BytesIO(data)) as image:
            if scope.page is not None:
                yield from _shown(image, scope.page, origin)
            elif scope.scans is not None:
                for number, frame in _frames(image):
                    draw = partial(_drawn, frame)
                    yield from scanned_page(scope.scans, origin, draw, number=number)
    except Image.DecompressionBombError as error:
        raise UnreadableError(
            Reason.SCANNED, f"It has more than {_DOTS // 1_000_000} million dots; scale it down."
        ) from error
    except (SyntaxError, *DAMAGED) as error:
        raise UnreadableError(Reason.SCANNED, "The picture is damaged; save it again.") from error


def _frames(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    """Yield the pages of a picture with their numbers, 0 where it can have just one."""
    from PIL import ImageSequence

    count = min(getattr(image, "n_frames", 1), _FRAMES) if image.format == "TIFF" else 1
    for number, frame in enumerate(ImageSequence.Iterator(image), 1):
        if number > count:
            return
        yield number if count > 1 else 0, frame


def _drawn(frame: Image.Image) -> Picture | None:
    """Return a page in grey, None where it is too small to hold words."""
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(frame).convert("L")
    if min(upright.size) < _LEAST:
        return None
    upright.thumbnail((_LARGEST, _LARGEST))
    return Picture(upright.tobytes(), *upright.size, upright.width)


def _shown(image: Image.Image, page: PageWanted, origin: Origin) -> Iterator[Read]:
    """Yield the page in colour that is wanted, if it is one of this picture."""
    from PIL import ImageOps

    for number, frame in _frames(image) if page.is_of(origin.locator) else ():
        if max(number, 1) == page.number:
            upright = ImageOps.exif_transpose(frame).convert("RGB")
            upright.thumbnail((LONGEST, LONGEST))
            yield DrawnPage(upright.tobytes(), *upright.size)
            return
