"""Records and positions for tests, written as short as one would say them: hands and melds as texts of codes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shared.rules.action_text import parse_action
from shared.rules.cards import parse_card
from shared.rules.engine import apply
from shared.rules.options import Options, make_options
from shared.rules.position import read_position
from shared.rules.record import read_record
from shared.rules.replay import Replay, replay
from shared.rules.state import DealState

IDLE_HAND = "9C"
"""What the seats that do not matter hold."""

MeldText = tuple[int, str] | tuple[int, str, Sequence[int]]
"""Owner, cards, and the layers where they are not all the owner's."""


def faces(text: str) -> bytes:
    """The faces of codes with spaces between them."""
    return bytes(map(parse_card, text.split()))


def options_of(preset: str = "sahrat", **changed: object) -> Options:
    """A preset with some options changed."""
    return make_options({"preset": preset, **changed})


def position(
    hand: str,
    *,
    melds: Sequence[MeldText] = (),
    pile: str = "",
    stock: str = "8C 8D 8H 8S",
    others: Sequence[str] = (IDLE_HAND, IDLE_HAND, IDLE_HAND),
    phase: str = "play",
    **more: object,
) -> dict[str, Any]:
    """A position as records hold it: seat 0 to act with `hand`, the seats after it with `others`."""
    return {
        "hands": [hand.split(), *(other.split() for other in others)],
        "stock": stock.split(),
        "pile": pile.split(),
        "melds": [
            {"owner": meld[0], "cards": meld[1].split(), **({"layers": list(meld[2])} if len(meld) > 2 else {})}
            for meld in melds
        ],
        "turn": 0,
        "phase": phase,
        **more,
    }


def state_at(options: Options, hand: str, **more: Any) -> DealState:
    """The state of `position`, of a two-handed table where the options say so. R6.1 is not applied."""
    if options.mode == "duel":
        more.setdefault("others", (IDLE_HAND,))
    return read_position(position(hand, **more), options, 0)


def after(state: DealState, *actions: str) -> DealState:
    """The state after these actions, in the record's words; `RefusedError` where one is refused."""
    for text in actions:
        state = apply(state, parse_action(text))[1]
    return state


def record(options: Options, deals: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    """A record as JSON values."""
    return {
        "format": "banakil-record",
        "version": 1,
        "options": {"preset": options.preset, **options.changed},
        "deals": deals,
        **more,
    }


def replayed(value: dict[str, Any], *, lenient: bool = False) -> Replay:
    """What a record comes to, read from the bytes of a file."""
    return replay(read_record(json.dumps(value).encode()), lenient=lenient)


def with_options(state: DealState, **changed: Any) -> DealState:
    """The same state under other options."""
    return state._replace(options=replace(state.options, **changed))
