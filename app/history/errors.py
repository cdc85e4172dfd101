"""What can go wrong with kept conversations. The root of the tree is in `models.errors`.

AskanceError
└── HistoryError                   exit 1; an answer is given all the same
    ├── HistoryOff                 exit 2: nothing is kept, and it was asked for
    ├── ConversationUnknown        exit 2: no kept conversation has this id
    ├── ConversationUnreadable     exit 2: an exported file is not as documented
    ├── HistoryUnavailable         what encrypts it is not installed
    ├── KeyClosed                  the keyring does not open, or nobody can be asked
    ├── WrongKey                   the passphrase, or what the keyring has, does not fit
    ├── HistoryBusy                another Askance is writing to it
    ├── HistoryDamaged             not a database any more
    ├── HistoryNewer               written by a newer version
    └── HistoryNotWritten          disk full, not permitted; what was kept is as it was
"""

from __future__ import annotations

from models.errors import AskanceError


class HistoryError(AskanceError):
    """Kept conversations cannot be used as was asked."""

    kind = "history"


class HistoryOff(HistoryError):
    """History was asked for, and it is off."""

    kind = "history_off"
    exit_code = 2


class ConversationUnknown(HistoryError):
    """No conversation, or more than one, has this id."""

    kind = "conversation_unknown"
    exit_code = 2


class ConversationUnreadable(HistoryError):
    """A file holds no exported conversation."""

    kind = "conversation_unreadable"
    exit_code = 2


class HistoryUnavailable(HistoryError):
    """The packages that encrypt it are not installed."""

    kind = "history_unavailable"


class KeyClosed(HistoryError):
    """The key cannot be had now."""

    kind = "history_key"


class WrongKey(HistoryError):
    """The key does not open this history."""

    kind = "history_wrong_key"


class HistoryBusy(HistoryError):
    """Somebody else is writing to it."""

    kind = "history_busy"


class HistoryDamaged(HistoryError):
    """The file is no database, or is damaged inside."""

    kind = "history_damaged"


class HistoryNewer(HistoryError):
    """A newer version of the program wrote it."""

    kind = "history_newer"


class HistoryNotWritten(HistoryError):
    """Nothing could be written; what was kept is as it was."""

    kind = "history_not_written"
