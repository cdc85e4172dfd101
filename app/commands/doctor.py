"""`askance doctor`: what this installation can do, and what to do about the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from app.commands.shared.options import json_option
from app.doctor import Check, examine, servers_found
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import one_line


@click.command("doctor")
@click.option(
    "--privacy",
    is_flag=True,
    help="Prove on this machine that nothing is left on disk and no network is reached.",
)
@click.option(
    "--servers", is_flag=True, help="Look for model servers on this machine, and for nothing else."
)
@json_option
def command(privacy: bool, servers: bool, as_json: bool) -> int:
    """Check what works here, and say what to do about the rest.

    It opens no source, and uses the network only to ask a server that you have set. With
    --servers it asks the ports where llama-server, Ollama, LM Studio and vLLM listen on this
    machine for their models.

    With --privacy, it runs the program over planted files and searches what the program wrote.
    Exit code 4: a model is missing. Exit code 1: something else is missing, or a promise of
    privacy does not hold here.
    """
    checks = list(_proved() if privacy else servers_found() if servers else examine())
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{check.state:<8}{check.name:<{width}}  {one_line(check.detail)}")
            if check.remedy:
                click.echo(f"{'':<{width + 10}}{one_line(check.remedy)}")
    missing = {check.name.split()[0] for check in checks if check.state == "missing"}
    if not (as_json or privacy or servers):
        lacking = f"Missing, see above: {', '.join(sorted(missing))}."
        click.echo(f"\n{lacking if missing else 'Everything that a question needs is here.'}")
    if "model" in missing:
        return ExitCode.MODEL
    return ExitCode.FAILED if missing else ExitCode.ANSWERED


def _proved() -> Iterator[Check]:
    from app.privacy.check import prove

    return prove()
