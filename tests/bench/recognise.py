"""Recognised words: recall and seconds a page over pages made here, beside another engine.

    recognise.py [PAGES] [--other PYTHON]

Pages are drawn at 200 dots an inch: clean ones, noisy ones as a bad scanner makes them (skewed,
blurred, speckled, unevenly lit), and receipts as a camera sees them (narrow, grey, at an angle).
The words are those of the project's own pages. Recall counts words; the program's own reading,
locked down, is measured. With `--other`, a Python that has `rapidocr` reads the same pages.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ingest.item import Item
from ingest.reading.session import Session
from ingest.sieve import ReadingBudget

DOTS = 200
FONTS = ("", "DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Italic.ttf", "DejaVuSansMono.ttf")
"""The first is the one within Pillow; those that are not there are left out."""
OTHER = """
import json, sys, time
import numpy as np
from PIL import Image
from rapidocr import RapidOCR
threads = {f"EngineConfig.onnxruntime.{name}_op_num_threads": 1 for name in ("intra", "inter")}
engine = RapidOCR(params={**threads, "Global.use_cls": False, "Global.log_level": "error"})
for path in sys.argv[1:]:
    began = time.process_time()
    found = engine(np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1])
    print(json.dumps([" ".join(found.txts or ()), time.process_time() - began]), flush=True)
"""


def vocabulary() -> list[str]:
    """Return the words of the project's pages, in their order."""
    pages = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    words = (word for page in pages for word in page.read_text("utf-8").split())
    return [word for word in words if re.fullmatch(r"[A-Za-z]+[.,;:]?", word)]


def fonts() -> list[str]:
    found = []
    for name in FONTS:
        try:
            ImageFont.truetype(name, 20) if name else None
        except OSError:
            continue
        found.append(name)
    return found


def drawn(number: int, words: list[str], *, receipt: bool) -> tuple[Image.Image, list[str]]:
    """Return a page, and its words."""
    chance, names = random.Random(number), fonts()
    size = chance.choice((10, 11, 12)) * DOTS // 72
    name = names[number % len(names)]
    font = ImageFont.truetype(name, size) if name else ImageFont.load_default(size)
    width, height = (3 * DOTS, 6 * DOTS) if receipt else (8 * DOTS, 11 * DOTS)
    page, margin = Image.new("L", (width, height), 255), DOTS // 5 if receipt else DOTS
    paint, at, top = ImageDraw.Draw(page), chance.randrange(len(words)), margin
    shown: list[str] = []
    while top < height - margin:
        line: list[str] = []
        while font.getlength(" ".join([*line, words[at % len(words)]])) < width - 2 * margin:
            line.append(words[at % len(words)])
            at += 1
        paint.text((margin, top), " ".join(line), font=font, fill=0)
        shown += line
        top += int(size * 1.4)
    return page, shown


def worn(page: Image.Image, number: int, skew: float) -> Image.Image:
    """Return the page skewed by up to so many degrees, blurred, speckled, unevenly lit."""
    chance, dots = random.Random(number), np.random.default_rng(number)
    page = page.rotate(chance.uniform(-skew, skew), Image.Resampling.BICUBIC, fillcolor=255)
    page = page.filter(ImageFilter.GaussianBlur(chance.uniform(0.4, 0.9)))
    grey = np.asarray(page, np.float32) * chance.uniform(0.7, 0.9) + chance.uniform(15, 40)
    grey -= np.linspace(0, chance.uniform(10, 40), grey.shape[1])[None, :]
    grey += dots.normal(0, chance.uniform(8, 16), grey.shape)
    speckles = dots.random(grey.shape)
    grey[speckles < 0.002], grey[speckles > 0.998] = 0, 255
    return Image.fromarray(np.clip(grey, 0, 255).astype("uint8"))


MAKERS: dict[str, Callable[[int, list[str]], tuple[Image.Image, list[str]]]] = {
    "clean": lambda number, words: drawn(number, words, receipt=False),
    "noisy": lambda number, words: worn_page(number, words, 1.5, receipt=False),
    "receipt": lambda number, words: worn_page(number, words, 3, receipt=True),
}


def worn_page(
    number: int, words: list[str], skew: float, *, receipt: bool
) -> tuple[Image.Image, list[str]]:
    page, shown = drawn(number, words, receipt=receipt)
    return worn(page, number, skew), shown


def recall(shown: Iterable[str], text: str) -> float:
    """Return the share of the words that a text has."""
    texts = (" ".join(shown), text)
    wanted, found = (Counter(re.findall(r"[a-z]+", part.lower())) for part in texts)
    return sum(min(count, found[word]) for word, count in wanted.items()) / wanted.total()


def ours(paths: list[Path]) -> list[tuple[str, float]]:
    """Return the words of each page and its seconds, one locked-down process reading."""
    found = []
    with Session(workers=1) as session:
        list(session.read(paths[:1], budget=ReadingBudget(scans=60)))  # the language is loaded once
        session.forget()
        for path in paths:
            began = time.perf_counter()
            items = session.read([path], budget=ReadingBudget(scans=600))
            text = " ".join(item.text for item in items if isinstance(item, Item))
            found.append((text, time.perf_counter() - began))
    return found


def theirs(python: str, paths: list[Path]) -> list[tuple[str, float]]:
    """Return the same of the other engine; its seconds are of the processor."""
    run = subprocess.run([python, "-c", OTHER, *map(str, paths)], capture_output=True, check=True)
    return [tuple(json.loads(line)) for line in run.stdout.splitlines()]


def main() -> None:
    """Print recall and seconds by kind of page, and the ratio of the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="?", type=int, default=40)
    parser.add_argument("--other", metavar="PYTHON")
    given = parser.parse_args()
    words = vocabulary()
    for kind, make in MAKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            made = [make(number, words) for number in range(given.pages)]
            paths = [Path(folder, f"{number}.png") for number in range(given.pages)]
            for path, (page, _) in zip(paths, made, strict=True):
                page.save(path)
            arms = {"tesseract": ours(paths)}
            if given.other:
                arms["rapidocr"] = theirs(given.other, paths)
        for name, read in arms.items():
            scores = [recall(shown, text) for (_, shown), (text, _) in zip(made, read, strict=True)]
            seconds = mean(took for _, took in read)
            ratio = seconds / mean(took for _, took in arms["tesseract"])
            print(
                f"{kind:8} {name:10} n {len(read)}: recall {mean(scores):.3f}, "
                f"least {min(scores):.3f}, {seconds:.2f} s a page, {ratio:.1f} times ours",
                flush=True,
            )


if __name__ == "__main__":
    main()
