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


@bench_app.command("table")
def bench_table(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    actions: Annotated[int, typer.Option(help="Actions to measure.", min=200, max=1_000_000)] = 10_000,
) -> None:
    """Play tables over gRPC, all seats watching, beside a bare gRPC echo in the same run."""
    import json  # noqa: PLC0415  # the services take a second to import

    import uvloop  # noqa: PLC0415

    from services.allinone.bench_table import measure  # noqa: PLC0415

    figures = uvloop.run(measure(actions))
    if as_json:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(f"{name}: {values}")
