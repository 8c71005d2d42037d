"""``banakil bench``: how fast things are here."""

import json
from typing import Annotated, Any

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


@bench_app.command("table")
def bench_table(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    actions: Annotated[int, typer.Option(help="Actions to measure.", min=200, max=1_000_000)] = 10_000,
) -> None:
    """Play tables over gRPC, all seats watching, beside a bare gRPC echo in the same run."""
    import uvloop  # noqa: PLC0415  # the services take a second to import

    from services.allinone.bench_table import measure  # noqa: PLC0415

    _show(uvloop.run(measure(actions)), as_json=as_json)


@bench_app.command("ledger")
def bench_ledger(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    seconds: Annotated[float, typer.Option(help="How long each turn is.", min=0.2, max=600)] = 5,
    rounds: Annotated[int, typer.Option(help="Turns of each kind.", min=1, max=100)] = 3,
) -> None:
    """Move coins by 64 writers at once, beside pgbench and bare commits in the same run."""
    import uvloop  # noqa: PLC0415

    from services.allinone.bench_ledger import measure  # noqa: PLC0415

    _show(uvloop.run(measure(seconds, rounds)), as_json=as_json)


def _show(figures: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(f"{name}: {values}")
