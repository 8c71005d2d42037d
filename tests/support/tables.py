"""Tables for tests: who sits there, and a table without a journal."""

import random
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from services.table.ceremony import CeremonyStep
from services.table.commands import (
    Ask,
    ClockOut,
    Command,
    Create,
    Cut,
    CutDue,
    NextMatch,
    Play,
    Wish,
)
from services.table.decide import decide, match_is_due
from services.table.due import (
    NeedsDeck,
    NeedsOutcome,
    may_cut,
    stakes_of,
    what_is_due,
)
from services.table.events import TableEvent
from services.table.evolve import ceremony_of
from services.table.gathering import Gathered, Gathering
from services.table.journal import FIRST_EPOCH, Entry
from services.table.moment import Now
from services.table.refusals import NothingToDoError, SwapNotPossibleError
from services.table.ring import Step
from services.table.shuffling import awaited_seats
from services.table.state import Occupant, Seat, Stage, TableState
from services.table.stepping import entry_of, first_step, make_step
from shared.kit.clock import Pace
from shared.rules.actions import SeatAction, Timeout
from shared.rules.options import SAHRAT, Options
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState
from tests.support.client_values import sent_for
from tests.support.fair_deals import drawn
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.play import Temper, next_action

TABLE_ID = "7ab1e000-0000-4000-8000-000000000001"
PEOPLE = ("ada", "bayan", "cem", "dana")
QUICK = Temper(meld=0.9, amend=0.9, timeout=0.0, mischief=0.0)
"""Lays what it can: deals of some forty turns."""


def seated(*people: str, options: Options = SAHRAT, bots: Sequence[int] = ()) -> tuple[Seat, ...]:
    """A seat for each name, vacant where it is empty; those in `bots` are accounts flagged as bots."""
    names = people or PEOPLE[: options.seats]
    return tuple(
        Seat("", "", Occupant.VACANT, vacancy=f"vacancy:{number}")
        if not name
        else Seat(name, name.title(), Occupant.BOT if number in bots else Occupant.PERSON, away=number not in bots)
        for number, name in enumerate(names)
    )


def creation(
    options: Options = SAHRAT, seats: Sequence[Seat] = (), match_id: bytes = b"", *, private: bool = False
) -> Create:
    match_id = match_id or match_of(TABLE_ID)
    return Create(options, tuple(seats) or seated(options=options), 0, match_id, match_id, private)


def match_of(table_id: str) -> bytes:
    """The id of a table's first match."""
    return drawn("match", table_id, 16)


def table_id_of(number: int) -> str:
    return str(uuid.UUID(int=number + 1, version=4))


class PureTable:
    """A table that is only decided and evolved, with its steps and the entries that a journal would get."""

    def __init__(
        self,
        options: Options = SAHRAT,
        *,
        seats: Sequence[Seat] = (),
        shuffle: LocalShuffle | None = None,
        pace: Pace | None = None,
        table_id: str = TABLE_ID,
        private: bool = False,
    ) -> None:
        self.shuffle = shuffle or LocalShuffle()
        self.pace = pace or Pace()
        self.now_ms = NOW_MS
        self.withheld: tuple[type, ...] = ()
        """Kinds of answers that do not come."""
        self.clients: frozenset[int] = frozenset()
        """The seats whose clients take part in shuffles."""
        self.steps: list[Step] = []
        self.entries: list[Entry] = []
        create = creation(options, seats, match_of(table_id), private=private)
        self._take(first_step(table_id, create, Now(self.now_ms, self.pace)), create)

    @property
    def state(self) -> TableState:
        return self.steps[-1].after

    @property
    def deal(self) -> DealState:
        assert self.state.deal is not None
        return self.state.deal

    @property
    def left_ms(self) -> int:
        """How long the clock has to run."""
        assert self.state.deadline_ms is not None
        return self.state.deadline_ms - self.now_ms

    def apply(self, command: Command) -> tuple[TableEvent, ...]:
        """Has a command decided and applied; raises what `decide` raises, and is then as it was."""
        events = decide(self.state, command, Now(self.now_ms, self.pace))
        self._take(make_step(self.state, events, command), command)
        return events

    def act(self, action: SeatAction, account: str = "") -> tuple[TableEvent, ...]:
        seat = self.state.seats[action.seat]
        account = account or seat.stand_in or seat.account
        return self.apply(Play(account, self.state.deal_no, self.deal.turn_no, action))

    def ring(self) -> tuple[TableEvent, ...]:
        """Lets the clock run out."""
        deadline_ms = self.state.deadline_ms
        assert deadline_ms is not None
        self.now_ms = max(self.now_ms, deadline_ms)
        return self.apply(ClockOut(deadline_ms))

    def settle(self) -> None:
        """Answers all that the table waits for from other services."""
        while self.settle_once():
            pass

    def settle_once(self) -> bool:
        """Answers the next thing that the table waits for; whether there was one."""
        ceremony, gathered = self.state.next_fair, self.gathered()
        due = what_is_due(self.state, gathered)
        if due is None and self.state.stage is Stage.FUNDING and self._is_unwatched():
            due = stakes_of(self.state)  # as if all had been there for a moment
        if match_is_due(self.state):
            self.apply(NextMatch(drawn(self.shuffle.seed, f"match {sum(self.state.series.wins)}", 16)))
        elif ceremony is not None and ceremony.step is CeremonyStep.PROMISING and may_cut(ceremony, gathered):
            self.apply(CutDue(ceremony.context, gathered.values))
        elif ceremony is not None and ceremony.step is CeremonyStep.CUTTING:
            self.cut(53)
        elif due is not None and not isinstance(due, self.withheld):
            if isinstance(due, NeedsOutcome) and NeedsDeck in self.withheld:
                due = due._replace(with_deck=False)
            self.apply(self.shuffle.answer(self.state, due))
        else:
            return False
        return True

    def _is_unwatched(self) -> bool:
        """Whether a test leaves it open who is there: in a first match, or where nobody is."""
        return not any(self.state.series.wins) or all(seat.away for seat in self.state.seats)

    def gathered(self) -> Gathered:
        """What the clients that take part send for the step that a shuffle is at, once the time for it is over."""
        gathering = Gathering(self.state)
        ceremony = self.state.next_fair
        if ceremony is not None and ceremony.step in (CeremonyStep.PROMISING, CeremonyStep.OPENING):
            for seat in self.clients & awaited_seats(self.state):
                gathering.take(ceremony.step, seat, sent_for(ceremony, seat))
        gathering.end()
        return gathering.gathered

    def cut(self, cut: int, account: str = "") -> tuple[TableEvent, ...]:
        """Cuts as the host, or as somebody else."""
        host = ceremony_of(self.state).host
        assert host is not None
        return self.cut_about(cut, account=account or self.state.seats[host].account)

    def cut_about(self, cut: int, **other: Any) -> tuple[TableEvent, ...]:
        """Cuts with other values in the command."""
        ceremony = ceremony_of(self.state)
        assert ceremony.host is not None
        ctx = ceremony.context
        command = Cut(self.state.seats[ceremony.host].account, ctx.match, ctx.deal_no, ctx.attempt, cut)
        return self.apply(command._replace(**other))

    def put(self, deal: DealState) -> None:
        """Goes on from another state of the deal."""
        step = self.steps[-1]
        self.steps[-1] = step._replace(states=(*step.states[:-1], step.after._replace(deal=deal)))

    def play(self, rng: random.Random, temper: Temper = QUICK, most: int = 6_000) -> None:
        """Plays on at random, to the end of the deal or for so many actions."""
        self.settle()
        for _ in range(most):
            if self.state.stage is not Stage.DEAL:
                return
            action = next_action(rng, self.deal, temper)
            self.now_ms += rng.randrange(1, 900)
            if isinstance(action, Timeout) or self.left_ms <= 0:
                self.ring()
            else:
                before = self.state
                try:
                    self.act(action)
                except RefusedError:
                    assert self.state is before
            self.settle()

    def play_on(self, rng: random.Random, temper: Temper = QUICK) -> None:
        """Plays to the table's end."""
        self.settle()
        while self.state.stage is not Stage.CLOSED:
            self.play(rng, temper)
            self.swap_some(rng)
            if self.state.deadline_ms is not None:
                self.ring()
            self.settle()

    def swap_some(self, rng: random.Random) -> None:
        """Where seats may be swapped (R8.3), some ask and some agree."""
        for account in rng.choices([seat.account for seat in self.state.seats], k=4):
            if self.state.stage is Stage.SWAP:
                with suppress(SwapNotPossibleError, NothingToDoError):
                    self.apply(Ask(account, Wish.SWAP))

    def _take(self, step: Step, command: Command) -> None:
        self.steps.append(step)
        number = len(self.steps)
        self.entries.append(entry_of(step, command, f"command {number}", b"digest", self.now_ms, FIRST_EPOCH))
