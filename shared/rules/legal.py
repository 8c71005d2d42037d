"""All that the seat to act may do now (``banakil legal``): complete, and each part of it accepted by the engine."""

from typing import NamedTuple

from shared.rules.cards import Face, bag_faces, codes
from shared.rules.drawing import may_pass, takeable_depths
from shared.rules.laying import may_amend
from shared.rules.layouts import code_order, new_layouts, new_melds
from shared.rules.melds import Meld
from shared.rules.state import DealState, Phase


class LegalActions(NamedTuple):
    """What may be done, all empty or false in the wrong phase. Layouts are sorted as lists of codes."""

    draw: bool
    take: tuple[int, ...]
    passing: bool
    undo: bool
    melds: tuple[bytes, ...]
    """Every single new meld (R5.4)."""
    amends: tuple[tuple[int, bytes], ...]
    """Every new layout of every meld that the seat may amend (R5.5), with the meld's id."""
    discards: tuple[Face, ...]
    """The faces that may be thrown now (R5.7)."""


NOTHING = LegalActions(False, (), False, False, (), (), ())


def legal_actions(state: DealState) -> LegalActions:
    """Every action that ``decide`` would accept of the seat to act; several melds at once are given one by one."""
    if state.phase is Phase.OVER:
        return NOTHING
    if state.phase is Phase.DRAW:
        return NOTHING._replace(draw=bool(state.stock), take=tuple(takeable_depths(state)), passing=may_pass(state))
    discards = () if state.duties else tuple(sorted(bag_faces(state.hands[state.turn]), key=lambda f: codes([f])))
    if state.time_up:
        return NOTHING._replace(discards=discards)
    return LegalActions(
        draw=False,
        take=(),
        passing=False,
        undo=state.fallback is not None,
        melds=ready_melds(state),
        amends=lay_offs(state),
        discards=discards,
    )


def ready_melds(state: DealState) -> tuple[bytes, ...]:
    """Every single new meld in the hand of the seat to act, sorted as lists of codes (R4)."""
    return tuple(sorted(new_melds(state.hands[state.turn], state.options), key=code_order))


def lay_offs(state: DealState) -> tuple[tuple[int, bytes], ...]:
    """Every new layout that the seat to act may give a meld of its team, by id, then as lists of codes (R5.5)."""
    return tuple(
        (meld.id, layout)
        for meld in state.melds
        if may_amend(state, state.turn, meld)
        for layout in sorted(_layouts(state, meld), key=code_order)
    )


def _layouts(state: DealState, meld: Meld) -> list[bytes]:
    return new_layouts(meld, state.hands[state.turn], state.turn, state.options)
