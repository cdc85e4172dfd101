"""Pictures of text, as a scanner or a camera would make them."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont


def drawn(lines: Sequence[str], size: int = 40) -> Image.Image:
    """Return lines of text as a grey picture; `size` in dots of the letters."""
    font = ImageFont.load_default(size)
    width = int(max(font.getlength(line) for line in lines)) + 4 * size
    page = Image.new("L", (width, (2 * len(lines) + 3) * size), 255)
    paint = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        paint.text((2 * size, (2 * number + 1) * size), line, font=font, fill=0)
    return page


def saved(pages: Sequence[Image.Image], form: str) -> bytes:
    """Return pictures as a file: PNG, JPEG, TIFF, PDF, WEBP, or HEIF."""
    made, (first, *others) = io.BytesIO(), pages
    more = {"save_all": True, "append_images": others} if others else {}
    first.save(made, form, **more)
    return made.getvalue()
