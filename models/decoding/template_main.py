"""Renders one chat template and ends. Run as a script, never imported.

A template is a program that came with a model file. jinja2's sandbox keeps it away from Python's
internals, but not from looping for ever or filling memory: here the kernel ends it. The template
sees placeholders only; no word of a mail gets here.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

MEMORY = 512 << 20
CPU_SECONDS = 2


class Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks replies for training; ignored here."""

    tags = {"generation"}  # noqa: RUF012 -- jinja2's own form

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return what the marks enclose."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def limit() -> None:
    """Have the kernel end a template that takes too much; on Windows the parent's timeout does."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform != "darwin":  # which refuses this one
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def refuse(reason: str) -> None:
    """Do what a template's `raise_exception` asks for."""
    raise TemplateError(reason)


def render(source: str, values: dict[str, object]) -> str:
    """Return the text. Raises what jinja2 raises."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.globals.update(
        raise_exception=refuse,
        strftime_now=lambda form: datetime.now().astimezone().strftime(form),
    )
    return environment.from_string(source).render(values)


def main() -> None:
    """Read a template and its values as JSON, write the text or what is wrong as JSON."""
    asked = json.load(sys.stdin)
    limit()
    try:
        said = {"text": render(asked["source"], asked["values"])}
    except MemoryError:
        said = {"error": f"it takes more than {MEMORY >> 20} MB"}
    except RecursionError:
        said = {"error": "it calls itself without end"}
    except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        said = {"error": str(error) or type(error).__name__}
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
