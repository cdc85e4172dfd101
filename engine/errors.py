"""The engine's branch of the error tree; its root and drawing are in `models.errors`.

AskanceError
├── TimeSpent                      exit 1: the time budget ended before an answer
├── ReadingStopped                 exit 1: reading came to a standstill
└── QuestionError                  exit 2: nothing was tried
    ├── EmptyQuestion
    ├── StrategyUnknown            lists those that are built
    ├── NoSources                  no path given and none remembered
    ├── OwnAddressUnknown          "me" is asked for and no address is set
    ├── BudgetTooSmall             what was found does not fit the effort's tokens
    ├── CorpusTooLarge             all of what was read does not fit the context
    ├── PlanRefused                a plan of a computed answer makes no sense
    └── DataError                  a line of an evaluation file is not as documented
"""

from __future__ import annotations

from models.errors import AskanceError


class TimeSpent(AskanceError):
    """The time budget ended before there was an answer; half a one is not shown as whole."""

    kind = "time_spent"


class ReadingStopped(AskanceError):
    """Reading came to a standstill before its end; half of what is there is not shown as all."""

    kind = "reading_stopped"


class QuestionError(AskanceError):
    """The question cannot be asked as it stands."""

    kind = "usage"
    exit_code = 2


class EmptyQuestion(QuestionError):
    """There is no word in the question."""


class StrategyUnknown(QuestionError):
    """No strategy of this name is built."""


class NoSources(QuestionError):
    """There is nothing to read."""


class OwnAddressUnknown(QuestionError):
    """`from:me` was asked for, and nothing says who that is."""


class BudgetTooSmall(QuestionError):
    """Passages were found, and the budget holds none of them."""


class CorpusTooLarge(QuestionError):
    """A strategy wants to read everything, and the context does not hold it."""

    kind = "corpus_too_large"


class PlanRefused(QuestionError):
    """A plan is not written as one, or cannot be run."""

    kind = "plan_refused"


class DataError(QuestionError):
    """An evaluation file is not as documented."""
