"""Hints for the player whose hand it is (R12): ready melds, the best of them together, lay-offs, and jokers."""

from typing import NamedTuple

from shared.rules.amend import check_amend
from shared.rules.cards import CODES, Face, bag_size, codes
from shared.rules.drawing import takeable_depths
from shared.rules.laying import may_amend
from shared.rules.layouts import swap_layouts
from shared.rules.legal import lay_offs, ready_melds
from shared.rules.melds import Meld
from shared.rules.packing import Packing, best_melds
from shared.rules.record_fields import points_json
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState, Phase
from shared.rules.views import View, seat_state


class Hints(NamedTuple):
    """What a hand could do. All empty or false when nothing can be laid in this turn any more."""

    best: Packing
    """The new melds that lay the most points together; with no melds, all cards are left."""
    melds: tuple[bytes, ...]
    """Every single new meld, sorted as lists of codes."""
    layoffs: tuple[tuple[int, bytes], ...]
    """Every new layout of a meld that the seat may amend, with the meld's id; by id, then as lists of codes."""
    jokers: tuple[tuple[int, Face], ...]
    """Each joker that a card in hand releases: the meld's id and that card; by id, then code."""
    take: bool
    """Whether the pile's top card could be used; only under ``top_must_meld`` and before the draw (R5.3)."""


def hints_for(state: DealState) -> Hints:
    """Hints for the seat to act. Before the draw, what could be done after it with the hand as it is."""
    hand = state.hands[state.turn]
    if state.phase is Phase.OVER or state.time_up:
        return Hints(Packing((), 0, bag_size(hand)), (), (), (), take=False)
    return Hints(
        best=best_melds(hand, state.options),
        melds=ready_melds(state),
        layoffs=lay_offs(state),
        jokers=_releasable(state),
        take=state.options.pile_take == "top_must_meld" and bool(takeable_depths(state)),
    )


def seat_hints(view: View) -> Hints | None:
    """Hints for the seat that sees this view, from what it sees; ``None`` for the public, which has no hand.

    Between its turns: what the seat could do if it were its turn and it had drawn.
    """
    if view.viewer is None:
        return None
    state = seat_state(view)
    if state.turn != view.viewer and state.phase is not Phase.OVER:
        state = state._replace(phase=Phase.PLAY, time_up=False)
    return hints_for(state._replace(turn=view.viewer))


def hints_json(hints: Hints, turn: int | None) -> dict[str, object]:
    """The answer of ``banakil hints``; ``turn``: the seat that the hints are for, ``None`` where the deal is over."""
    best = hints.best
    return {
        "turn": turn,
        "best": {
            "melds": [codes(cards) for cards in best.melds],
            "points": points_json(best.half_points),
            "left": best.left,
        },
        "melds": [codes(cards) for cards in hints.melds],
        "layoffs": [{"id": meld_id, "cards": codes(cards)} for meld_id, cards in hints.layoffs],
        "jokers": [{"id": meld_id, "card": CODES[face]} for meld_id, face in hints.jokers],
        "take": hints.take,
    }


def _releasable(state: DealState) -> tuple[tuple[int, Face], ...]:
    seat = state.turn
    return tuple(
        (meld.id, face)
        for meld in state.melds
        if may_amend(state, seat, meld)
        for face in sorted(_releasing_cards(meld, state), key=CODES.__getitem__)
    )


def _releasing_cards(meld: Meld, state: DealState) -> list[Face]:
    """The cards in hand whose swap for the meld's joker is accepted by itself (R5.5c)."""
    hand = state.hands[state.turn]
    cards = []
    for face, layout in swap_layouts(meld, hand):
        try:
            check_amend(meld, layout, state.turn, hand, state.options)
        except RefusedError:
            continue
        cards.append(face)
    return cards
