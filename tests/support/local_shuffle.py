"""A shuffle for tests: it answers tables at once, with cards of the test's choosing. It holds stakes too."""

import asyncio
import json
import random
from collections.abc import Iterable, Mapping, Sequence

from services.table.ceremony import Receipt
from services.table.commands import (
    ClosedSet,
    Command,
    Commitment,
    Deal,
    Funded,
    NewStock,
    Outcome,
    Reveal,
    Transcript,
    Unfunded,
)
from services.table.due import (
    Due,
    NeedsClosedSet,
    NeedsCommitment,
    NeedsDeck,
    NeedsOutcome,
    NeedsReveal,
    NeedsStakes,
    NeedsStock,
)
from services.table.evolve import ceremony_of
from services.table.state import MissingStake, Occupant, TableState
from shared.fairness import closed as fair
from shared.fairness.commitment import SECRET_BYTES, client_commitment, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.transcript import transcript
from tests.support.fair_deals import drawn
from tests.support.play import random_deck

NOW_MS = 1_764_547_200_000


class LocalShuffle:
    """Answers tables at once, the same for the same seed and context. Decks may be prepared, by number of deal.

    Kinds of answers can be held back. While decks are, none comes with an outcome either."""

    def __init__(self, seed: str = "shuffle", *, decks: Mapping[int, bytes] | None = None, starter: int = 0) -> None:
        self.seed = seed
        self.decks = dict(decks or {})
        self.starter = starter
        self.asked: list[Due] = []
        self.missing: tuple[MissingStake, ...] = ()
        """The stakes that cannot be had; where there are none, all are held."""
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
            case NeedsStakes(match_id):
                return Unfunded(match_id, self.missing) if self.missing else Funded(match_id)
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
                fair_json = json.dumps({"match_no": ctx.match_no, "deal_no": ctx.deal_no, "match": ctx.match.hex()})
                return Reveal(ctx.match, ctx.deal_no, fair_json)

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
