"""What may be done with a secret, and when (docs/fair.md, order of events)."""

import hashlib
from asyncio import Future
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from services.shuffle.attempts import ClosedPart, MatchEnd, Owner, StoredAttempt, StoredMatch
from services.shuffle.beginning import require_next
from services.shuffle.closing import Closing, close_set
from services.shuffle.custody import Custody
from services.shuffle.opening import settle, take_in
from services.shuffle.refusals import (
    BadRequestError,
    CeremonyOpenError,
    ForeignMatchError,
    OtherBodyError,
    ReshuffleOrderError,
    UnknownCeremonyError,
)
from services.shuffle.store import Claim, Store
from shared.fairness import signing
from shared.fairness.closed import CutKind, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation, derived_starter
from shared.kit.clock import Clock

MOST_RESHUFFLES: Final = 1_000
"""Of one deal."""


@dataclass(frozen=True, slots=True)
class Step:
    """An attempt after a step, and what follows from its transcript for everybody to know, once there is one."""

    attempt: StoredAttempt
    starter: int | None = None
    automatic_cut: int | None = None
    deck: bytes = b""
    """Where it was asked for: 106 faces in dealing order."""


class Revealed(NamedTuple):
    """An attempt whose secret is public, and the void ones at the same deal before it."""

    attempt: StoredAttempt
    void: list[StoredAttempt]


class Ceremonies:
    """The steps of every ceremony: each one transaction, and each answered alike however often it is asked for."""

    def __init__(self, store: Store, custody: Custody, clock: Clock) -> None:
        self._store = store
        self._custody = custody
        self._clock = clock

    def begin(self, owner: Owner, ctx: DealContext) -> Future[StoredAttempt]:
        """Makes a secret and commits to it; for an attempt that was begun before, the same answer.

        Raises `BadRequestError` where the attempt cannot follow those before, `CeremonyOpenError` where it cannot yet,
        `StaleEpochError` and `ForeignMatchError`.
        """

        async def step(claim: Claim) -> StoredAttempt:
            match, begun = await self._own_match(claim, ctx)
            if begun is None:
                require_next(match, await claim.last_attempt(match), ctx)
                begun = self._custody.begin(ctx)
                await claim.add_attempt(begun, self._clock.now_ms())
            return begun

        return self._store.claimed(owner, step)

    def close(self, owner: Owner, ctx: DealContext, asked: Closing) -> Future[Step]:
        """Closes the set of who takes part, and settles the deal where nobody's contribution is awaited.

        A set that stands is given as it was closed, whatever is asked. Raises `BadRequestError`, and what `_attempt`
        raises.
        """

        async def step(claim: Claim) -> Step:
            attempt = await _attempt(claim, ctx)
            if attempt.closed is None:
                void = await claim.attempts_before(ctx)
                now_ms = self._clock.now_ms()
                attempt = self._close(attempt, asked, void, now_ms)
                await claim.close(attempt, now_ms)
            assert attempt.closed is not None
            if attempt.closed.draws_dealer is None:
                part = replace(attempt.closed, draws_dealer=asked.dealer_draw_due)
                attempt = replace(attempt, closed=part)
            return self._step(attempt)

        return self._store.claimed(owner, step)

    def contribute(
        self, owner: Owner, ctx: DealContext, came: Mapping[int, bytes], *, last: bool, with_deck: bool = False
    ) -> Future[Step]:
        """Takes in contributions by seat. `last`: where one is missing or wrong now, the attempt is void.

        `with_deck`: gives the deck too, as `deck` does, where there is a transcript.

        An attempt that is settled or void is given as it is, whatever comes. Raises `BadRequestError` for one of a seat
        of which none is awaited, `CeremonyOpenError` before the set is closed, and what `_attempt` raises.
        """

        async def step(claim: Claim) -> Step:
            attempt = await _attempt(claim, ctx)
            if attempt.closed is None:
                raise CeremonyOpenError("the set is not closed")
            if not attempt.decided:
                now_ms = self._clock.now_ms()
                before, attempt = attempt, take_in(attempt, came, self._custody, now_ms, last=last)
                if attempt is not before:
                    await claim.open(attempt, now_ms)
            return self._step(attempt, with_deck=with_deck)

        return self._store.claimed(owner, step)

    def deck(self, owner: Owner, ctx: DealContext) -> Future[bytes]:
        """The 106 faces in dealing order. Raises `CeremonyOpenError`, and what `_attempt` raises."""

        async def step(claim: Claim) -> bytes:
            return self._deck(ctx, self._derivation(await _attempt(claim, ctx)))

        return self._store.claimed(owner, step)

    def reshuffle(self, owner: Owner, ctx: DealContext, number: int, pile: bytes) -> Future[bytes]:
        """The pile (bottom to top, without its top card) as the deal's `number`-th new stock, in drawing order.

        Raises `BadRequestError`, `CeremonyOpenError`, `ReshuffleOrderError`, `OtherBodyError` where the number was
        given to another pile, and what `_attempt` raises.
        """
        if not 1 <= number <= MOST_RESHUFFLES:
            raise BadRequestError(f"reshuffles count from 1 to {MOST_RESHUFFLES}")
        digest = hashlib.sha256(pile).digest()

        async def step(claim: Claim) -> bytes:
            attempt = await _attempt(claim, ctx)
            derivation = self._derivation(attempt)
            made = await claim.pile(ctx, number)
            if made is None:
                if attempt.revealed is not None:
                    raise ReshuffleOrderError("the deal is over")
                if number > 1 and await claim.pile(ctx, number - 1) is None:
                    raise ReshuffleOrderError("not the next reshuffle of the deal")
                await claim.add_reshuffle(ctx, number, digest, self._clock.now_ms())
            elif made != digest:
                raise OtherBodyError("the reshuffle was made")
            return derivation.reshuffle(pile, number)

        return self._store.claimed(owner, step)

    def reveal(self, owner: Owner, ctx: DealContext, *, match_over: bool = False) -> Future[Revealed]:
        """Makes the secret public, for good. With `match_over` the match's end is signed, and nothing of it begins.

        Raises `CeremonyOpenError` for an attempt that is neither settled nor void, and what `_attempt` raises.
        """

        async def step(claim: Claim) -> Revealed:
            match, attempt = await claim.find(ctx)
            attempt = _own(claim, ctx, match, attempt)
            assert match is not None
            if not attempt.decided:
                raise CeremonyOpenError
            if attempt.revealed is None:
                part = self._custody.reveal(attempt)
                await claim.reveal(ctx, part, self._clock.now_ms())
                attempt = replace(attempt, sealed=None, revealed=part)
            if match_over and match.end is None:
                await self._end(claim, match)
            return Revealed(attempt, await claim.attempts_before(ctx))

        return self._store.claimed(owner, step)

    async def _own_match(self, claim: Claim, ctx: DealContext) -> tuple[StoredMatch, StoredAttempt | None]:
        match, attempt = await claim.find(ctx)
        if match is None:
            require_next(StoredMatch(claim.owner.table_id, ctx), None, ctx)
            if await claim.begin_match(ctx, self._clock.now_ms()):
                return StoredMatch(claim.owner.table_id, ctx), None
            match, attempt = await claim.find(ctx)
            assert match is not None
        if match.table_id != claim.owner.table_id:
            raise ForeignMatchError
        if not match.has(ctx):
            raise BadRequestError("series, match_no, seats and rules are those of the match's first deal")
        return match, attempt

    def _close(self, attempt: StoredAttempt, asked: Closing, void: list[StoredAttempt], now_ms: int) -> StoredAttempt:
        closed = close_set(attempt.ctx, attempt.commitment, asked, void)
        humans = closed.of_kind(SeatKind.HUMAN)
        part = ClosedPart(
            closed=closed,
            signature=self._custody.sign(attempt.key_id, signing.CLOSED, closed.encode()),
            draws_dealer=asked.dealer_draw_due,
            receipts={
                seat: self._custody.receipt(attempt, signing.RECEIPT_H, seat, closed.seats[seat].h, now_ms)
                for seat in humans
            },
        )
        attempt = replace(attempt, closed=part)
        return attempt if humans else settle(attempt, self._custody)

    def _step(self, attempt: StoredAttempt, *, with_deck: bool = False) -> Step:
        part = attempt.closed
        if part is None or attempt.settled is None:
            return Step(attempt)
        derivation = self._custody.derivation(attempt)
        automatic = derivation.automatic_cut() if part.closed.cut_kind is CutKind.AUTOMATIC else None
        starter = derived_starter(part.closed, derivation, part.starter_rule)
        return Step(attempt, starter, automatic, self._deck(attempt.ctx, derivation) if with_deck else b"")

    def _deck(self, _ctx: DealContext, derivation: Derivation) -> bytes:
        return derivation.deck_faces()

    async def _end(self, claim: Claim, match: StoredMatch) -> None:
        """Names the last attempt that was begun, played or not: one begun for a deal that never came shows too."""
        last = await claim.last_attempt(match)
        assert last is not None
        key_id = self._custody.newest_key_id
        first = match.first
        payload = signing.match_end_payload(first.series, first.match_no, first.match, last.deal_no, last.attempt)
        signature = self._custody.sign(key_id, signing.MATCH_END, payload)
        await claim.end_match(first, MatchEnd(last.deal_no, last.attempt, key_id, signature), self._clock.now_ms())

    def _derivation(self, attempt: StoredAttempt) -> Derivation:
        if attempt.settled is None:
            raise CeremonyOpenError
        return self._custody.derivation(attempt)


async def _attempt(claim: Claim, ctx: DealContext) -> StoredAttempt:
    """The attempt that was begun by `ctx`. Raises `UnknownCeremonyError` and `ForeignMatchError`."""
    return _own(claim, ctx, *await claim.find(ctx))


def _own(claim: Claim, ctx: DealContext, match: StoredMatch | None, attempt: StoredAttempt | None) -> StoredAttempt:
    if match is not None and match.table_id != claim.owner.table_id:
        raise ForeignMatchError
    if match is None or attempt is None or not match.has(ctx):
        raise UnknownCeremonyError
    return attempt
