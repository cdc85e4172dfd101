"""What a person typed, taken apart: operators, phrases, exclusions, dates, and bad input."""

from __future__ import annotations

import string
import time
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answer import search, understand
from engine.errors import EmptyQuestion, OwnAddressUnknown, QuestionError
from engine.events import Found
from engine.question.operators import FIELDS
from engine.question.query_language import LIMIT, Mode, parse
from engine.retrieval.constraints import constrained
from engine.retrieval.corpus import Corpus
from engine.retrieval.corpus import corpus_of as corpus_of_passages
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.values import Query
from ingest.item import Filters, Kind, Without
from tests.support.builders import documents

TODAY = date(2026, 11, 17)


def filters_of(typed: str, mode: Mode = "search", flags: Filters | None = None) -> Filters:
    return parse(f"lease {typed}", TODAY, mode, flags).filters


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("from:ann", Filters(senders=("ann",))),
        ("FROM:Ann from:bob", Filters(senders=("Ann", "bob"))),
        ('from:"Ann  Lee"', Filters(senders=("Ann Lee",))),
        ("from:\u201cAnn Lee\u201d", Filters(senders=("Ann Lee",))),
        ("-from:bob to:ann,", Filters(recipients=("ann",), without=Without(senders=("bob",)))),
        ('subject:"lease renewal"', Filters(subjects=("lease renewal",))),
        ("-subject:Re:", Filters(without=Without(subjects=("Re:",)))),
        ("in:Archive/2024", Filters(folders=("Archive/2024",))),
        ("-in:spam", Filters(without=Without(folders=("spam",)))),
        ("path:*.pdf path:report-?", Filters(path_patterns=("*.pdf", "report-?"))),
        ("-path:old", Filters(without=Without(path_patterns=("old",)))),
        ("kind:mail kind:events", Filters(kinds=frozenset({Kind.MAIL, Kind.EVENT}))),
        ("kind:mail kind:task -kind:task", Filters(kinds=frozenset({Kind.MAIL}))),
        ("-kind:mail", Filters(kinds=frozenset(Kind) - {Kind.MAIL})),
        ("has:attachment", Filters(attachments=True)),
        ("-has:attachments", Filters(attachments=False)),
        ("since:2001-04-20", Filters(since=date(2001, 4, 20))),
        ("before:2001", Filters(until=date(2001, 12, 31))),
        ('after:"last month"', Filters(since=date(2026, 10, 1))),
        ("until:yesterday", Filters(until=date(2026, 11, 16))),
        ("until:friday", Filters(until=date(2026, 11, 13))),
        ("since:today until:friday", Filters(since=TODAY, until=date(2026, 11, 20))),
        ("since:2025 since:2026", Filters(since=date(2026, 1, 1))),
        ("(from:ann)", Filters(senders=("ann",))),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["search", "ask"])
def test_operators(typed: str, wanted: Filters, mode: Mode) -> None:
    assert filters_of(typed, mode) == wanted


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "http://x.example",
            "10:30",
            "Re: lease",
            "well-known",
            "a - b",
            "x:y",
            "--since",
            "AT&T",
        ),
        *("mailfrom:ann", 'the 15" screen', "e-mail", '"', '"open', "-", '""', '-""', "- word"),
        *("from", "-(word)", "f(x)", "x(from:ann)"),
    ],
)
@pytest.mark.parametrize("mode", ["search", "ask"])
def test_what_only_looks_like_an_operator_is_text(typed: str, mode: Mode) -> None:
    query = parse(f"lease {typed}", TODAY, mode)
    assert query == Query(f"lease {typed}", asked=f"lease {typed}")


def test_phrases_and_exclusions_of_a_search() -> None:
    query = parse(' "lease  renewal" boat -draft -"old form" -2024 (“to let”) ', TODAY)
    assert query.phrases == ("lease renewal", "to let")
    assert query.excluded == ("draft", "old form", "2024")
    assert query.text == '"lease  renewal" boat (“to let”)'
    assert query.asked == '"lease  renewal" boat -draft -"old form" -2024 (“to let”)'


def test_quotes_of_a_question_are_prose() -> None:
    typed = 'What does "from:ann" mean - and the "old form" -draft of 10-12 -5 from: Ann?'
    query = parse(typed, TODAY, "ask")
    assert query.phrases == ()
    assert query.excluded == ("draft",)
    assert query.filters == Filters()
    assert query.text == 'What does "from:ann" mean - and the "old form" of 10-12 -5 from: Ann?'
    assert parse("Who wrote? from:ann.", TODAY, "ask").filters.senders == ("ann",)


def test_flags_and_operators_combine() -> None:
    flags = Filters(date(2026, 1, 1), date(2026, 6, 30), ("ann",), (), frozenset({Kind.MAIL}))
    both = filters_of("from:bob kind:event since:2026-03 until:2026-12", "search", flags)
    assert both.senders == ("ann", "bob")
    assert both.kinds == {Kind.MAIL, Kind.EVENT}
    assert (both.since, both.until) == (date(2026, 3, 1), date(2026, 6, 30))
    with pytest.raises(QuestionError, match="after"):
        filters_of("since:2026-07-01", "search", flags)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("kind:foo", "kinds are mail"),
        ("since:whenever", "no date"),
        ("since:2026-02-30", "no date"),
        ("since:last month", "since:last"),
        ("-since:2026", "turned round"),
        ("has:wheels", "has:attachment"),
        ("has:attachment -has:attachment", "and have none"),
        ("since:2026 until:2025", "after"),
        ("kind:mail -kind:mail", "No kind"),
        ('from:""', "no value"),
        ("-path:,;", "no value"),
        ("from:", "from:ann"),
        ("before:", "until:yesterday"),
    ],
)
def test_wrong_values_say_what_to_write(typed: str, said: str) -> None:
    with pytest.raises(QuestionError) as raised:
        filters_of(typed)
    assert said in str(raised.value)
    assert raised.value.remedy


@pytest.mark.parametrize(
    "typed", ["", "  ", "?!", "from:ann", '-draft -"x y" kind:mail', "\0", '"']
)
def test_nothing_to_look_for(typed: str) -> None:
    with pytest.raises(EmptyQuestion):
        parse(typed, TODAY)


def test_me_is_whoever_the_settings_say() -> None:
    typed = "lease from:me -to:me"
    query = understand(typed, None, Settings(own=("ana@example.org",)))
    assert query.filters.senders == ("ana@example.org",)
    assert query.filters.without.recipients == ("ana@example.org",)
    with pytest.raises(OwnAddressUnknown):
        understand(typed, None, Settings())


def test_today_is_the_day_of_the_settings() -> None:
    now = datetime(2020, 2, 29, 12, tzinfo=UTC)
    query = understand("lease since:yesterday", None, Settings(now=now, zone=UTC))
    assert query.filters.since == date(2020, 2, 28)


def test_what_no_model_takes_is_blanked() -> None:
    query = parse('lease\0of\udc80 "a\ud800b"', TODAY)
    assert query.text == 'lease of  "a b"'
    assert query.phrases == ("a b",)


def test_more_operators_than_a_person_types_are_refused() -> None:
    assert len(parse("lease" + " -x" * LIMIT, TODAY).excluded) == 1
    with pytest.raises(QuestionError, match="more than"):
        parse("lease" + " -x" * (LIMIT + 1), TODAY)


PIECES = st.one_of(
    st.sampled_from([*(f"{field}:" for field in FIELDS), '"', "-", " ", "\u201c", "(", "\0", "*"]),
    st.sampled_from(["yesterday", "mail", "attachment", "2026", "last month", "lease", "\ud800"]),
    st.text(max_size=5),
    st.text(string.punctuation + " a", max_size=5),
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from(["ask", "search"]))
def test_any_input_is_a_query_or_a_clear_error(typed: str, mode: Mode) -> None:
    failed = None
    try:
        query = parse(typed, TODAY, mode)
    except QuestionError as error:
        failed = error
    if failed:
        assert failed.message.encode()
        assert failed.remedy
    else:
        assert query.text.encode()
        assert query.asked == typed.strip()
        assert mode == "search" or not query.phrases


@pytest.mark.parametrize(
    "piece", ['"', '-"', "lease ", 'from:"', "-x ", '"a" ', "(", "-", "\u201c "]
)
def test_time_grows_with_the_length(piece: str) -> None:
    def seconds(size: int) -> float:
        typed = "lease " + piece * (size // len(piece))
        began = time.thread_time()
        with suppress(QuestionError):
            parse(typed, TODAY)
        return time.thread_time() - began

    assert seconds(100_000) < 50 * max(seconds(10_000), 0.001)


def corpus_of(*texts: str) -> Corpus:
    return corpus_of_passages(split(documents(texts)))


def test_phrases_and_exclusions_choose_among_the_scores() -> None:
    long = "The lease renewal is here. " + "word " * 300 + "\n\nA draft of the lease."
    corpus = corpus_of("Renewal of the lease", "A Lease-renewal, signed", long, "nothing")
    scores = corpus.recall.scores(["lease renewal", "nothing"])
    assert constrained(scores, Query("lease"), corpus) is scores
    phrase = constrained(scores, Query("x", phrases=("lease renewal",)), corpus)
    assert np.flatnonzero(phrase[0]).tolist() == [1, 2]
    assert phrase[0, 1:3].tolist() == scores[0, 1:3].tolist()
    assert not phrase[1].any()
    excluded = constrained(scores, Query("x", excluded=("Draft",)), corpus)
    assert np.flatnonzero(excluded[0]).tolist() == [0, 1]
    both = Query("x", phrases=("lease renewal", "signed"), excluded=("the lease",))
    assert np.flatnonzero(constrained(scores, both, corpus)[0]).tolist() == [1]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("boathouse", ["filea.txt", "fileb.txt"]),
        ('"boathouse lease"', ["filea.txt"]),
        ("boathouse -jetty", ["filea.txt"]),
        ('boathouse -"boathouse lease"', ["fileb.txt"]),
        ("boathouse path:fileb.*", ["fileb.txt"]),
        ("boathouse .* [a-z]+ (b|c) $^", ["filea.txt", "fileb.txt"]),
        ("boathouse " * 10_000, ["filea.txt", "fileb.txt"]),
        ('boathouse "jetty', ["fileb.txt", "filea.txt"]),
    ],
)
def test_search_keeps_to_what_was_typed(typed: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "filea.txt").write_text("The boathouse lease ends soon.")
    (tmp_path / "fileb.txt").write_text("The lease of the boathouse and of the jetty.")
    (tmp_path / "filec.txt").write_text("Salt.")
    [*_, last] = search(typed, [tmp_path], Settings(zone=UTC))
    assert isinstance(last, Found)
    assert last.result.query == typed.strip()
    paths = [hit.passage.item.locator.path for hit in last.result.hits]
    assert [path.name for path in paths] == found
