"""Which stages of `auto` run for a question on this machine, and why: one rule a stage.

Each rule looks at `Facts` alone and returns a `Decided`, whose reason `--explain` shows. A rule
names what was measured for it (docs/decisions.md), or says that it is a judgement: what costs more
then waits for a higher effort, or until what is cheaper has found nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engine.events import Choice, Decided
from engine.routes.facts import Facts
from engine.routes.labels import Classified

When = Literal["auto", "always", "never"]
"""A stage runs by its rule, or as the person or a study says."""
WhenLooking = Literal["auto", "always", "late", "never"]
"""Late: not before the first reading, and behind it by its rule."""

UNKNOWN_SHARE = 0.5
"""Share of a question's words that occur nowhere from which others are looked for: a judgement. The
20 questions measured lie above it by design, so no other share was compared."""
AGREED = 0.5
"""Share of look-ahead samples that must be alike for a vote to be settled: more than half, a
judgement. No other share was measured."""

_NO_SECOND_LOOK = "only thorough effort looks for what is missing: that seldom finds it"


def by_request(stage: Choice, when: WhenLooking) -> Decided | None:
    """Return the decision of a person or a study; None leaves it to the rule."""
    if when == "auto":
        return None
    return Decided(stage, when == "always", f"asked for by the strategy's parameter ({when})")


def route(found: Classified | None, personal: bool) -> Decided:
    """Summaries, keys and computations have ways of their own, where words and grammar say so.

    These settled 159 of 235 labelled questions, all of them right, and the rest were ordinary ones;
    the small model alone was right on 14 of 40, so it is not asked.
    """
    if not personal:
        return Decided("route", False, "a data set's question is asked as its paper asks it")
    if found is None or found.label == "question":
        return Decided("route", False, "neither a summary, a key nor a computation by its words")
    return Decided("route", True, f"its words ask for: {found.label.replace('_', ' ')}")


def expand(unknown: Sequence[str], words: Sequence[str]) -> Decided:
    """Other words are looked for where half of the question's occur nowhere.

    That lifts recall@5 where the question is in another language than the files (0.20 to 0.90, 10
    questions) or in other words (0.00 to 0.30, 10 questions), all of them made for this.
    """
    share = len(unknown) / len(words) if words else 0.0
    known = f"{len(words) - len(unknown)} of {len(words)} words of the question occur"
    if share >= UNKNOWN_SHARE:
        return Decided("expand", True, f"only {known} in what was read")
    return Decided("expand", False, f"{known} in what was read")


def follow(titles: Sequence[str]) -> Decided:
    """Documents that the best passages or the question name by their titles are read, too.

    That lifts the share of the evidence within 1,200 tokens from 0.73 to 0.83 (600 questions of
    second halves, four sets) and takes some milliseconds. Over mail, chats and papers no title is
    named, and nothing changes.
    """
    if not titles:
        return Decided("follow titles", False, "no document is named by title or file name")
    count = len(titles)
    what = "a document is" if count == 1 else f"{count} documents are"
    return Decided("follow titles", True, f"{what} named by title or file name")


def weigh(installed: bool) -> Decided:
    """What is read on is chosen by words of the same meaning, too, where a sparse encoder is here.

    Of the first reading it changed as many answers for the worse.
    """
    if not installed:
        return Decided("weigh words", False, "no sparse encoder is installed")
    return Decided("weigh words", True, "a passage may say it in other words")


def embed(facts: Facts, other_words: bool) -> Decided:
    """An encoder ranks where the question's words are not those of the files.

    Plain MiniLM beside BM25 lifts recall@2 (by 0.057, 120 questions) and not the answers (F1 lower
    by 0.05, 120 questions; by 0.17 where the question names its source). `other_words`: recall had
    to look for others than the question's.
    """
    if not facts.encoder:
        return Decided("embed", False, "no encoder is installed")
    if facts.effort == "quick":
        return Decided("embed", False, "it takes seconds, and the effort is quick")
    if facts.fitting >= facts.found:
        return Decided("embed", False, _all_fits(facts))
    if not other_words:
        return Decided("embed", False, "behind it answers were no better where words are shared")
    return Decided("embed", True, f"{_some_fit(facts)}, and the question has other words")


def look_ahead(facts: Facts) -> Decided:
    """The small model's samples choose passages where there is a choice to make.

    They lift recall@5 (0.70 to 0.78, 120 questions) at three times the tokens and five times the
    seconds of an answer without; F1 did not follow (+0.01). That they are spared where everything
    fits, where one passage stands alone, and at `quick` is a judgement by that cost. A model that
    looks ahead for itself reads no cheaper: to wait until an answer is missing left F1 the same
    (0.000 [-0.071, +0.071], 42 questions of first halves) and read 871 tokens for 2,375.
    """
    if not facts.found:
        return Decided("look ahead", False, "nothing was found")
    if facts.effort == "quick":
        return Decided("look ahead", False, "it triples the tokens, and the effort is quick")
    if not facts.fitting:
        return Decided("look ahead", False, "not one passage fits the tokens whole")
    if facts.tokens_left < facts.lookahead_tokens + facts.writing_tokens:
        return Decided("look ahead", False, f"{facts.tokens_left:,} tokens are left, too few")
    if _too_slow(facts):
        return Decided(
            "look ahead",
            False,
            f"with the answer it takes about {facts.lookahead_seconds:.0f} s here, and "
            f"{facts.seconds_left:.0f} s are left",
        )
    if facts.one_model and facts.effort != "thorough":
        return Decided("look ahead", False, "one model plays both roles: it reads no cheaper ahead")
    if facts.several:
        return Decided("look ahead", True, "the question may need more than one passage")
    if facts.fitting >= facts.found:
        return Decided("look ahead", False, _all_fits(facts))
    if facts.leaders == 1:
        return Decided("look ahead", False, "one passage is far ahead of all others")
    return Decided("look ahead", True, f"{_some_fit(facts)}, and none is far ahead")


def look_ahead_first(facts: Facts) -> Decided:
    """A person's question is read first. The small model looks ahead where that leaves it unsure.

    A short reading is seen after half the seconds, and is sure of most questions.
    """
    if not facts.found:
        return Decided("look ahead", False, "nothing was found")
    return Decided("look ahead", False, "the best passages are read first")


def read_on(facts: Facts, fresh: int) -> Decided:
    """An unsure reading goes on with the next best passages, whose beginning is kept."""
    if not fresh:
        return Decided("read on", False, "all that was found has been read")
    if facts.tokens_left < facts.writing_tokens:
        return Decided("read on", False, f"{facts.tokens_left:,} tokens are left, too few")
    return Decided("read on", True, f"the first reading is unsure: {fresh} passages more")


def read_about(facts: Facts, lacking: Sequence[str], fresh: int) -> Decided:
    """A comparison goes on with passages about the options that what was read does not tell."""
    if not fresh:
        return Decided("read about", False, "nothing else was found about what is compared")
    if facts.tokens_left < facts.writing_tokens:
        return Decided("read about", False, f"{facts.tokens_left:,} tokens are left, too few")
    return Decided("read about", True, f"not known yet of {len(lacking)} of what is compared")


def read_later(facts: Facts, later: int, denies_well: bool) -> Decided:
    """What was written behind an answer's source in its chat or thread may change it.

    Mostly it does not. `denies_well`: the model was trained to say so.
    """
    if not denies_well:
        why = "this model does not tell well that no passage holds an answer"
        return Decided("read later", False, why)
    if not later:
        return Decided("read later", False, "nothing was written later in a chat or thread of it")
    if facts.effort == "quick":
        return Decided("read later", False, "quick effort has one reading")
    if facts.tokens_left < facts.writing_tokens:
        return Decided("read later", False, f"{facts.tokens_left:,} tokens are left, too few")
    return Decided("read later", True, "what was written later in its chat or thread may change it")


def look_ahead_after_all(facts: Facts, looked: bool, unread: int, missing: bool = True) -> Decided:
    """Where the answer is missing, it may stand in passages that the question's words miss.

    `unread` are the passages that the generator has not read; `missing` says whether it would
    abstain. Behind an answer that is only unsure, looking ahead made it worse: right 0.23 for 0.32
    and twice the seconds, 44 questions of four sets. Where one is missing it seldom finds it: with
    `again`, 1 of 26 (500 questions of five sets) in four times the seconds, so only `thorough`
    looks further.
    """
    if not unread:
        return Decided("look ahead", False, "all that was found has been read")
    if looked or not facts.found:
        why = "it has been done" if looked else "nothing was found"
        return Decided("look ahead", False, why)
    if facts.effort != "thorough":
        return Decided("look ahead", False, _NO_SECOND_LOOK)
    if not missing:
        return Decided("look ahead", False, "there is an answer, which it made no surer")
    if not facts.fitting:
        return Decided("look ahead", False, "not one passage fits the tokens whole")
    if facts.tokens_left < facts.lookahead_tokens + facts.writing_tokens:
        return Decided("look ahead", False, f"{facts.tokens_left:,} tokens are left, too few")
    if _too_slow(facts):
        return Decided("look ahead", False, "the time that is left is too short")
    return Decided("look ahead", True, "what was read leaves the answer unsure")


def compress(facts: Facts) -> Decided:
    """Passages are cut to their best sentences where whole ones have no room.

    Where none fits there is no other way. More passages, cut, are no better than fewer whole ones:
    what `thorough` read so was right on 0.39 of 465 questions, and the plain arm on 0.44.
    """
    if facts.found and not facts.fitting:
        return Decided("compress", True, "not one passage fits the tokens whole")
    if facts.fitting >= facts.found:
        return Decided("compress", False, _all_fits(facts))
    return Decided("compress", False, f"{_some_fit(facts)} whole, and that answers better")


def vote(facts: Facts, agreement: float | None) -> Decided:
    """ET2RAG's readings vote where the samples of looking ahead disagree.

    By themselves votes gained nothing: F1 -0.02 and +0.05 against one reading, neither surely (120
    questions, two budgets). That they help where samples disagree is a judgement: only `thorough`
    pays for it, since a vote also says whether readings contradict each other.
    """
    if facts.effort != "thorough":
        return Decided("vote", False, "votes gained nothing measured: only thorough effort has one")
    if facts.fitting < 2:
        return Decided("vote", False, "there is one reading of one passage")
    if agreement is None:
        return Decided("vote", False, "nothing speaks for a contradiction: no samples were drawn")
    if agreement > AGREED:
        return Decided("vote", False, f"{agreement:.0%} of the samples already agree")
    return Decided("vote", True, f"only {agreement:.0%} of the samples agree")


def again(facts: Facts, needed: int | None, unread: int) -> Decided:
    """Missing evidence is looked for by sub-questions or by another question, or not at all.

    `needed` are the tokens of the smallest further look; None where nothing more can be found.
    Steps may lead further over passages that were read; another question finds no others there,
    and a second reading of the same ones gave 2 of 20 questions without an answer a wrong one.
    `look_ahead_after_all` says why only `thorough` looks again. It is one look, whose rounds are as
    many as the tokens that are left hold; what is left behind it goes unused.
    """
    stage: Choice = "sub-questions" if facts.several else "rewrite"
    if not unread and not facts.several:
        return Decided(stage, False, "all passages there are have been read")
    if facts.effort != "thorough":
        return Decided(stage, False, _NO_SECOND_LOOK)
    if not facts.fitting:
        return Decided(stage, False, "not one passage fits the tokens whole")
    if needed is None:
        return Decided(stage, False, "nothing was found that could lead further")
    if needed > facts.tokens_left:
        left = max(0, facts.tokens_left)
        return Decided(stage, False, f"it takes {needed:,} tokens, and {left:,} are left")
    if facts.seconds_left is not None and facts.seconds_left <= 0:
        return Decided(stage, False, "the time is spent")
    if facts.several:
        return Decided(stage, True, "what was read holds no answer to a question of several steps")
    return Decided(stage, True, "what was read holds no answer: the question is put otherwise")


def _too_slow(facts: Facts) -> bool:
    if facts.seconds_left is None or facts.lookahead_seconds is None:
        return False
    return facts.lookahead_seconds > facts.seconds_left


def _all_fits(facts: Facts) -> str:
    read = "the one passage" if facts.found == 1 else f"all {facts.found} passages"
    return f"{read} worth reading fit{'s' * (facts.found == 1)} the tokens: nothing to choose"


def _some_fit(facts: Facts) -> str:
    return f"{facts.fitting} of {facts.found} passages worth reading fit the tokens"
