"""What a strong player would consider: ways to draw; ways to lay, each with the cards that may then be thrown."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from services.bots.policies.finishing import finishing_throw
from services.bots.policies.lanes import card_bit
from services.bots.policies.laying import after, lay_off
from services.bots.policies.policy import Policy
from services.bots.policies.rows import DRAWN, Rows, give, rows_of
from services.bots.policies.waiting import left_over, waits
from services.bots.policies.weighing import weighed
from services.bots.policies.worlds import Worlds
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo
from shared.rules.cards import FACES, IS_PLAIN, SECOND, bag_remove
from shared.rules.cards import FIRST as FIRST_COPY
from shared.rules.drawing import takeable_depths
from shared.rules.packing import best_melds
from shared.rules.state import DealState, Phase, next_seat
from shared.rules.views import View, view_of

THROWS: Final = 4
DEEPEST_TAKE: Final = 6
MOST_ACTIONS: Final = 30
WILD: Final = sum(FIRST_COPY[face] | SECOND[face] for face in range(FACES) if not IS_PLAIN[face])


class Option(NamedTuple):
    """A choice, and the deal that it leads to as a play-out begins with it."""

    path: tuple[SeatAction, ...]
    """The choice, and what follows it in this turn before the play-out begins."""
    rows: Rows
    """One number for each row of a play-out."""
    turn: int
    drawn: bool
    draws: bool = False
    """Whether the seat's next card comes from the stock first."""
    cost: float = 0.0
    """What is known of its throw without any play-out: how much worse it is than the way's best one, in half-points."""

    @property
    def action(self) -> SeatAction:
        """The choice."""
        return self.path[0]

    def column(self, worlds: Worlds) -> Rows:
        """The deal in each of these worlds."""
        number = worlds.hands.shape[1]
        rows = np.repeat(self.rows[:, None], number, axis=1)
        rows[: len(worlds.hands)] += worlds.hands
        if self.draws:
            give(rows, self.turn, worlds.stock[:, 0])
            rows[DRAWN] = 1
        return rows


class _Way(NamedTuple):
    """A way to lay, and where it ends."""

    path: tuple[SeatAction, ...]
    end: DealState


def options_of(view: View, state: DealState, base: Policy) -> list[Option]:
    """What is worth a play-out; the first is the base's own choice, alone where nothing else is sensible."""
    action = base.choose(view)
    if state.phase is Phase.DRAW:
        return _draws(view, state, base, action)
    if isinstance(action, Undo) or state.duties or state.time_up:
        return _only(action)
    return _plays(view, state, base, action)


def _only(action: SeatAction) -> list[Option]:
    return [Option((action,), np.zeros(0, dtype=np.int64), 0, False)]


def _draws(view: View, state: DealState, base: Policy, action: SeatAction) -> list[Option]:
    """From the stock, or as deep as the base could make use of."""
    seat = state.turn
    if isinstance(action, Pass) or not state.stock or not state.pile or state.options.pile_take == "any_depth":
        return _only(action)
    if waits(view, state, left_over(state)):
        return _only(action)
    options = [Option((Draw(seat),), rows_of(state, 0), seat, True, True)]
    depths: Sequence[int] = takeable_depths(state)[:DEEPEST_TAKE]
    for depth in depths:
        take = Take(seat, depth)
        taken = after(state, take)
        if not (taken.duties and _way(view, taken, base).end.duties):
            options.append(Option((take,), rows_of(taken, 0), seat, True))
    if all(option.action != action for option in options):
        return _only(action)
    return sorted(options, key=lambda option: option.action != action)


def _plays(view: View, state: DealState, base: Policy, action: SeatAction) -> list[Option]:
    """Ways to lay, with throws; alone the one that goes out, where there is one."""
    seat = state.turn
    own = _way(view, state, base)
    if not own.path and left_over(state) != state.hands[seat]:
        face = finishing_throw(view, state)
        return _only(action if face is None else Discard(seat, face))
    ways = [own]
    if any(isinstance(step, Lay) for step in own.path) and not _goes_out(own.end, seat):
        ways.append(_natural(state))
    options: list[Option] = []
    seen: set[tuple[object, ...]] = set()
    for way in ways:
        if _goes_out(way.end, seat):
            return _only(way.path[0] if way.path else action)
        key = (way.end.hands[seat], tuple(meld.cards for meld in way.end.melds))
        if key not in seen:
            seen.add(key)
            options += _throws(view, way, base if way is own else None)
    return options


def _throws(view: View, way: _Way, base: Policy | None) -> list[Option]:
    """What may be thrown after a way to lay; the base's own choice first."""
    end, seat = way.end, way.end.turn
    cards = weighed(_seen(view, end), end, end.hands[seat])
    least = cards[0][0]
    if base is not None:
        thrown = base.choose(_seen(view, end))
        assert isinstance(thrown, Discard)
        cards.sort(key=lambda card: card[1] != thrown.card)
    options = []
    for points, face in cards[:THROWS]:
        hands = tuple(bag_remove(hand, face) if at == seat else hand for at, hand in enumerate(end.hands))
        rows = rows_of(end._replace(hands=hands), card_bit(face))
        path, following = (*way.path, Discard(seat, face)), next_seat(seat, end.options)
        options.append(Option(path, rows, following, False, cost=2 * (points - least)))
    return options


def _goes_out(end: DealState, seat: int) -> bool:
    """With this throw, or without one (R7.1)."""
    return not end.duties and end.hands[seat].bit_count() <= 1


def _way(view: View, state: DealState, policy: Policy) -> _Way:
    """What a policy lays, to the throw."""
    path: list[SeatAction] = []
    while state.end is None and len(path) < MOST_ACTIONS:
        action = policy.choose(_seen(view, state))
        if not isinstance(action, Lay | Amend):
            break
        path.append(action)
        state = after(state, action)
    return _Way(tuple(path), state)


def _natural(state: DealState) -> _Way:
    """What plain cards alone can lay."""
    seat = state.turn
    wilds = state.hands[seat] & WILD
    if not wilds:
        return _Way((), state)
    path: list[SeatAction] = []
    plain = state._replace(hands=tuple(hand & ~WILD for hand in state.hands))
    while plain.end is None and len(path) < MOST_ACTIONS:
        melds = best_melds(plain.hands[seat], state.options).melds
        action = Lay(seat, melds) if melds else lay_off(plain)
        if action is None:
            break
        path.append(action)
        plain = after(plain, action)
    hands = tuple(hand | wilds if at == seat else hand for at, hand in enumerate(plain.hands))
    return _Way(tuple(path), plain._replace(hands=hands, end=None, phase=Phase.PLAY))


def _seen(view: View, state: DealState) -> View:
    """The view once the seat has come to this state of its turn."""
    sizes = list(view.hand_sizes)
    sizes[state.turn] = state.hands[state.turn].bit_count()
    return view_of(state, state.turn)._replace(hand_sizes=tuple(sizes))
