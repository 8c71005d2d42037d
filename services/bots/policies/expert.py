"""The expert policy: what a strong player would consider, each played out in the same sampled worlds.

Its own reckoning decides only where it is clear of chance; else the strong player's choice stands.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

import numpy as np

from services.bots.policies.aimless import chance_of
from services.bots.policies.considering import Option, options_of
from services.bots.policies.lanes import Column
from services.bots.policies.playout import Playout, Setting
from services.bots.policies.policy import Policy
from services.bots.policies.rows import NUMBER
from services.bots.policies.seat import seat_to_act
from services.bots.policies.worlds import sample
from shared.rules.actions import SeatAction
from shared.rules.state import DealState
from shared.rules.views import View

BUDGET_S: Final = 0.08
LATEST_S: Final = 0.05
"""No play-outs are begun that would end later: a busy machine may hold them up."""
FIRST_ROUND_S: Final = 0.03
"""What the first round of play-outs is thought to take at the most."""
ROUND: Final = 480
"""Play-outs at a time: of few, each costs more."""
MOST: Final = 960
"""Play-outs for a decision, however much time there is."""
CLEAR: Final = 0.8
"""Standard errors by which another choice has to be better."""
HOPELESS: Final = 2.0
"""Standard errors behind the best at which a choice is given up."""


class Expert:
    """Plays out for a time, or a number of times: then its choice follows from the view alone."""

    def __init__(self, base: Policy, playouts: int | None = None, now: Callable[[], float] = monotonic) -> None:
        """``base``: whose choice stands in doubt. ``now``: seconds, monotonic."""
        self._base = base
        self._playouts = playouts
        self._now = now

    def choose(self, view: View) -> SeatAction:
        """See :class:`services.bots.policies.policy.Policy`."""
        began = self._now()
        state = seat_to_act(view)
        options = options_of(view, state, self._base)
        if len({option.action for option in options}) == 1:
            return options[0].action
        return self._best(view, state, options, began)

    def _best(self, view: View, state: DealState, options: Sequence[Option], began: float) -> SeatAction:
        chance = np.random.default_rng(chance_of(view, "expert").getrandbits(64))
        ends: list[list[Column]] = [[] for _ in options]
        kept = list(range(len(options)))
        left = self._playouts or MOST
        longest, now = FIRST_ROUND_S, self._now()
        while left > 0 and len(kept) > 1 and (self._playouts is not None or now + longest < began + LATEST_S):
            worlds = max(1, min(ROUND, left) // len(kept))
            played = self._played(view, state, [options[at] for at in kept], worlds, chance)
            for at, end in zip(kept, played, strict=True):
                ends[at].append(end)
            left -= worlds * len(kept)
            kept = _still_open(ends, kept)
            before, now = now, self._now()
            longest = max(longest, now - before)
        return options[_chosen(ends, kept)].action

    def _played(
        self, view: View, state: DealState, options: Sequence[Option], number: int, chance: np.random.Generator
    ) -> list[Column]:
        """For each option how the seat's team ends in as many worlds, the same for all, less what its throw costs."""
        worlds = sample(view, state, options[0].rows, number, chance)
        rows = np.concatenate([option.column(worlds) for option in options], axis=1)
        rows[NUMBER] = np.arange(rows.shape[1])
        stock = np.tile(worlds.stock, (len(options), 1))
        setting = Setting(state.options, options[0].turn, options[0].drawn)
        gap = Playout(setting, rows, stock).run()
        ends = (gap if state.turn & 1 == 0 else -gap).reshape(len(options), number)
        return list(ends - np.array([[option.cost] for option in options]))


def _still_open(ends: list[list[Column]], kept: list[int]) -> list[int]:
    """Those that may yet be chosen: no option that is far behind the best, but always the first."""
    joined = {at: np.concatenate(ends[at]) for at in kept}
    best = max(kept, key=lambda at: joined[at].mean())
    return [at for at in kept if at in (0, best) or not _behind(joined[at], joined[best], HOPELESS)]


def _chosen(ends: list[list[Column]], kept: list[int]) -> int:
    """The best, if it is clearly better than the first."""
    if not ends[0]:
        return 0
    joined = {at: np.concatenate(ends[at]) for at in kept}
    best = max(kept, key=lambda at: joined[at].mean())
    return best if _behind(joined[0], joined[best], CLEAR) else 0


def _behind(one: Column, other: Column, errors: float) -> bool:
    """Whether one option is worse than another by more than so many standard errors, world by world."""
    gaps = other - one
    return bool(gaps.mean() > errors * gaps.std() / len(gaps) ** 0.5)
