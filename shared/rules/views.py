"""The view of one viewer, a seat or the public: the only place that redacts (R5.9, R10.4).

Whatever leaves a table for a person or a bot is made here: views, events as they are seen, and the state that hints
and legal moves may be worked out from. Two states that differ only in cards hidden from a viewer give equal results.
"""

from typing import Final, NamedTuple, TypeAlias

from shared.rules.cards import Bag, Face, bag_size
from shared.rules.events import (
    Amended,
    DealEnded,
    Discarded,
    Drew,
    Event,
    Laid,
    Passed,
    Reshuffled,
    TimeRanOut,
    Took,
    Undone,
)
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.scoring import DealScore, score_deal
from shared.rules.state import DealState, Phase

Viewer: TypeAlias = int | None
"""A seat, or ``None`` for the public."""

UNKNOWN_CARD: Final = 255
"""Stands in a view's state for a stock card; no face has this number."""


class View(NamedTuple):
    """A deal as one viewer may see it."""

    viewer: Viewer
    options: Options
    starter: int
    hand: Bag | None
    """The viewer's own cards, ``None`` for the public."""
    hand_sizes: tuple[int, ...]
    stock_size: int
    pile: bytes
    """All faces from the bottom to the top: the pile is open."""
    melds: tuple[Meld, ...]
    turn: int
    turn_no: int
    phase: Phase
    time_up: bool
    duties: Bag
    """Public: the taken card and the released joker were seen by all (R5.6)."""
    undo_possible: bool
    opened: int
    put_down: int
    fresh: bool
    amended_partner: bool
    reshuffles_used: int
    end: DealEnded | None
    hands: tuple[Bag, ...] | None
    """Every hand, once the deal has ended (R10.4)."""


def view_of(state: DealState, viewer: Viewer) -> View:
    """What the viewer may see of the deal."""
    return View(
        viewer=viewer,
        options=state.options,
        starter=state.starter,
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(bag_size, state.hands)),
        stock_size=len(state.stock),
        pile=state.pile,
        melds=state.melds,
        turn=state.turn,
        turn_no=state.turn_no,
        phase=state.phase,
        time_up=state.time_up,
        duties=state.duties,
        undo_possible=state.fallback is not None,
        opened=state.opened,
        put_down=state.put_down,
        fresh=state.fresh,
        amended_partner=state.amended_partner,
        reshuffles_used=state.reshuffles_used,
        end=state.end,
        hands=state.hands if state.end is not None else None,
    )


def seat_state(view: View) -> DealState:
    """A state to work out the viewer's hints and legal moves from: the others' hands are empty, the stock unknown.

    While a duty is unmet its ``fallback`` is a mark that an undo is possible, not the state it leads to.
    Raises ``ValueError`` for the public's view, which has no hand.
    """
    if view.viewer is None or view.hand is None:
        raise ValueError("the public has no hand")
    state = DealState(
        options=view.options,
        starter=view.starter,
        hands=tuple(view.hand if seat == view.viewer else 0 for seat in range(len(view.hand_sizes))),
        stock=bytes([UNKNOWN_CARD]) * view.stock_size,
        pile=view.pile,
        melds=view.melds,
        turn=view.turn,
        turn_no=view.turn_no,
        phase=view.phase,
        time_up=view.time_up,
        duties=view.duties,
        fallback=None,
        opened=view.opened,
        put_down=view.put_down,
        fresh=view.fresh,
        amended_partner=view.amended_partner,
        reshuffles_used=view.reshuffles_used,
        end=view.end,
    )
    return state._replace(fallback=state) if view.undo_possible else state


class SeenDrew(NamedTuple):
    """A card was drawn; only its seat sees which."""

    seat: int
    card: Face | None


class SeenTook(NamedTuple):
    """Cards were taken from the pile, which is open; from the lowest to the top one."""

    seat: int
    cards: bytes


class SeenUndone(NamedTuple):
    """The turn went back; the view as it is again."""

    seat: int
    view: View


class SeenReshuffled(NamedTuple):
    """The pile but its top card is the new stock; how many cards."""

    stock_size: int


class SeenDealEnded(NamedTuple):
    """The deal is over, and every hand is shown (R10.4)."""

    end: DealEnded
    hands: tuple[Bag, ...]
    score: DealScore


SeenEvent: TypeAlias = (
    SeenDrew | SeenTook | Passed | Laid | Amended | SeenUndone | Discarded | TimeRanOut | SeenReshuffled | SeenDealEnded
)


def seen_event(event: Event, before: DealState, after: DealState, viewer: Viewer) -> SeenEvent:
    """An event as the viewer may see it; ``before`` and ``after`` are the states around it."""
    match event:
        case Discarded() | Amended() | Laid() | Passed() | TimeRanOut():
            return event
        case Drew(seat):
            return SeenDrew(seat, before.stock[0] if viewer == seat else None)
        case Took(seat, depth):
            return SeenTook(seat, before.pile[-depth:])
        case Undone(seat):
            return SeenUndone(seat, view_of(after, viewer))
        case Reshuffled():
            return SeenReshuffled(len(after.stock))
        case DealEnded():
            return SeenDealEnded(event, after.hands, score_deal(after))
