"""An evening at a table in virtual time, of which one player goes away: everybody else plays on by the same choices."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from services.table.ceremony import CeremonyStep
from services.table.clocks import ABSENT_MS, ALL_ABSENT_MS
from services.table.commands import Ask, CeremonyClockOut, GraceOut, Presence, TakeVacancy, Wish
from services.table.decide import match_is_due
from services.table.due import vacancies
from services.table.events import AwayChanged, GraceOver, SeatLeft, StandInTook
from services.table.ring import Step
from services.table.seats import next_grace_end
from services.table.state import Occupant, Stage, TableState
from shared.rules.actions import Timeout
from shared.rules.options import Options
from tests.support.play import Temper, sensible_action
from tests.support.tables import PureTable

LIVELY: Final = Temper(meld=0.8, amend=0.5, take=0.4, undo=0.0, timeout=0.0, mischief=0.0)
THINKS_MS: Final = 700
"""How long everybody takes over a move."""
BOT_COMES_MS: Final = 400
"""How soon a house bot takes a seat that is offered."""
HOUSE: Final = "house:one"
Moment = tuple[bytes, int, int, int]
"""A match, its deal, its turn, and how many moves have been made in it."""


@dataclass(frozen=True)
class Plan:
    """Who goes away, when, how, and when that player is back."""

    moment: Callable[[TableState], bool]
    seat: int = 0
    back_after_ms: int | None = None
    """``None``: never."""
    on_purpose: bool = False
    bots_come: bool = True
    is_ours: bool = False


@dataclass
class Evening:
    """One evening. Without a plan nobody goes away, but at ``idle`` moments the player of ``idle_seat`` waits for the
    clock."""

    options: Options
    plan: Plan | None = None
    idle: frozenset[Moment] = frozenset()
    idle_seat: int = 0
    until: Callable[[TableState], bool] = lambda state: state.deal_no >= 3
    by_clock: set[Moment] = field(default_factory=set)
    """When the clock played that player's hand."""

    def __post_init__(self) -> None:
        self.table = PureTable(self.options)
        for seat in self.table.state.seats:
            self.table.apply(Presence(seat.account, away=False))
        self.went_ms: int | None = None
        self.is_back = False
        self._turn = (b"", 0, 0)
        self._moves = 0

    def run(self) -> "Evening":
        """To its end, which comes within ten thousand things that happen."""
        table = self.table
        for _ in range(10_000):
            if table.state.stage is Stage.CLOSED or self.until(table.state):
                return self
            if self.plan is not None and self.went_ms is None and self.plan.moment(table.state):
                self._go(self.plan)
            elif not self._answered():
                self._next()
            step = table.steps[-1]
            for fault in faults(step, self.table.entries[-1].at_ms):
                raise AssertionError(f"{fault} at revision {step.revision}: {step.events}")
        raise AssertionError(f"it does not end: {table.state.stage}, deal {table.state.deal_no}")

    @property
    def account(self) -> str:
        """Of the player who goes away."""
        return ("ada", "bayan", "cem", "dana")[self.plan.seat if self.plan else self.idle_seat]

    def _go(self, plan: Plan) -> None:
        self.went_ms = self.table.now_ms
        if plan.on_purpose:
            self.table.apply(Ask(self.account, Wish.LEAVE))
        self._try(Presence(self.account, away=True, is_ours=plan.is_ours))

    def _answered(self) -> bool:
        """Whether another service's answer was waited for, and has come at once. Clients that are there take part."""
        table, state = self.table, self.table.state
        ceremony = state.next_fair
        if ceremony is not None and ceremony.step is CeremonyStep.CUTTING:
            return False
        there = {n for n, seat in enumerate(state.seats) if not seat.away and seat.plays is Occupant.PERSON}
        table.clients = frozenset(there)
        return table.settle_once()

    def _next(self) -> None:
        """The next thing that falls due, by time: a clock, a return, a house bot, a move."""
        table, state = self.table, self.table.state
        due: list[tuple[int, int, Callable[[], object]]] = []

        def at(moment_ms: int | None, work: Callable[[], object]) -> None:
            if moment_ms is not None:
                due.append((max(moment_ms, table.now_ms), len(due), work))

        plan = self.plan
        if plan is not None and self.went_ms is not None and plan.back_after_ms is not None and not self.is_back:
            at(self.went_ms + plan.back_after_ms, self._come_back)
        at(next_grace_end(state), lambda: table.apply(GraceOut(table.now_ms)))
        at(state.deadline_ms, self._ring)
        if state.next_fair is not None and state.next_fair.step is CeremonyStep.CUTTING:
            deadline_ms = state.next_fair.deadline_ms
            assert deadline_ms is not None
            at(deadline_ms, lambda: table.apply(CeremonyClockOut(deadline_ms)))
            if self._acts(state.host_seat):
                at(table.now_ms + THINKS_MS, lambda: table.cut(53))
        if plan is None or plan.bots_come:
            for _, vacancy in vacancies(state):
                at(table.now_ms + BOT_COMES_MS, partial(table.apply, TakeVacancy(vacancy, HOUSE, "Kitt")))
        deal = state.deal if state.stage is Stage.DEAL else None
        if deal is not None and not deal.time_up and self._acts(deal.turn):
            at(table.now_ms + THINKS_MS, self._move)
        assert due or match_is_due(state), f"nothing will ever happen again: {state}"
        table.now_ms, _, work = min(due)
        work()

    def _acts(self, seat: int) -> bool:
        """Whether somebody plays the seat now who makes moves."""
        state = self.table.state
        if self.plan is None:
            return seat != self.idle_seat or self._moment() not in self.idle
        return bool(state.seats[seat].stand_in) or not state.seats[seat].away

    def _moment(self) -> Moment:
        state = self.table.state
        turn = state.match_id, state.deal_no, 0 if state.deal is None else state.deal.turn_no
        if turn != self._turn:
            self._turn, self._moves = turn, 0
        return *turn, self._moves

    def _move(self) -> None:
        """What anybody would choose who holds these cards."""
        action = sensible_action(random.Random(str(self._moment())), self.table.deal, LIVELY)
        assert not isinstance(action, Timeout)
        self._moves += 1
        self.table.act(action)

    def _ring(self) -> None:
        state = self.table.state
        if state.stage is Stage.DEAL and state.deal is not None and state.deal.turn == self._seat_now():
            self.by_clock.add(self._moment())
        self.table.ring()

    def _seat_now(self) -> int:
        seat = self.table.state.seat_of(self.account)
        assert seat is not None
        return seat

    def _come_back(self) -> None:
        self.is_back = True
        self._try(Presence(self.account, away=False))

    def _try(self, command: Presence) -> None:
        if self.table.state.seats[self._seat_now()].left:
            return  # the table lets nobody watch who has left
        self.table.apply(command)

    def results(self) -> list[tuple[object, ...]]:
        """What came of each deal: every hand left, its score, the totals."""
        lasts = [step.after.last for step in self.table.steps]
        return [tuple(last) for n, last in enumerate(lasts) if last is not None and last is not lasts[n - 1]]

    def decks(self) -> list[tuple[bytes, int, object]]:
        """The cards of each deal as it began."""
        began = [step.after for step in self.table.steps if step.after.deal_no != step.states[0].deal_no]
        return [(state.match_id, state.deal_no, state.deal and (state.deal.hands, state.deal.stock)) for state in began]


_OF_SEATS: Final = (AwayChanged, GraceOver, SeatLeft, StandInTook)


def faults(step: Step, at_ms: int) -> list[str]:
    """What must never come of somebody's going or coming (R10)."""
    before, after = step.states[0], step.after
    found = []
    if any(isinstance(event, _OF_SEATS) for event in step.events):
        if after.deal is not before.deal:
            found.append("a coming or going changed the deal")
        if (after.match, after.series) != (before.match, before.series):
            found.append("a coming or going changed the score")
    if before.deal is None or after.deal is None or before.stage is not Stage.DEAL or after.stage is not Stage.DEAL:
        return found
    seat, is_new = after.deal.turn, after.deal.turn_no != before.deal.turn_no
    limit_ms = turn_ms(after, seat)
    if is_new and after.deadline_ms is not None and after.deadline_ms != at_ms + limit_ms:
        found.append(f"seat {seat} has {after.deadline_ms - at_ms} ms instead of {limit_ms}")
    was_ms, is_ms = before.deadline_ms, after.deadline_ms
    if (
        was_ms is not None
        and is_ms is not None
        and is_ms < was_ms
        and not (after.options.stake and after.seats[seat].is_absent)
    ):
        found.append(f"the clock of seat {seat}, which is none that is absent at a coin table, was shortened")
    return found


def turn_ms(state: TableState, seat: int) -> int:
    """What a turn has there (R9.1, R10.3)."""
    if state.options.stake and state.seats[seat].is_absent:
        return ALL_ABSENT_MS if all(other.is_absent for other in state.seats) else ABSENT_MS
    return state.options.turn_seconds * 1000
