"""``banakil bench``: how fast things are here."""

from typing import Annotated

import typer

from shared.cli.bench_rules import run

bench_app = typer.Typer(no_args_is_help=True, help="Measure how fast things are on this machine.")


@bench_app.callback()
def bench() -> None:
    """Measure how fast things are on this machine."""


@bench_app.command("rules")
def bench_rules(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object in place of a table.")] = False,
) -> None:
    """Play recorded deals through the rules core, beside a plain loop in the same run."""
    run(json_output=as_json)
