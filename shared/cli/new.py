"""``banakil new``: a fresh record with a random deck."""

import random
from typing import Annotated

import typer

from shared.cli.answers import json_line
from shared.rules.cards import FULL_DECK
from shared.rules.option_text import parse_option
from shared.rules.options import OptionValue, make_options
from shared.rules.record import write_deal, write_record
from shared.rules.refusal import RecordError


def new_command(
    preset: Annotated[str, typer.Option(help="sahrat or banakil202.")] = "sahrat",
    mode: Annotated[str, typer.Option(help="partners or duel.")] = "partners",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option that differs; may be repeated.")
    ] = None,
    starter: Annotated[int, typer.Option(help="The seat that starts, 0 to 3.")] = 0,
    seed: Annotated[
        int | None, typer.Option(help="For tests: the same deck each time. Without it the system's randomness is used.")
    ] = None,
) -> None:
    """Print a new record: one deal with a random deck, and nothing done in it yet."""
    try:
        print(json_line(new_record(preset, mode, changes or [], starter, seed)))
    except RecordError as error:
        raise typer.BadParameter(str(error)) from None


def new_record(preset: str, mode: str, changes: list[str], starter: int, seed: int | None) -> dict[str, object]:
    """A record of one deal. Raises ``RecordError`` for options that are none, or a starter that is no seat."""
    values: dict[str, OptionValue] = {"preset": preset, "mode": mode}
    for word in changes:
        name, value = parse_option(word)
        values[name] = value
    options = make_options(values)
    if not 0 <= starter < options.seats:
        raise RecordError(f"the starter is a seat, 0 to {options.seats - 1}")
    deck = bytearray(FULL_DECK)
    shuffler = random.SystemRandom() if seed is None else random.Random(seed)
    shuffler.shuffle(deck)
    return write_record(options, [write_deal(starter, bytes(deck), [], [])])
