"""How much of a person's text a connected program gets, and which citations it may read again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal, get_args

from app.output.objects import answer_object, citation_object, place_of, search_object
from app.output.report import shortened

if TYPE_CHECKING:
    from engine.events import SearchResult
    from engine.values import Answer, Citation

Share = Literal["titles", "quotes", "passages"]
SHARES: tuple[Share, ...] = get_args(Share)
"""From least to most: names of items and places; answers and quotes too; whole passages too."""
KEPT = 500
"""Citations that can be read again; older ones are dropped."""


class SharedText:
    """Results as a connected program may see them."""

    def __init__(self, share: Share) -> None:
        """Keep nothing yet. What is kept lies in memory alone."""
        self.share = share
        self._citations: OrderedDict[str, Citation] = OrderedDict()
        self._count = 0

    def answer(self, answer: Answer) -> dict[str, Any]:
        """Return what `ask --json` prints, each citation with the `ref` that reads it again."""
        shown = answer_object(answer)
        shown["citations"] = [
            citation_object(one) | {"ref": self._keep(one)} for one in answer.citations
        ]
        return shown

    def search(self, result: SearchResult) -> dict[str, Any]:
        """Return what `search --json` prints, with as much text as is shared."""
        shown = search_object(result)
        hits: list[dict[str, Any]] = shown["results"]  # type: ignore[assignment]
        for object_, hit in zip(hits, result.hits, strict=True):
            object_["ref"] = self._keep(place_of(hit.passage))
            object_["text"] = self._text(hit.passage.text)
        return shown

    def citation(self, ref: str) -> dict[str, Any] | None:
        """Return a citation or hit of an earlier result; None where there is none of this ref."""
        place = self._citations.get(ref)
        if place is None:
            return None
        quote = place.passage.item.text[place.start : place.end]
        shown = citation_object(place) | {"ref": ref, "quote": self._text(quote)}
        whole = place.passage.text if self.share == "passages" else None
        return shown | {"passage": whole}

    def _keep(self, place: Citation) -> str:
        self._count += 1
        self._citations[ref := str(self._count)] = place
        while len(self._citations) > KEPT:
            self._citations.popitem(last=False)
        return ref

    def _text(self, text: str) -> str | None:
        if self.share == "titles":
            return None
        return text if self.share == "passages" else shortened(text)
