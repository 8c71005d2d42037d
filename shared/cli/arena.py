"""``banakil arena``: policies of bots against each other."""

from contextlib import closing
from time import process_time
from typing import TYPE_CHECKING, Annotated

import typer

from shared.cli.answers import json_line
from shared.cli.bench_rules import REFERENCE_STEPS, reference_loop
from shared.rules.option_text import parse_option
from shared.rules.options import Options, OptionValue, make_options
from shared.rules.refusal import RecordError

if TYPE_CHECKING:
    from services.bots.arena.contest import Contest, Pair
    from services.bots.arena.statistics import Sprt

MOST_PAIRS = 1_000_000
WORTH_HAVING = 1.0
"""Points a deal: what the sequential test asks for, if nothing is said."""


def arena_command(  # noqa: PLR0913, PLR0917  # a command line has as many options as it needs
    a: Annotated[str, typer.Option(help="A policy.")],
    b: Annotated[str, typer.Option(help="The policy that it plays against.")],
    pairs: Annotated[int, typer.Option(help="Pairs of games, at the most.", min=1, max=MOST_PAIRS)] = 100,
    preset: Annotated[str, typer.Option(help="sahrat or banakil202.")] = "sahrat",
    mode: Annotated[str, typer.Option(help="partners or duel.")] = "partners",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option that differs; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the cards: the same seed deals the same.")] = 1,
    partner: Annotated[str | None, typer.Option(help="A policy that sits opposite both.")] = None,
    playouts: Annotated[
        int | None,
        typer.Option(help="Play-outs for a decision of `expert`, in place of its time.", min=1, max=10_000),
    ] = None,
    matches: Annotated[bool, typer.Option("--matches", help="Play whole matches, not single deals.")] = False,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop once it is clear whether A gains or not.")] = False,
    gain: Annotated[float, typer.Option(help="The gain that --sprt asks for, in points a deal.", min=0.01)] = (
        WORTH_HAVING
    ),
    jobs: Annotated[int, typer.Option(help="Processes.", min=1, max=64)] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Have two policies play each other: each deal, or match, is played twice with the teams exchanged.

    Points are a deal's, A's team less B's, with the 95% interval of the pairs' mean. With equal arguments the same is
    played again, but for policies that go by a clock.
    """
    from services.bots.arena.contest import Contest  # noqa: PLC0415  # the policies are for this command alone
    from services.bots.arena.report import report  # noqa: PLC0415
    from services.bots.arena.statistics import Sprt  # noqa: PLC0415
    from services.bots.policies.registry import policy_named  # noqa: PLC0415

    try:
        for name in (a, b, *([] if partner is None else [partner])):
            policy_named(name)
        options = _options(preset, mode, changes or [])
    except (KeyError, RecordError) as error:
        raise typer.BadParameter(str(error.args[0])) from None
    contest = Contest(options, a, b, seed, partner, playouts, matches)
    test = Sprt(0.0, gain) if sprt else None
    figures = report(contest, _played(contest, pairs, jobs, test), _reference(), test)
    if as_json:
        print(json_line(figures))
        return
    for what, value in figures.items():
        print(f"{what}: {value}")


def _played(contest: "Contest", pairs: int, jobs: int, test: "Sprt | None") -> "list[Pair]":
    """The pairs that were played, up to the test's verdict where there is one."""
    from services.bots.arena.contest import play_pairs  # noqa: PLC0415

    played: list[Pair] = []
    points: list[float] = []
    with closing(play_pairs(contest, pairs, jobs)) as playing:
        for pair in playing:
            played.append(pair)
            points.append(pair.points)
            if test is not None and test.verdict(points) is not None:
                break
    return played


def _reference() -> float:
    """Steps of the reference loop in a second of the processor's own time, as decisions are timed."""
    began = process_time()
    reference_loop(REFERENCE_STEPS)
    return REFERENCE_STEPS / (process_time() - began)


def _options(preset: str, mode: str, changes: list[str]) -> Options:
    values: dict[str, OptionValue] = {"preset": preset, "mode": mode}
    for word in changes:
        name, value = parse_option(word)
        values[name] = value
    return make_options(values)
