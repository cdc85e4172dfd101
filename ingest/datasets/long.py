"""Sets whose questions are about one long text."""

from __future__ import annotations

from collections.abc import Iterator
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


def qasper(arxiv: str, paper: Any) -> Iterator[SetQuestion]:
    """Read the questions of a paper of Qasper's JSON object; its paragraphs are the documents."""
    paragraphs = [text_of(paper, "abstract")]
    paragraphs += [p for section in list_of(paper, "full_text") for p in section["paragraphs"]]
    texts = [text for text in dict.fromkeys(paragraphs) if text.strip()]
    documents = tuple(SetDocument(arxiv, text) for text in texts)
    for asked in list_of(paper, "qas"):
        given = [member(one, "answer") for one in list_of(asked, "answers")]
        answers = dict.fromkeys(a for one in given for a in _qasper_answer(one))
        evidence = {text for one in given for text in one.get("evidence", ())}
        yield SetQuestion(
            text_of(asked, "question_id"),
            text_of(asked, "question"),
            tuple(answers),
            documents=documents,
            gold=tuple(place for place, text in enumerate(texts) if text in evidence),
            unanswerable=not answers,
        )


def _qasper_answer(one: Any) -> list[str]:
    if one.get("unanswerable"):
        return []
    if one.get("extractive_spans"):
        return [", ".join(one["extractive_spans"])]
    if one.get("free_form_answer"):
        return [str(one["free_form_answer"])]
    return [] if one.get("yes_no") is None else ["yes" if one["yes_no"] else "no"]


def quality(row: Any) -> Iterator[SetQuestion]:
    """Read the questions of an article of QuALITY; `gold_label` counts from 1."""
    article = text_of(row, "article")
    text = html_text(article)[0] if article.lstrip()[:1] == "<" else article
    document = SetDocument(f"{text_of(row, 'title')} ({row.get('author', '')})", text)
    for asked in list_of(row, "questions"):
        options, label = list_of(asked, "options"), asked.get("gold_label")
        if not isinstance(label, int) or not 1 <= label <= len(options):
            raise NotAsDocumented('"gold_label" is not the number of an option (test has none)')
        yield SetQuestion(
            text_of(asked, "question_unique_id"),
            text_of(asked, "question"),
            (str(options[label - 1]),),
            documents=(document,),
            gold=(0,),
            options=tuple(map(str, options)),
            answer_index=label - 1,
        )


def qmsum(number: int, row: Any) -> Iterator[SetQuestion]:
    """Read the queries of a meeting of QMSum's JSON lines, which have no ids."""
    said = list_of(row, "meeting_transcripts")
    text = "\n".join(f"{text_of(one, 'speaker')}: {text_of(one, 'content')}" for one in said)
    document = SetDocument(f"Meeting {number}", text)
    for kind in ("general", "specific"):
        for place, asked in enumerate(list_of(row, f"{kind}_query_list"), start=1):
            yield SetQuestion(
                f"{number}-{kind}-{place}",
                text_of(asked, "query"),
                (text_of(asked, "answer"),),
                mode="summary",
                documents=(document,),
                gold=(0,),
            )


SUMMARISE = "Summarise the text."
"""The question of a row that has no question of its own."""


def longbench(row: Any) -> SetQuestion:
    """Read a line of LongBench: of version 1, or of version 2, which gives choices."""
    i, text = text_of(row, "_id"), text_of(row, "context")
    if "choice_A" in row:
        options = tuple(text_of(row, f"choice_{letter}") for letter in "ABCD")
        return _chosen(i, text_of(row, "question"), text, options, text_of(row, "answer"))
    answers = tuple(map(str, list_of(row, "answers")))
    part = str(row.get("dataset", ""))
    is_summary = part in ("qmsum", "gov_report", "multi_news", "vcsum", "samsum")
    return SetQuestion(
        i,
        text_of(row, "input") or SUMMARISE,
        answers,
        mode="summary" if is_summary else "any",
        documents=(SetDocument(f"{part or 'LongBench'} {i}", text),),
        part=part,
    )


def infinitebench(row: Any) -> SetQuestion:
    """Read a line of a file of InfiniteBench; its books and scripts are in `context`."""
    i = str(member(row, "id"))
    text = text_of(row, "context")
    question = text_of(row, "input") or SUMMARISE
    answer = member(row, "answer")
    answers = [str(one) for one in answer] if isinstance(answer, list) else [str(answer)]
    options = tuple(map(str, row.get("options") or ()))
    if options:
        return _chosen(i, question, text, options, answers[0])
    return SetQuestion(
        i, question, tuple(answers), documents=(SetDocument(f"InfiniteBench {i}", text),)
    )


def _chosen(i: str, question: str, text: str, options: tuple[str, ...], answer: str) -> SetQuestion:
    """Return a question with choices; the answer is an option, or its letter."""
    letters = "ABCDEFGH"[: len(options)]
    place = options.index(answer) if answer in options else letters.find(answer)
    if place < 0:
        raise NotAsDocumented(f'"answer" is none of the {len(options)} options, nor its letter')
    document = SetDocument(f"text of {i}", text)
    return SetQuestion(
        i, question, (options[place],), documents=(document,), options=options, answer_index=place
    )


ADVERSARIAL = 5
"""LoCoMo's category of questions that the conversation does not answer."""


def locomo(number: int, row: Any) -> Iterator[SetQuestion]:
    """Read the questions of a conversation of LoCoMo; each dated session is a document."""
    talk = row.get("conversation", row)
    name = str(row.get("sample_id", number))
    sessions = [key for key in talk if key.startswith("session_") and isinstance(talk[key], list)]
    sessions = [key for key in sessions if key.removeprefix("session_").isdigit()]
    documents = tuple(_session(talk, name, key) for key in sessions)
    place_of = {key.removeprefix("session_"): place for place, key in enumerate(sessions)}
    for count, asked in enumerate(list_of(row, "qa"), start=1):
        marks = [mark for part in asked.get("evidence", ()) for mark in _marks(str(part))]
        turns = [
            (place_of[session], mark)
            for mark in marks
            if (session := mark.partition(":")[0].removeprefix("D")) in place_of
        ]
        is_adversarial = asked.get("category") == ADVERSARIAL
        yield SetQuestion(
            f"{name}-{count}",
            text_of(asked, "question"),
            () if is_adversarial else (str(member(asked, "answer")),),
            documents=documents,
            turns=tuple(turns),
            unanswerable=is_adversarial,
        )


def _marks(evidence: str) -> list[str]:
    """Return the turns that one piece of evidence names: most name one, some several."""
    return [part for part in evidence.replace(";", " ").replace(",", " ").split() if ":" in part]


def _session(talk: Any, name: str, key: str) -> SetDocument:
    turns = []
    for turn in talk[key]:
        seen = f" [shows: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        words = f"{text_of(turn, 'speaker')}: {turn.get('text') or turn.get('clean_text') or ''}"
        turns.append(f"[{text_of(turn, 'dia_id')}] {words}{seen}")
    when = talk.get(f"{key}_date_time", "")
    return SetDocument(f"{name} {key.replace('_', ' ')} ({when})", "\n".join(turns))
