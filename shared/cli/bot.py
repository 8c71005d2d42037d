"""``banakil bot``: a bot that comes to a room by its code and plays, as anybody's bot could."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from shared.rules.option_text import parse_option
from shared.rules.options import OptionValue, make_options
from shared.rules.refusal import RecordError

if TYPE_CHECKING:
    from services.bots.guest import Wish


def bot_command(  # noqa: PLR0913, PLR0917  # a command line has as many options as it needs
    policy: Annotated[str, typer.Option(help="How it plays; `banakil arena` names the policies.")] = "",
    level: Annotated[int, typer.Option(help="How well it plays, where no policy is named.", min=1, max=5)] = 3,
    address: Annotated[str, typer.Option(help="host:port of the platform.")] = "127.0.0.1:7300",
    room: Annotated[str, typer.Option(metavar="CODE", help="The room's code; without it a room is made.")] = "",
    name: Annotated[str, typer.Option(help="What it is called.")] = "Bot",
    preset: Annotated[str, typer.Option(help="Of a room that is made: sahrat or banakil202.")] = "sahrat",
    mode: Annotated[str, typer.Option(help="Of a room that is made: partners or duel.")] = "partners",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option of a room that is made.")
    ] = None,
    pace: Annotated[float, typer.Option(help="Divides its pauses.", min=0.001, max=1_000_000)] = 1.0,
) -> None:
    """Play one table as a guest flagged as a bot, by the public gRPC API.

    Prints `room CODE` once it sits there, and in the end `won 231.5 : 105` or `lost 105 : 231.5`, its own team first.
    """
    from services.bots.guest import Wish  # noqa: PLC0415  # gRPC and the policies are for this command alone
    from shared.kit import logging  # noqa: PLC0415

    logging.configure("bot", level="warning")
    values: dict[str, OptionValue] = {"preset": preset, "mode": mode}
    try:
        values.update(parse_option(word) for word in changes or [])
        options = make_options(values)
    except RecordError as error:
        raise typer.BadParameter(str(error)) from None
    raise typer.Exit(asyncio.run(_play(Wish(address, name, level, policy, room, options, pace))))


async def _play(wish: "Wish") -> int:
    """The exit code."""
    from services.bots.guest import RoomGoneError, play  # noqa: PLC0415
    from shared.kit.status import ApiError  # noqa: PLC0415

    try:
        view, seat = await play(wish, lambda code: print(f"room {code}", flush=True))
    except KeyError as error:
        raise typer.BadParameter(str(error.args[0])) from None
    except ApiError as error:
        typer.echo(f"{error.code}: {error.message}", err=True)
        return 1
    except RoomGoneError:
        typer.echo("the room was closed", err=True)
        return 1
    if not view.match.HasField("winner_team"):
        print("closed")
        return 0
    own = seat % 2
    totals = [view.match.total_half_points[team] / 2 for team in (own, 1 - own)]
    print("won" if view.match.winner_team == own else "lost", " : ".join(f"{points:g}" for points in totals))
    return 0
