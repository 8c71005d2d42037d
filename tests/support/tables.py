"""Tables for tests: who sits there, a shuffle with cards of the test's choosing, and a table without a journal."""

import asyncio
import json
import random
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from services.table.ceremony import CeremonyStep, Receipt
from services.table.commands import (
    ClockOut,
    ClosedSet,
    Command,
    Commitment,
    Create,
    Cut,
    CutDue,
    Deal,
    NewStock,
    NextMatch,
    Outcome,
    Play,
    Reveal,
    Transcript,
)
from services.table.decide import decide, match_is_due
from services.table.due import (
    Due,
    NeedsClosedSet,
    NeedsCommitment,
    NeedsDeck,
    NeedsOutcome,
    NeedsReveal,
    NeedsStock,
    may_cut,
    what_is_due,
)
from services.table.events import TableEvent
from services.table.evolve import ceremony_of
from services.table.gathering import Gathered, Gathering
from services.table.journal import FIRST_EPOCH, Entry
from services.table.moment import Now
from services.table.ring import Step
from services.table.shuffling import awaited_seats
from services.table.state import Occupant, Seat, Stage, TableState
from services.table.stepping import entry_of, first_step, make_step
from shared.fairness import closed as fair
from shared.fairness.commitment import SECRET_BYTES, client_commitment, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.transcript import transcript
from shared.kit.clock import Pace
from shared.rules.actions import SeatAction, Timeout
from shared.rules.options import SAHRAT, Options
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState
from tests.support.client_values import sent_for
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

    Kinds of answers can be held back. While decks are, none comes with an outcome either."""

    def __init__(self, seed: str = "shuffle", *, decks: Mapping[int, bytes] | None = None, starter: int = 0) -> None:
        self.seed = seed
        self.decks = dict(decks or {})
        self.starter = starter
        self.asked: list[Due] = []
        self.epochs: set[int] = set()
        """Under which tables have asked."""
        self._held: dict[type, asyncio.Event] = {}
        self._closed: dict[DealContext, fair.ClosedSet] = {}

    def hold(self, kind: type) -> None:
        self._held[kind] = asyncio.Event()

    def release(self, kind: type) -> None:
        self._held.pop(kind).set()

    async def ask(self, table: TableState, due: Due, epoch: int) -> Command:
        """An `Asker`."""
        self.epochs.add(epoch)
        self.asked.append(due)
        if type(due) in self._held:
            await self._held[type(due)].wait()
        return self.answer(table, due)

    def answer(self, table: TableState, due: Due) -> Command:
        match due:
            case NeedsCommitment(ctx):
                return Commitment(ctx, self._commitment(ctx), "key-1", bytes(64))
            case NeedsClosedSet(ctx, promises):
                return self._close(table, ctx, promises)
            case NeedsOutcome(ctx, contributions, with_deck):
                outcome = self._outcome(table, ctx, contributions)
                gives = with_deck and outcome.transcript is not None and NeedsDeck not in self._held
                return outcome._replace(deck=self._deck(ctx)) if gives else outcome
            case NeedsDeck(ctx):
                return Deal(ctx, self._deck(ctx))
            case NeedsStock(ctx, number, pile):
                stock = list(pile)
                self._rng(ctx, f"stock {number}").shuffle(stock)
                return NewStock(ctx, number, bytes(stock))
            case NeedsReveal(ctx):
                return Reveal(ctx.match, ctx.deal_no, json.dumps({"deal_no": ctx.deal_no, "match": ctx.match.hex()}))

    def _deck(self, ctx: DealContext) -> bytes:
        return self.decks.get(ctx.deal_no) or random_deck(self._rng(ctx, "deck"))

    def _rng(self, ctx: DealContext, what: str) -> random.Random:
        return random.Random(f"{self.seed}/{ctx.match.hex()}/{ctx.deal_no}/{what}")

    def _commitment(self, ctx: DealContext) -> bytes:
        """It says nothing of the cards, so it follows from the context alone."""
        return server_commitment(ctx, drawn("secret", f"{ctx.match.hex()}/{ctx.deal_no}", SECRET_BYTES))

    def _close(self, table: TableState, ctx: DealContext, promises: Sequence[bytes]) -> Command:
        closed = self._closed[ctx] = _closed_set(table, ctx, self._commitment(ctx), promises)
        humans = closed.of_kind(fair.SeatKind.HUMAN)
        settled = None if humans else self._transcript(table, closed, [b""] * len(promises))
        return ClosedSet(ctx, closed.encode(), bytes(64), _receipts(humans), settled)

    def _outcome(self, table: TableState, ctx: DealContext, contributions: Sequence[bytes]) -> Outcome:
        closed = self._closed[ctx]
        failed = tuple(
            seat
            for seat in closed.of_kind(fair.SeatKind.HUMAN)
            if not contributions[seat] or client_commitment(ctx, seat, contributions[seat]) != closed.seats[seat].h
        )
        return Outcome(ctx, None if failed else self._transcript(table, closed, contributions), failed)

    def _transcript(self, table: TableState, closed: fair.ClosedSet, contributions: Sequence[bytes]) -> Transcript:
        automatic = closed.cut_kind is fair.CutKind.AUTOMATIC
        return Transcript(
            transcript=transcript(closed, contributions),
            signature=bytes(64),
            contributions=tuple(contributions),
            receipts=_receipts(closed.of_kind(fair.SeatKind.HUMAN)),
            starter=self.starter if ceremony_of(table).starter is None else None,
            automatic_cut=53 if automatic else 0,
        )


def _receipts(seats: Iterable[int]) -> tuple[Receipt, ...]:
    return tuple(Receipt(seat, NOW_MS, bytes(64)) for seat in seats)


def _closed_set(table: TableState, ctx: DealContext, commitment: bytes, promises: Sequence[bytes]) -> fair.ClosedSet:
    ceremony = ceremony_of(table)
    kinds = fair.SeatKind

    def seat(number: int) -> fair.Seat:
        taken = table.seats[number]
        if taken.occupant is not Occupant.PERSON:
            return fair.Seat(kinds.BOT)
        if number in ceremony.shut_out:
            return fair.Seat(kinds.SHUT_OUT, taken.account)
        h = promises[number]
        return fair.Seat(kinds.HUMAN if h else kinds.ABSENT, taken.account, h)

    by_host = fair.CutKind.HOST if ceremony.cut else fair.CutKind.AUTOMATIC
    return fair.ClosedSet(
        ctx=ctx,
        commitment=commitment,
        host=fair.NO_HOST if ceremony.host is None else ceremony.host,
        cut_kind=fair.CutKind.NONE if ceremony.host is None else by_host,
        cut=ceremony.cut,
        beacon=b"",
        seats=tuple(map(seat, range(len(table.seats)))),
    )


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
        self.clients: frozenset[int] = frozenset()
        """The seats whose clients take part in shuffles."""
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
            self.ring()
            self.settle()

    def _take(self, step: Step, command: Command) -> None:
        self.steps.append(step)
        number = len(self.steps)
        self.entries.append(entry_of(step, command, f"command {number}", b"digest", self.now_ms, FIRST_EPOCH))
