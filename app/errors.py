"""The command line's branch of the error tree; its root and drawing are in `models.errors`.

AskanceError
├── UsageError                     exit 2: nothing was tried
│   ├── NoTerminal                 the screen needs one
│   ├── SourceMissing              no source is there
│   └── ConfigError
│       ├── SettingUnknown         names the nearest known key
│       ├── SettingWrong           type or range
│       └── ConfigUnreadable       not TOML, or not permitted
├── MemoryRanOut                   exit 1: of the program itself, not of a model
├── NotOpened                      exit 1: no program shows a source
├── NotExported                    exit 1: a conversation was not written
└── ConfigNotWritten               exit 1: the file is as it was
"""

from __future__ import annotations

from models.errors import AskanceError


class UsageError(AskanceError):
    """The command cannot run as it was typed or configured."""

    kind = "usage"
    exit_code = 2


class NoTerminal(UsageError):
    """The screen was asked for where there is no terminal."""

    kind = "no_terminal"


class SourceMissing(UsageError):
    """None of the sources exists, or a path to remember does not."""

    kind = "source_missing"


class ConfigError(UsageError):
    """The settings cannot be used as they stand."""

    kind = "config"


class SettingUnknown(ConfigError):
    """No setting has this name."""

    kind = "setting_unknown"


class SettingWrong(ConfigError):
    """The value of a setting has the wrong type or lies out of range."""

    kind = "setting_wrong"


class ConfigUnreadable(ConfigError):
    """The configuration file is not TOML or may not be read."""

    kind = "config_unreadable"


class ConfigNotWritten(AskanceError):
    """The configuration file could not be changed; it is as it was."""

    kind = "config_not_written"


class NotOpened(AskanceError):
    """A source was not opened in a program of its own."""

    kind = "not_opened"


class NotExported(AskanceError):
    """A conversation was not written to a file."""

    kind = "not_exported"


NO_THREAD = "can't start new thread"
"""What Python says where memory does not hold the stack of one more thread."""


class MemoryRanOut(AskanceError):
    """There was no memory left for the program itself."""

    kind = "memory"

    def __init__(self) -> None:
        """Say what to do."""
        remedy = "Close other programs, or read fewer files at once; then ask again."
        super().__init__("Memory ran out.", remedy=remedy)


def is_memory_spent(error: MemoryError | RuntimeError) -> bool:
    """Say whether an error of Python means that memory ran out."""
    return isinstance(error, MemoryError) or str(error) == NO_THREAD
