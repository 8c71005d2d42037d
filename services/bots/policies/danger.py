"""What a thrown card is worth to the other team: who can lay it off, and how likely it makes a meld in some hand."""

from functools import lru_cache
from typing import Final

from services.bots.policies.reading import fitting, unseen_counts
from shared.rules.cards import ACE_HIGH, FIRST, JOKER, RANK, RUN_FACES, SUIT, TWO, TWOS, Bag, Face
from shared.rules.melds import SET_RANKS
from shared.rules.state import DealState, same_team
from shared.rules.views import View

DECLINED: Final = 0.4
"""How much less likely a meld is where a card of the same face lies in the pile, left there by all who came by."""


class Danger:
    """Of the cards that the seat to act could throw: to the rivals who can take them.

    Where only the top card can be taken that is the next seat, for it takes the card or covers it (R5.2).
    """

    def __init__(self, view: View, state: DealState) -> None:
        """``state``: the seat's own, by :func:`services.bots.policies.seat.seat_to_act`."""
        options = state.options
        self.unseen = unseen_counts(state, state.turn)
        """Of each face, how many cards the seat has not seen."""
        following = [(state.turn + step) % options.seats for step in range(1, options.seats)]
        rivals = [seat for seat in following if not same_team(seat, state.turn)]
        if options.pile_take == "top_must_meld":
            rivals = rivals[:1]
        self.nearest = min(view.hand_sizes[seat] for seat in rivals)
        """Cards in the smallest hand of theirs."""
        self._pile = state.pile
        self._layable = [_layable(state, seat) for seat in rivals]
        self._held = [held_chances(self.unseen, view.hand_sizes[seat]) for seat in rivals]

    def layable(self, face: Face) -> bool:
        """Whether one of them can lay the card off on a meld."""
        return any(layable & FIRST[face] for layable in self._layable)

    def meld_chance(self, face: Face) -> float:
        """How likely one of them makes a new meld with a plain card."""
        chance = self.hand_chance(face)
        return chance * DECLINED if face in self._pile else chance

    def hand_chance(self, face: Face) -> float:
        """The same by what they may hold alone, whatever was left lying."""
        return max(meld_chance(face, held) for held in self._held)


def _layable(state: DealState, seat: int) -> Bag:
    """What fits the melds that another seat may amend (R5.5h)."""
    free = not state.options.partner_needs_opening or state.opened >> seat & 1
    melds = (meld for meld in state.melds if meld.owner == seat or (free and same_team(meld.owner, seat)))
    return fitting(melds, state.options)


def held_chances(unseen: list[int], size: int) -> list[float]:
    """How likely a hand of this size holds each face."""
    total = max(1, sum(unseen))
    return [min(1.0, count * size / total) for count in unseen]


def meld_chance(face: Face, held: list[float]) -> float:
    """How likely a hand that holds each face with these chances makes a meld of a card, with a wild or without."""
    no_wild = 1 - held[JOKER]
    for two in TWOS:
        no_wild *= 1 - held[two]
    no_pair = no_link = 1.0
    for one, other in pairs_with(face):
        no_pair *= 1 - held[one] * held[other]
    for one in links_with(face):
        no_link *= 1 - held[one]
    return 1 - no_pair * (1 - (1 - no_wild) * (1 - no_link))


@lru_cache(maxsize=64)
def pairs_with(face: Face) -> tuple[tuple[Face, Face], ...]:
    """The pairs of plain cards that make a run or a set with a plain card (R4)."""
    order = RUN_FACES[SUIT[face]]
    pairs = set()
    for place in _places(face):
        for low in range(place - 2, place + 1):
            one, other = (at for at in range(low, low + 3) if at != place)
            if one >= 1 and other <= ACE_HIGH and TWO not in (one, other):
                pairs.add((order[one - 1], order[other - 1]))
    if RANK[face] in SET_RANKS:
        others = [other for other in range(RANK[face] - 1, 52, 13) if other != face]
        pairs |= {(one, other) for at, one in enumerate(others) for other in others[at + 1 :]}
    return tuple(sorted(pairs))


@lru_cache(maxsize=64)
def links_with(face: Face) -> tuple[Face, ...]:
    """The plain cards that make a run or a set with a plain card and one wild (R4)."""
    order = RUN_FACES[SUIT[face]]
    near = {
        order[at - 1]
        for place in _places(face)
        for at in range(max(1, place - 2), min(ACE_HIGH, place + 2) + 1)
        if at not in (place, TWO)
    }
    if RANK[face] in SET_RANKS:
        near |= set(range(RANK[face] - 1, 52, 13))
    return tuple(sorted(near - {face}))


def _places(face: Face) -> tuple[int, ...]:
    return (1, ACE_HIGH) if RANK[face] == 1 else (RANK[face],)
