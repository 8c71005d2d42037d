"""``evolve(state, event) -> state``: what an accepted event makes of a deal."""

from collections.abc import Callable
from typing import Any, Final

from shared.rules.cards import JOKER, Bag, bag_add, bag_remove, bag_take
from shared.rules.duties import after_release, fallback_for, met_by
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
from shared.rules.state import DealState, Phase, next_seat
from shared.rules.stock import check_new_stock


def evolve(state: DealState, event: Event) -> DealState:
    """The state after an event that ``decide`` gave for this state.

    Raises ``RecordError`` for a ``Reshuffled`` whose cards are not the pile's (R6.1).
    """
    return _EVOLVE[type(event)](state, event)


def _hands(state: DealState, seat: int, hand: Bag) -> tuple[Bag, ...]:
    return (*state.hands[:seat], hand, *state.hands[seat + 1 :])


def _drew(state: DealState, event: Drew) -> DealState:
    hand = bag_add(state.hands[event.seat], state.stock[0])
    return state._replace(hands=_hands(state, event.seat, hand), stock=state.stock[1:], phase=Phase.PLAY)


def _took(state: DealState, event: Took) -> DealState:
    hand = state.hands[event.seat]
    taken = state.pile[-event.depth :]
    for face in taken:
        hand = bag_add(hand, face)
    duties = bag_add(0, taken[-1]) if state.options.pile_take == "top_must_meld" else 0
    return state._replace(
        hands=_hands(state, event.seat, hand),
        pile=state.pile[: -event.depth],
        phase=Phase.PLAY,
        duties=duties,
        fallback=fallback_for(state, duties),
    )


def _passed(state: DealState, event: Passed) -> DealState:
    return state


def _laid(state: DealState, event: Laid) -> DealState:
    seat = event.seat
    hand, duties = state.hands[seat], state.duties
    for meld in event.melds:
        hand = bag_take(hand, meld.cards)
        duties = met_by(duties, meld.cards)
    return state._replace(
        hands=_hands(state, seat, hand),
        melds=state.melds + event.melds,
        duties=duties,
        fallback=fallback_for(state, duties),
        opened=state.opened | 1 << seat,
        put_down=state.put_down | 1 << seat,
    )


def _amended(state: DealState, event: Amended) -> DealState:
    seat, meld = event.seat, event.meld
    hand = bag_take(state.hands[seat], event.added)
    if event.joker_released:
        hand = bag_add(hand, JOKER)
    duties = after_release(met_by(state.duties, event.added), event.joker_released, state.options)
    return state._replace(
        hands=_hands(state, seat, hand),
        melds=(*state.melds[: meld.id - 1], meld, *state.melds[meld.id :]),
        duties=duties,
        fallback=fallback_for(state, duties),
        put_down=state.put_down | 1 << seat if event.added else state.put_down,
        amended_partner=state.amended_partner or meld.owner != seat,
    )


def _undone(state: DealState, event: Undone) -> DealState:
    if state.fallback is None:
        raise ValueError("nothing to undo")
    return state.fallback


def _discarded(state: DealState, event: Discarded) -> DealState:
    seat = event.seat
    follower = next_seat(seat, state.options)
    return state._replace(
        hands=_hands(state, seat, bag_remove(state.hands[seat], event.card)),
        pile=state.pile + bytes([event.card]),
        turn=follower,
        turn_no=state.turn_no + 1,
        phase=Phase.DRAW,
        time_up=False,
        fresh=not state.put_down >> follower & 1,
        amended_partner=False,
    )


def _time_ran_out(state: DealState, event: TimeRanOut) -> DealState:
    return state._replace(time_up=True)


def _reshuffled(state: DealState, event: Reshuffled) -> DealState:
    check_new_stock(state, event.stock)
    return state._replace(stock=event.stock, pile=state.pile[-1:], reshuffles_used=state.reshuffles_used + 1)


def _deal_ended(state: DealState, event: DealEnded) -> DealState:
    return state._replace(phase=Phase.OVER, end=event)


_EVOLVE: Final[dict[type, Callable[[DealState, Any], DealState]]] = {
    Drew: _drew,
    Took: _took,
    Passed: _passed,
    Laid: _laid,
    Amended: _amended,
    Undone: _undone,
    Discarded: _discarded,
    TimeRanOut: _time_ran_out,
    Reshuffled: _reshuffled,
    DealEnded: _deal_ended,
}
