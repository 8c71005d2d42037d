"""Tables for tests: who sits there, a shuffle with cards of the test's choosing, and a table without a journal."""

import asyncio
import json
import random
import uuid
from collections.abc import Mapping, Sequence

from services.table.commands import ClockOut, Command, Commitment, Create, Deal, NewStock, NextMatch, Play, Reveal
from services.table.decide import Now, decide, match_is_due
from services.table.due import Due, NeedsCommitment, NeedsDeck, NeedsReveal, NeedsStock, what_is_due
from services.table.events import TableEvent
from services.table.journal import Entry
from services.table.ring import Step
from services.table.state import Fair, Occupant, Seat, Stage, TableState
from services.table.stepping import entry_of, first_step, make_step
from shared.fairness.context import DealContext
from shared.kit.clock import Pace
from shared.rules.actions import SeatAction, Timeout
from shared.rules.options import SAHRAT, Options
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState
from tests.support.fair_deals import drawn
from tests.support.play import Temper, next_action, random_deck

TABLE_ID = "7ab1e000-0000-4000-8000-000000000001"
PEOPLE = ("ada", "bayan", "cem", "dana")
NOW_MS = 1_764_547_200_000
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


def creation(options: Options = SAHRAT, seats: Sequence[Seat] = (), match_id: bytes = b"") -> Create:
    match_id = match_id or match_of(TABLE_ID)
    return Create(options, tuple(seats) or seated(options=options), 0, match_id, match_id)


def match_of(table_id: str) -> bytes:
    """The id of a table's first match."""
    return drawn("match", table_id, 16)


def table_id_of(number: int) -> str:
    return str(uuid.UUID(int=number + 1, version=4))


class LocalShuffle:
    """Answers tables at once, the same for the same seed and context. Decks may be prepared, by number of deal.

    Kinds of answers can be held back.
    """

    def __init__(self, seed: str = "shuffle", *, decks: Mapping[int, bytes] | None = None, starter: int = 0) -> None:
        self.seed = seed
        self.decks = dict(decks or {})
        self.starter = starter
        self.asked: list[Due] = []
        self._held: dict[type, asyncio.Event] = {}

    def hold(self, kind: type) -> None:
        self._held[kind] = asyncio.Event()

    def release(self, kind: type) -> None:
        self._held.pop(kind).set()

    async def ask(self, table: TableState, due: Due) -> Command:
        """An `Asker`."""
        self.asked.append(due)
        if type(due) in self._held:
            await self._held[type(due)].wait()
        return self.answer(table, due)

    def answer(self, table: TableState, due: Due) -> Command:
        match due:
            case NeedsCommitment(ctx):
                return Commitment(ctx, Fair(self._bytes(ctx, "commitment", 64), "key-1", bytes(64)))
            case NeedsDeck(ctx):
                assert table.fair is not None
                fair = table.fair._replace(
                    closed=self._bytes(ctx, "closed", 90),
                    closed_signature=bytes(64),
                    transcript=self._bytes(ctx, "transcript", 64),
                    transcript_signature=bytes(64),
                )
                deck = self.decks.get(ctx.deal_no) or random_deck(self._rng(ctx, "deck"))
                return Deal(ctx, fair, self.starter if table.starter is None else None, deck)
            case NeedsStock(ctx, number, pile):
                stock = list(pile)
                self._rng(ctx, f"stock {number}").shuffle(stock)
                return NewStock(ctx, number, bytes(stock))
            case NeedsReveal(ctx):
                return Reveal(ctx.match, ctx.deal_no, json.dumps({"deal_no": ctx.deal_no, "match": ctx.match.hex()}))

    def _rng(self, ctx: DealContext, what: str) -> random.Random:
        return random.Random(f"{self.seed}/{ctx.match.hex()}/{ctx.deal_no}/{what}")

    def _bytes(self, ctx: DealContext, what: str, length: int) -> bytes:
        """What is published of a deal: it says nothing of the cards, so it follows from the context alone."""
        return drawn("published", f"{ctx.match.hex()}/{ctx.deal_no}/{what}", length)


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
    ) -> None:
        self.shuffle = shuffle or LocalShuffle()
        self.pace = pace or Pace()
        self.now_ms = NOW_MS
        self.withheld: tuple[type, ...] = ()
        """Kinds of answers that do not come."""
        self.steps: list[Step] = []
        self.entries: list[Entry] = []
        create = creation(options, seats, match_of(table_id))
        self._take(first_step(table_id, create), create)

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
        account = account or self.state.seats[action.seat].account
        return self.apply(Play(account, self.state.deal_no, self.deal.turn_no, action))

    def ring(self) -> tuple[TableEvent, ...]:
        """Lets the clock run out."""
        deadline_ms = self.state.deadline_ms
        assert deadline_ms is not None
        self.now_ms = max(self.now_ms, deadline_ms)
        return self.apply(ClockOut(deadline_ms))

    def settle(self) -> None:
        """Answers all that the table waits for from other services."""
        while True:
            due = what_is_due(self.state)
            if match_is_due(self.state):
                self.apply(NextMatch(drawn(self.shuffle.seed, f"match {sum(self.state.series.wins)}", 16)))
            elif due is not None and not isinstance(due, self.withheld):
                self.apply(self.shuffle.answer(self.state, due))
            else:
                return

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
            self.ring()
            self.settle()

    def _take(self, step: Step, command: Command) -> None:
        self.steps.append(step)
        number = len(self.steps)
        self.entries.append(entry_of(step, command, f"command {number}", b"digest", self.now_ms))
