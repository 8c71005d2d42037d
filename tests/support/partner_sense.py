"""Cards thrown that a partner's meld could have used: counted over deals that a policy plays with itself."""

from collections.abc import Sequence

from services.bots.arena.deals import cards_of, new_stock
from services.bots.policies.policy import Policy
from shared.rules.actions import Discard
from shared.rules.cards import FIRST, IS_PLAIN, bag_faces
from shared.rules.engine import apply
from shared.rules.layouts import new_layouts
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.state import DealState, same_team, start_deal
from shared.rules.views import view_of


def thrown_away(options: Options, seats: Sequence[Policy], deals: int, seed: int) -> tuple[int, int]:
    """How many cards were thrown; and of these, how many a meld of the partner could use while another was harmless."""
    thrown = wasted = 0
    for number in range(deals):
        cards = cards_of(options, number % options.seats, f"partner sense {seed} {number}")
        state = start_deal(options, cards.starter, cards.deck)
        while state.end is None:
            if state.reshuffle_due:
                state = new_stock(state, cards.seed)
                continue
            action = seats[state.turn].choose(view_of(state, state.turn))
            if isinstance(action, Discard):
                thrown += 1
                wasted += _wastes(state, action.card)
            state = apply(state, action)[1]
    return thrown, wasted


def _wastes(state: DealState, card: int) -> bool:
    partners = [meld for meld in state.melds if meld.owner != state.turn and same_team(meld.owner, state.turn)]
    if not _usable(state, partners, card):
        return False
    plain = [face for face in bag_faces(state.hands[state.turn]) if IS_PLAIN[face]]
    return any(not _usable(state, state.melds, face) for face in plain)


def _usable(state: DealState, melds: Sequence[Meld], face: int) -> bool:
    """Whether one of the melds takes the card alone."""
    return any(
        len(layout) > len(meld.cards)
        for meld in melds
        if meld.cards.count(face) < 2
        for layout in new_layouts(meld, FIRST[face], state.turn, state.options)
    )
