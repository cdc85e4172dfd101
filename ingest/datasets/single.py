"""Sets whose questions need one passage, or none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from ingest.datasets.values import (
    NotAsDocumented,
    SetDocument,
    SetQuestion,
    list_of,
    member,
    text_of,
)
from ingest.html.text import html_text


def nq(row: Any) -> SetQuestion:
    """Read a line of Natural Questions: simplified (with its page) or NQ-open (without one).

    Answers are token spans of `document_text`; a question that no annotator answered, not even
    with a long passage, is unanswerable. One with a long answer alone has no answer to score by.
    """
    if "document_text" not in row:
        question = text_of(row, "question")
        answers = row.get("answer", row.get("answer_and_def_correct_predictions"))
        return SetQuestion(question, question, tuple(map(str, answers or ())))
    tokens = text_of(row, "document_text").split(" ")
    answers = {a for one in list_of(row, "annotations") for a in _nq_answers(one, tokens)}
    title = " ".join(takewhile(lambda token: token not in ("-", "<H1>"), tokens))
    passages, gold = _nq_passages(row, tokens, title)
    return SetQuestion(
        str(member(row, "example_id")),
        text_of(row, "question_text"),
        tuple(sorted(answers)),
        documents=passages,
        gold=gold,
        unanswerable=not answers and not gold,
    )


def _nq_answers(one: Any, tokens: list[str]) -> set[str]:
    if one.get("yes_no_answer", "NONE") != "NONE":
        return {one["yes_no_answer"].lower()}
    spans = [(short["start_token"], short["end_token"]) for short in one["short_answers"]]
    return {_words(tokens[start:end]) for start, end in spans}


def _nq_passages(
    row: Any, tokens: list[str], title: str
) -> tuple[tuple[SetDocument, ...], tuple[int, ...]]:
    """Return the page's outermost candidates, and which of them an annotator chose."""
    chosen = {one["long_answer"]["start_token"] for one in row["annotations"]}
    spans = [
        (one["start_token"], one["end_token"])
        for one in list_of(row, "long_answer_candidates")
        if one.get("top_level", True)
    ]
    documents = tuple(SetDocument(title, _words(tokens[start:end])) for start, end in spans)
    gold = (i for i, (a, b) in enumerate(spans) if any(a <= start < b for start in chosen))
    return documents, tuple(gold)


def _words(tokens: list[str]) -> str:
    """Join tokens, without the tags of the page."""
    return " ".join(token for token in tokens if not (token[:1] == "<" and token[-1:] == ">"))


def triviaqa(row: Any, evidence: Path | None = None) -> SetQuestion:
    """Read a question of TriviaQA's `Data`; its texts lie below the folder `evidence`."""
    answer = member(row, "Answer")
    answers = dict.fromkeys([text_of(answer, "Value"), *map(str, answer.get("Aliases", ()))])
    return SetQuestion(
        text_of(row, "QuestionId"),
        text_of(row, "Question"),
        tuple(answers),
        documents=tuple(_evidence(row, evidence)) if evidence else (),
    )


def _evidence(row: Any, folder: Path) -> Iterator[SetDocument]:
    """Yield the texts of a question that exist; some pages were never fetched."""
    for kind, below in (("EntityPages", "wikipedia"), ("SearchResults", "web")):
        for page in row.get(kind, ()):
            file = folder / below / text_of(page, "Filename")
            if file.resolve().is_relative_to(folder.resolve()) and file.is_file():
                yield SetDocument(text_of(page, "Title"), file.read_text("utf-8", "replace"))


def popqa(row: Any) -> SetQuestion:
    """Read a row of PopQA's TSV; it has no documents. `possible_answers` is a JSON list."""
    answers = _json_list(text_of(row, "possible_answers"), "possible_answers")
    return SetQuestion(text_of(row, "id"), text_of(row, "question"), tuple(map(str, answers)))


def _json_list(text: str, field: str) -> list[Any]:
    """Return a list that the row keeps as text."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise NotAsDocumented(f'"{field}" is not JSON') from error
    if not isinstance(found, list):
        raise NotAsDocumented(f'"{field}" is not a list')
    return found


def pubmedqa(pmid: str, row: Any) -> SetQuestion:
    """Read an article of PubMedQA's JSON object; the answer is yes, no or maybe."""
    text = "\n".join(map(str, list_of(row, "CONTEXTS")))
    return SetQuestion(
        pmid,
        text_of(row, "QUESTION"),
        (text_of(row, "final_decision"),),
        documents=(SetDocument(f"PMID {pmid}", text),),
        gold=(0,),
    )


def crag(row: Any) -> SetQuestion:
    """Read a line of CRAG; the pages that a search found are its documents, as text.

    A question with a false premise ("invalid question") is unanswerable.
    """
    answer = text_of(row, "answer")
    others = row.get("alt_ans", row.get("alternative_answers")) or ()
    if isinstance(others, str):  # the sample that comes with the code has a list as text
        others = _json_list(others, "alt_ans")
    is_invalid = answer.strip().lower() == "invalid question"
    pages = [
        SetDocument(
            one.get("page_name") or one.get("page_url", ""), html_text(one["page_result"])[0]
        )
        for one in list_of(row, "search_results")
        if one.get("page_result")
    ]
    return SetQuestion(
        text_of(row, "interaction_id"),
        text_of(row, "query"),
        () if is_invalid else (answer, *map(str, others)),
        documents=tuple(pages),
        unanswerable=is_invalid,
    )
