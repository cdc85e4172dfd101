"""The command line's branch of the error tree; its root and drawing are in `models.errors`.

AskanceError
├── UsageError                     exit 2: nothing was tried
│   ├── NotBuilt                   a command, flag or setting that a later version brings
│   ├── NoTerminal                 the screen needs one
│   ├── SourceMissing              no source is there
│   └── ConfigError
│       ├── SettingUnknown         names the nearest known key
│       ├── SettingWrong           type or range
│       └── ConfigUnreadable       not TOML, or not permitted
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


class NotBuilt(UsageError):
    """The contract names it and this version does not have it yet."""

    kind = "not_built"


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
