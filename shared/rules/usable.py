"""Can the pile's top card be used in this turn (R5.3)?

What can be laid in a turn is: an opening meld, where partner's melds ask for one; then joker swaps, each joker once;
then the card, in a new meld or on one of the team's; then the jokers released. Swaps made early hinder nothing, and
the smallest melds and layouts leave most for the rest, so that looking at those in this order looks at all.
"""

from functools import lru_cache
from typing import NamedTuple

from shared.rules.amend import check_amend
from shared.rules.cards import (
    ACE,
    ACE_HIGH,
    IS_PLAIN,
    JOKER,
    RANK,
    SUIT,
    TWO,
    Bag,
    Face,
    bag_add,
    bag_count,
    bag_remove,
    bag_take,
)
from shared.rules.laying import may_amend
from shared.rules.layouts import new_layouts, swap_layouts
from shared.rules.melds import LONGEST_SET, Meld, layout_shape
from shared.rules.options import Options
from shared.rules.ready import has_meld, small_melds
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState, same_team

ME = 0
PARTNER = 1


def can_use(state: DealState, face: Face) -> bool:
    """Whether some legal lay-downs of the seat to act put the taken face on the table with no duty left (R5.3)."""
    seat = state.turn
    hand = bag_add(state.hands[seat], face)
    if next(small_melds(hand, state.options, face), None) is not None:
        return True
    melds = tuple(
        meld._replace(id=0, owner=ME if may_amend(state, seat, meld) else PARTNER, layers=bytes(len(meld.cards)))
        for meld in state.melds
        if same_team(seat, meld.owner)
    )
    return bool(melds) and _search(hand, face, melds, state.options)


class _Plan(NamedTuple):
    """Where a search stands. Melds of owner ``PARTNER`` may be touched only after an opening meld."""

    hand: Bag
    melds: tuple[Meld, ...]
    jokers_due: int
    """Jokers that must still be laid: those released, and the taken card where it is one."""
    jokers_free: int
    """Released jokers in the hand; no opening meld can be made of them."""
    needs_opening: bool


@lru_cache(maxsize=1024)
def _search(hand: Bag, face: Face, melds: tuple[Meld, ...], options: Options) -> bool:
    start = _Plan(hand, melds, int(face == JOKER), 0, False)
    if _lay(start, face, options):
        return True
    for index, plan, card in _swaps(start, 0, options):
        if _after_swap(plan, face, card, options):
            return True
        for _, second, other in _swaps(plan, index + 1, options):
            met = face if face in (card, other) else other
            if _after_swap(second, face, met, options):
                return True
    return False


def _swaps(plan: _Plan, first: int, options: Options) -> list[tuple[int, _Plan, Face]]:
    """Each joker swap on melds from index ``first`` on: index of the meld, the plan afterwards, the card put in."""
    found = []
    for index, meld in enumerate(plan.melds[first:], first):
        if JOKER not in meld.cards:
            continue
        for card, layout in swap_layouts(meld, plan.hand):
            try:
                amendment = check_amend(meld, layout, ME, plan.hand, options)
            except RefusedError:
                continue
            melds = (*plan.melds[:index], amendment.meld, *plan.melds[index + 1 :])
            due = plan.jokers_due + options.released_joker_must_be_laid
            opening = plan.needs_opening or meld.owner == PARTNER
            found.append((index, _Plan(amendment.hand, melds, due, plan.jokers_free + 1, opening), card))
    return found


def _after_swap(plan: _Plan, face: Face, swapped_in: Face, options: Options) -> bool:
    """Whether the card gets down after a swap, which may have been its place."""
    if swapped_in == face:
        return _settle(plan, options)
    return _lay(plan, face, options)


def _lay(plan: _Plan, face: Face, options: Options) -> bool:
    """Whether the card can go down, in a new meld or on one of the team's, and all be settled after it."""
    if face == JOKER:
        return _settle(plan, options)
    for cards in small_melds(plan.hand, options, face):
        if _settle(_with_new_meld(plan, cards, options), options):
            return True
    if any(_lay_off(plan, index, face, options) for index, meld in enumerate(plan.melds) if _touches(meld, face)):
        return True
    return plan.needs_opening and plan.jokers_free > 0 and _lay_off_on_opening(plan, face, options)


def _lay_off(plan: _Plan, index: int, face: Face, options: Options) -> bool:
    """Whether the card can go onto this meld of the team, and all be settled after it."""
    meld = plan.melds[index]
    for layout in new_layouts(meld, plan.hand, ME, options, _window(meld, face)):
        amendment = check_amend(meld, layout, ME, plan.hand, options)
        if face not in amendment.added or amendment.joker_released:
            continue
        after = _spend(plan, amendment.added)._replace(
            melds=(*plan.melds[:index], amendment.meld, *plan.melds[index + 1 :]),
            needs_opening=plan.needs_opening or meld.owner == PARTNER,
        )
        if _settle(after, options):
            return True
    return False


def _lay_off_on_opening(plan: _Plan, face: Face, options: Options) -> bool:
    """Whether the card can go onto the very meld that opens, with a released joker between them.

    Without the joker the two would be a new meld of the hand's own, looked at before; so only runs come into question.
    """
    if not IS_PLAIN[face]:
        return False
    for cards in small_melds(_own_cards(plan), options):
        if JOKER not in cards and _suit_of(cards) == SUIT[face]:
            opened = _with_new_meld(plan, cards, options)._replace(needs_opening=False)
            if opened.melds[-1].start and _lay_off(opened, len(plan.melds), face, options):
                return True
    return False


def _with_new_meld(plan: _Plan, cards: bytes, options: Options) -> _Plan:
    start, suit = layout_shape(cards, options)
    new = Meld(0, ME, cards, bytes(len(cards)), start, suit)
    return _spend(plan, cards)._replace(melds=(*plan.melds, new))


def _spend(plan: _Plan, cards: bytes) -> _Plan:
    """The plan with these cards laid; a released joker goes before the hand's own (any joker meets a duty, R2.3)."""
    jokers = cards.count(JOKER)
    return plan._replace(
        hand=bag_take(plan.hand, cards),
        jokers_due=max(0, plan.jokers_due - jokers),
        jokers_free=max(0, plan.jokers_free - jokers),
    )


@lru_cache(maxsize=4096)
def _settle(plan: _Plan, options: Options) -> bool:
    """Whether the jokers still due find a place and the opening meld, where one was needed, is there."""
    # Looked at first, since cards only become fewer: without it nothing else is worth trying.
    if plan.needs_opening and not _holds_meld(_own_cards(plan), options):
        return False
    if plan.jokers_due == 0:
        return True
    for index, meld in enumerate(plan.melds):
        if _joker_fits(meld):
            melds = (*plan.melds[:index], *plan.melds[index + 1 :])
            opening = plan.needs_opening or meld.owner == PARTNER
            if _settle(_spend(plan._replace(melds=melds, needs_opening=opening), bytes([JOKER])), options):
                return True
    for cards in small_melds(plan.hand, options, JOKER):
        if _settle(_spend(plan, cards), options):
            return True
    if not plan.needs_opening:
        return False
    return any(
        _settle(_spend(plan._replace(needs_opening=False), cards + bytes([JOKER])), options)
        for cards in small_melds(_own_cards(plan), options)
        if JOKER not in cards
    )


@lru_cache(maxsize=4096)
def _holds_meld(hand: Bag, options: Options) -> bool:
    return has_meld(hand, options)


def _own_cards(plan: _Plan) -> Bag:
    """The hand without released jokers, which are there only after the opening."""
    hand = plan.hand
    for _ in range(min(plan.jokers_free, bag_count(hand, JOKER))):
        hand = bag_remove(hand, JOKER)
    return hand


def _joker_fits(meld: Meld) -> bool:
    """Whether a joker can be laid off on the meld: at an end of a run, or as the fourth of a set (R4)."""
    return JOKER not in meld.cards and len(meld.cards) < (ACE_HIGH if meld.start else LONGEST_SET)


def _touches(meld: Meld, face: Face) -> bool:
    """Whether the face could ever stand in the meld."""
    if not IS_PLAIN[face]:
        return True
    if meld.start:
        return SUIT[face] == meld.suit
    return any(RANK[card] == RANK[face] for card in meld.cards if IS_PLAIN[card])


def _window(meld: Meld, face: Face) -> tuple[int, int]:
    """The positions that a run needs at the most to take the face, one more at each end for a two moved there."""
    low, high = meld.start, meld.start + len(meld.cards) - 1
    if IS_PLAIN[face]:
        at = RANK[face]
        if at == ACE:
            return ACE, ACE_HIGH
        low, high = min(low, at), max(high, at)
    else:
        low = min(low, TWO)
    return max(ACE, low - 1), min(ACE_HIGH, high + 1)


def _suit_of(cards: bytes) -> int:
    return next(SUIT[card] for card in cards if IS_PLAIN[card])


def forget_searches() -> None:
    """Empty the memory of searches, so that the next one can be timed."""
    for searched in (_search, _settle, _holds_meld):
        searched.cache_clear()
