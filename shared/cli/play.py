"""``banakil play``: a match of house bots, live in the terminal."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from shared.cli.words import WORDS, Lang
from shared.rules.match import MatchState
from shared.rules.options import preset_options
from shared.rules.refusal import RecordError

if TYPE_CHECKING:
    from banakil.table.v1.views_pb2 import View
    from rich.console import RenderableType


def play_command(
    preset: Annotated[str, typer.Option(help="sahrat or banakil202.")] = "sahrat",
    mode: Annotated[str, typer.Option(help="partners or duel.")] = "partners",
    pace: Annotated[float, typer.Option(help="Divides all waits of the game.", min=0.001, max=1_000_000)] = 4.0,
    lang: Annotated[Lang, typer.Option(help="Language of the words.")] = Lang.ENGLISH,
) -> None:
    """Watch house bots play a match over the real services, on a platform of its own that is gone afterwards."""
    try:
        preset_options(preset, mode)
    except RecordError as error:
        raise typer.BadParameter(str(error)) from None
    asyncio.run(_watch(preset, mode, pace, lang))


async def _watch(preset: str, mode: str, pace: float, lang: Lang) -> None:
    from rich.console import Console  # noqa: PLC0415  # rich and the services take a second to load
    from rich.live import Live  # noqa: PLC0415

    from services.allinone.exhibition import exhibition  # noqa: PLC0415
    from shared.kit import logging  # noqa: PLC0415

    logging.configure("allinone", level="error")
    console = Console(highlight=False)
    with Live(console=console, auto_refresh=False) as live:
        async for view in exhibition(preset_options(preset, mode), pace):
            live.update(_drawn(view, lang, signs=console.encoding.lower().startswith("utf")), refresh=True)


def _drawn(wire: "View", lang: Lang, *, signs: bool) -> "RenderableType":
    """The public view as ``banakil show`` draws it; between deals, the last one's result."""
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from shared.cli.drawing import Scene, draw_scene  # noqa: PLC0415
    from shared.codec.options import read_options  # noqa: PLC0415
    from shared.codec.views import read_deal_view  # noqa: PLC0415

    options = read_options(wire.options)
    standing = wire.match
    winner = standing.winner_team if standing.HasField("winner_team") else None
    totals = (standing.total_half_points[0], standing.total_half_points[1]) if standing.total_half_points else (0, 0)
    match = MatchState(options, totals, standing.deal_no, standing.tiebreak, winner)
    names = tuple(seat.display_name for seat in wire.seats)
    if not wire.HasField("deal"):
        words = WORDS[lang]
        line = Text(f"{words.totals}: {totals[0] / 2:g} : {totals[1] / 2:g}", "bold")
        if winner is not None:
            line.append(f"   {words.team} {winner + 1} {words.won}", "bold green")
        return Group(Text("  ".join(filter(None, names))), line)
    view = read_deal_view(wire.deal, options, None)
    scene = Scene(
        view=view,
        hands=(None,) * options.seats,
        players=names,
        deal_no=wire.deal.deal_no,
        match=match,
        score=None,
        skipped=0,
    )
    return Group(*draw_scene(scene, WORDS[lang], signs=signs))
