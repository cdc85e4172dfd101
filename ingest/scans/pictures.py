"""Pictures as files and attachments: PNG, JPEG, TIFF, WebP.

HEIC is left out: its library starts threads, which a locked-down process cannot.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.scans.pages import scanned_page
from ingest.scans.tesseract import DOTS_PER_INCH, Picture
from ingest.sieve import Read, Scope

_DOTS = 60_000_000
"""Of the largest picture that is decoded: a page of A3 at 400 dots an inch has 31 million."""
_LARGEST = 14 * DOTS_PER_INCH
"""Dots of the longer side that Tesseract gets: more take time and show no more words."""
_LEAST = 64
"""Dots of the shorter side of a picture that may hold words."""
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
    if scope.scans is None:
        yield origin.skipped(Reason.SCANNED, "Its words were not recognised.", kinds=frozenset())
        return
    from PIL import Image, ImageOps, ImageSequence

    Image.MAX_IMAGE_PIXELS = _DOTS // 2  # beyond twice this it raises

    def drawn(frame: Image.Image) -> Picture | None:
        upright = ImageOps.exif_transpose(frame).convert("L")
        if min(upright.size) < _LEAST:
            return None
        upright.thumbnail((_LARGEST, _LARGEST))
        return Picture(upright.tobytes(), *upright.size, upright.width)

    try:
        with Image.open(io.BytesIO(data)) as image:
            count = min(getattr(image, "n_frames", 1), _FRAMES) if image.format == "TIFF" else 1
            for number, frame in enumerate(ImageSequence.Iterator(image), 1):
                if number > count:
                    break
                page = number if count > 1 else 0
                yield from scanned_page(scope.scans, origin, partial(drawn, frame), number=page)
    except Image.DecompressionBombError as error:
        raise UnreadableError(
            Reason.SCANNED, f"It has more than {_DOTS // 1_000_000} million dots; scale it down."
        ) from error
    except (SyntaxError, *DAMAGED) as error:
        raise UnreadableError(Reason.SCANNED, "The picture is damaged; save it again.") from error
