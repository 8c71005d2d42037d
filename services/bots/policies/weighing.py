"""Which card to throw, weighed by all that was found to matter: each of it in points that the team gains a deal.

The weights were fitted to play-outs of deals from many positions, in which all that differed was the card thrown
(docs/bots.md). They go by the options that change what a thrown card is good for, and by how many play.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from services.bots.policies.danger import Danger, held_chances, meld_chance
from services.bots.policies.reading import PLAIN, beside, fitting, outs, team_fitting
from shared.rules.cards import (
    ACE,
    FIRST,
    HALF_POINTS,
    JOKER,
    RANK,
    THREE,
    Bag,
    Face,
    bag_count,
    bag_faces,
    bag_remove,
)
from shared.rules.discard_choice import LINKS
from shared.rules.options import Options
from shared.rules.state import DealState, same_team
from shared.rules.views import View

NEAR_OUT: Final = 2
"""Cards in a rival's hand that is about to go out."""
FAR_FROM_OUT: Final = 6


class Weights(NamedTuple):
    """What a card's going is worth, in points, by what is true of it."""

    half_points: float
    outs: float
    """That made a meld with it and the hand, as a share of the unseen cards."""
    links: float
    """Cards of the hand that it could be melded with (R9.3)."""
    twin_held: float
    near_ours: float
    """Beside what fits the team's melds."""
    laid_off: tuple[float, float, float, float]
    """A rival can lay it off, whose smallest hand has one card; two; five at the most; more."""
    rival_melds: float
    """How likely a rival makes a meld of it, by what it may hold."""
    left_lying: float
    """The same, where its like lies in the pile."""
    last_link: float
    """The hand has no links without it."""
    wanted: float
    """Unseen cards that it links with, as a share of all."""
    half_points_late: float
    """With a rival near out."""
    half_points_early: float
    """With all rivals far from it."""
    partner_melds: float
    """How likely the partner makes a meld of it."""
    ace: float
    three: float
    near_theirs: float
    links_share: float
    """Of all the hand's links."""
    twin_unseen: float
    neighbours: float
    """Links right beside it."""


_WEIGHTS: Final[Mapping[tuple[str, int], Weights]] = MappingProxyType(
    {
        ("top_must_meld", 4): Weights(
            half_points=0.06,
            outs=-4.01,
            links=-0.06,
            twin_held=0.16,
            near_ours=-0.52,
            laid_off=(-3.43, -1.4, -0.15, 0.26),
            rival_melds=-2.49,
            left_lying=-0.4,
            last_link=-1.14,
            wanted=-3.81,
            half_points_late=0.04,
            half_points_early=-0.44,
            partner_melds=0.5,
            ace=0.94,
            three=0.9,
            near_theirs=0.22,
            links_share=-0.55,
            twin_unseen=-0.25,
            neighbours=-0.13,
        ),
        ("top_must_meld", 2): Weights(
            half_points=0.39,
            outs=-4.34,
            links=-0.1,
            twin_held=0.49,
            near_ours=-0.14,
            laid_off=(-3.31, -0.91, -0.24, 0.01),
            rival_melds=-4.29,
            left_lying=0.36,
            last_link=-0.96,
            wanted=-4.88,
            half_points_late=-0.13,
            half_points_early=-0.51,
            partner_melds=0.0,
            ace=0.39,
            three=0.06,
            near_theirs=0.16,
            links_share=-2.13,
            twin_unseen=-0.13,
            neighbours=-0.54,
        ),
        ("any_depth", 4): Weights(
            half_points=0.0,
            outs=0.07,
            links=-0.24,
            twin_held=0.12,
            near_ours=-0.41,
            laid_off=(-1.97, -0.88, -0.31, 0.23),
            rival_melds=-2.01,
            left_lying=1.5,
            last_link=-0.6,
            wanted=-5.26,
            half_points_late=0.27,
            half_points_early=-0.5,
            partner_melds=1.01,
            ace=0.66,
            three=0.61,
            near_theirs=0.44,
            links_share=-0.65,
            twin_unseen=-0.33,
            neighbours=-0.36,
        ),
        ("any_depth", 2): Weights(
            half_points=0.38,
            outs=-8.89,
            links=-0.07,
            twin_held=-0.01,
            near_ours=-0.16,
            laid_off=(-2.99, -1.05, -0.11, 0.31),
            rival_melds=-1.23,
            left_lying=1.26,
            last_link=-0.57,
            wanted=-6.79,
            half_points_late=-0.23,
            half_points_early=-0.58,
            partner_melds=0.0,
            ace=0.43,
            three=0.6,
            near_theirs=0.17,
            links_share=-2.67,
            twin_unseen=-0.35,
            neighbours=-0.25,
        ),
    }
)


def weights_for(options: Options) -> Weights:
    """The weights that are right for a table's options."""
    return _WEIGHTS[options.pile_take, options.seats]


def weighed(view: View, state: DealState, among: Bag) -> list[tuple[float, Face]]:
    """The cards of ``among``, a part of the hand, that may sensibly be thrown, each with what it costs in points.

    The cheapest first. No wild while another card is held; nothing that fits the team's melds while something fits
    nobody's. Links and outs are those of ``among``.
    """
    plain = among & PLAIN
    if not plain:
        return [(0.0, min(bag_faces(state.hands[state.turn]), key=lambda face: (face == JOKER, face)))]
    seat = state.turn
    ours = team_fitting(state, seat)
    theirs = fitting((meld for meld in state.melds if not same_team(meld.owner, seat)), state.options)
    may_go = plain & ~ours if plain & ~ours & ~theirs else plain
    scale = _Scale(view, state, among, ours, theirs)
    return sorted((-scale.gain(face), face) for face in bag_faces(may_go))


class _Scale:
    """Weighs the cards of one hand."""

    def __init__(self, view: View, state: DealState, among: Bag, ours: Bag, theirs: Bag) -> None:
        seat = state.turn
        self._weights = weights_for(state.options)
        self._hand = state.hands[seat]
        self._pile = state.pile
        self._among = among
        self._near_ours, self._near_theirs = beside(ours), beside(theirs)
        self._danger = Danger(view, state)
        self._unseen = self._danger.unseen
        self._all = max(1, sum(self._unseen))
        plain = among & PLAIN
        self._outs = outs(plain, self._unseen)
        self._links = sum((plain & LINKS[face]).bit_count() for face in bag_faces(plain))
        rivals = [size for other, size in enumerate(view.hand_sizes) if not same_team(other, seat)]
        self._nearest = min(rivals)
        partner = (seat + 2) % state.options.seats
        self._partner = held_chances(self._unseen, view.hand_sizes[partner]) if partner != seat else None

    def gain(self, face: Face) -> float:
        """What throwing the card is worth, in points; of interest are differences alone."""
        return self._for_the_hand(face) + self._for_others(face)

    def _for_the_hand(self, face: Face) -> float:
        weights, unseen = self._weights, self._unseen
        rest = bag_remove(self._among, face) & PLAIN
        links = (rest & LINKS[face]).bit_count()
        gain = weights.outs * (self._outs - outs(rest, unseen)) / self._all
        gain += weights.links * links + weights.neighbours * (rest & beside(FIRST[face])).bit_count()
        if self._links and not rest & FIRST[face]:
            gain += weights.links_share * 2 * links / self._links
            gain += weights.last_link * (self._links == 2 * links)
        gain += weights.wanted * sum(unseen[other] for other in bag_faces(LINKS[face])) / self._all
        gain += weights.twin_held * (bag_count(self._hand, face) > 1) + weights.twin_unseen * unseen[face]
        gain += weights.near_ours * bool(self._near_ours & FIRST[face])
        gain += weights.ace * (RANK[face] == ACE) + weights.three * (RANK[face] == THREE)
        half_point = weights.half_points
        if self._nearest <= NEAR_OUT:
            half_point += weights.half_points_late
        elif self._nearest >= FAR_FROM_OUT:
            half_point += weights.half_points_early
        return gain + half_point * HALF_POINTS[face]

    def _for_others(self, face: Face) -> float:
        weights, danger = self._weights, self._danger
        gain = weights.near_theirs * bool(self._near_theirs & FIRST[face])
        if danger.layable(face):
            gain += weights.laid_off[
                0 if danger.nearest <= 1 else 1 if danger.nearest == 2 else 2 if danger.nearest <= 5 else 3
            ]
        chance = danger.hand_chance(face)
        gain += weights.rival_melds * chance
        if face in self._pile:
            gain += weights.left_lying * chance
        if self._partner is not None:
            gain += weights.partner_melds * meld_chance(face, self._partner)
        return gain
