"""Sets whose questions need several passages."""

from __future__ import annotations

from typing import Any

from ingest.datasets.values import (
    NotAsDocumented,
    SetDocument,
    SetQuestion,
    list_of,
    member,
    text_of,
)


def hotpotqa(row: Any) -> SetQuestion:
    """Read a question of HotpotQA's JSON list; 2WikiMultiHopQA has the same form.

    `context` is [title, sentences] a passage, `supporting_facts` [title, sentence number].
    """
    passages = [_passage(one) for one in list_of(row, "context")]
    gold = {fact[0] for fact in list_of(row, "supporting_facts")}
    return SetQuestion(
        text_of(row, "_id"),
        text_of(row, "question"),
        (text_of(row, "answer"),),
        documents=tuple(passages),
        gold=tuple(place for place, one in enumerate(passages) if one.title in gold),
    )


def _passage(one: Any) -> SetDocument:
    if not isinstance(one, list) or len(one) != 2:
        raise NotAsDocumented('"context" is not a list of [title, sentences]')
    return SetDocument(str(one[0]), _joined([str(part) for part in one[1]]))


def _joined(sentences: list[str]) -> str:
    """Join sentences, with a space where neither side of a joint has one."""
    text = ""
    for sentence in sentences:
        is_apart = not text or text[-1].isspace() or sentence[:1].isspace()
        text += sentence if is_apart else f" {sentence}"
    return text


def musique(row: Any) -> SetQuestion:
    """Read a line of MuSiQue (answerable or full)."""
    paragraphs = list_of(row, "paragraphs")
    is_answerable = bool(row.get("answerable", True))
    answers = (text_of(row, "answer"), *map(str, row.get("answer_aliases", ())))
    return SetQuestion(
        text_of(row, "id"),
        text_of(row, "question"),
        answers if is_answerable else (),
        documents=tuple(
            SetDocument(text_of(one, "title"), text_of(one, "paragraph_text")) for one in paragraphs
        ),
        gold=tuple(i for i, one in enumerate(paragraphs) if one.get("is_supporting")),
        unanswerable=not is_answerable,
    )


def strategyqa(row: Any) -> SetQuestion:
    """Read a question of StrategyQA's JSON list; its `facts` are the documents."""
    answer = member(row, "answer")
    if not isinstance(answer, bool):
        raise NotAsDocumented('"answer" is not true or false')
    term, facts = text_of(row, "term"), list_of(row, "facts")
    return SetQuestion(
        text_of(row, "qid"),
        text_of(row, "question"),
        ("yes" if answer else "no",),
        documents=tuple(SetDocument(term, str(fact)) for fact in facts),
        gold=tuple(range(len(facts))),
    )


def bamboogle(row: Any) -> SetQuestion:
    """Read a row of Bamboogle's CSV; it has no documents and no ids."""
    question = text_of(row, "Question")
    return SetQuestion(question, question, (text_of(row, "Answer"),))
