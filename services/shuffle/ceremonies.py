"""What may be done with a secret, and when (docs/fair.md, order of events)."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from services.shuffle.attempts import ClosedPart, Owner, RevealedPart, StoredAttempt, StoredMatch
from services.shuffle.closing import Closing, close_set
from services.shuffle.refusals import (
    BadRequestError,
    CeremonyOpenError,
    ForeignMatchError,
    OtherBodyError,
    ReshuffleOrderError,
    UnknownCeremonyError,
    UnknownMatchError,
)
from services.shuffle.signing_keys import SigningKeys
from services.shuffle.store import Claim, Store
from shared.fairness import signing
from shared.fairness.closed import CutKind
from shared.fairness.commitment import SECRET_BYTES, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation, derived_starter
from shared.fairness.transcript import transcript
from shared.kit.clock import Clock
from shared.kit.sealing import SealingKeys

MOST_DEALS: Final = 500
"""Of one match: far above any that is played."""
MOST_RESHUFFLES: Final = 1_000
"""Of one deal."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed set, and what follows from it for everybody to know."""

    part: ClosedPart
    starter: int | None
    automatic_cut: int | None


class PublicMatch(NamedTuple):
    """All that is public of a match. `withheld` counts deals that are over and not revealed."""

    attempts: list[StoredAttempt]
    withheld: int


class Ceremonies:
    """The steps of every ceremony. `draw` gives random bytes of a length: the operating system's, but in tests."""

    def __init__(
        self,
        store: Store,
        sealing: SealingKeys,
        signing_keys: SigningKeys,
        clock: Clock,
        draw: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._store = store
        self._sealing = sealing
        self._signing = signing_keys
        self._clock = clock
        self._draw = draw

    async def begin(self, owner: Owner, ctx: DealContext) -> StoredAttempt:
        """Makes a secret and commits to it; for an attempt that was begun before, the same answer.

        Raises `BadRequestError` where the attempt cannot follow those before, `CeremonyOpenError` where the deal before
        it is not closed, `StaleEpochError` and `ForeignMatchError`.
        """
        if ctx.deal_no > MOST_DEALS:
            raise BadRequestError(f"a match has at most {MOST_DEALS} deals")
        async with self._store.claimed(owner) as claim:
            match, begun = await self._own_match(claim, owner, ctx)
            if begun is None:
                _require_next(await claim.last_attempt(match), ctx)
                begun = self._new_attempt(ctx)
                await claim.add_attempt(begun, self._clock.now_ms())
            return begun

    async def close(self, owner: Owner, ctx: DealContext, asked: Closing) -> Closed:
        """Closes the set of who takes part; for a set closed so before, the same answer.

        Raises `BadRequestError`, `OtherBodyError` for one closed otherwise, and what `_attempt` raises.
        """
        async with self._store.claimed(owner) as claim:
            attempt = await _attempt(claim, owner, ctx)
            part = attempt.closed
            if part is None:
                part = self._close(attempt, asked)
                await claim.close(ctx, part, self._clock.now_ms())
            elif part.digest != asked.digest():
                raise OtherBodyError("the set was closed")
        derivation = Derivation(self._secret(attempt), part.transcript)
        automatic = derivation.automatic_cut() if part.closed.cut_kind is CutKind.AUTOMATIC else None
        return Closed(part, derived_starter(part.closed, derivation, asked.starter_rule), automatic)

    async def deck(self, owner: Owner, ctx: DealContext) -> bytes:
        """The 106 faces in dealing order. Raises `CeremonyOpenError`, and what `_attempt` raises."""
        async with self._store.claimed(owner) as claim:
            attempt = await _attempt(claim, owner, ctx)
        return self._derivation(attempt).deck_faces()

    async def reshuffle(self, owner: Owner, ctx: DealContext, number: int, pile: bytes) -> bytes:
        """The pile (bottom to top, without its top card) as the deal's `number`-th new stock, in drawing order.

        Raises `BadRequestError`, `CeremonyOpenError`, `ReshuffleOrderError`, `OtherBodyError` where the number was
        given to another pile, and what `_attempt` raises.
        """
        if not 1 <= number <= MOST_RESHUFFLES:
            raise BadRequestError(f"reshuffles count from 1 to {MOST_RESHUFFLES}")
        digest = hashlib.sha256(pile).digest()
        async with self._store.claimed(owner) as claim:
            attempt = await _attempt(claim, owner, ctx)
            derivation = self._derivation(attempt)
            made = await claim.piles(ctx, number - 1, number)
            if number not in made:
                if attempt.revealed is not None:
                    raise ReshuffleOrderError("the deal is over")
                if number > 1 and number - 1 not in made:
                    raise ReshuffleOrderError("not the next reshuffle of the deal")
                await claim.add_reshuffle(ctx, number, digest, self._clock.now_ms())
            elif made[number] != digest:
                raise OtherBodyError("the reshuffle was made")
        return derivation.reshuffle(pile, number)

    async def reveal(self, owner: Owner, ctx: DealContext) -> StoredAttempt:
        """Makes the secret public, for good. Raises `CeremonyOpenError`, and what `_attempt` raises."""
        async with self._store.claimed(owner) as claim:
            attempt = await _attempt(claim, owner, ctx)
            if attempt.closed is None:
                raise CeremonyOpenError
            if attempt.revealed is None:
                secret = self._secret(attempt)
                payload = signing.reveal_payload(ctx, secret)
                part = RevealedPart(secret, self._signing.sign(attempt.key_id, signing.REVEAL, payload))
                await claim.reveal(ctx, part, self._clock.now_ms())
                attempt = replace(attempt, sealed=None, revealed=part)
            return attempt

    async def audit(self, match_id: bytes) -> PublicMatch:
        """Everything that is public of a match. Raises `UnknownMatchError`."""
        attempts = await self._store.attempts(match_id)
        if not attempts:
            raise UnknownMatchError
        last_deal = attempts[-1].ctx.deal_no
        over = [attempt for attempt in attempts if attempt.closed is not None and attempt.ctx.deal_no < last_deal]
        return PublicMatch(attempts, sum(attempt.revealed is None for attempt in over))

    async def _own_match(
        self, claim: Claim, owner: Owner, ctx: DealContext
    ) -> tuple[StoredMatch, StoredAttempt | None]:
        match, attempt = await claim.find(ctx)
        if match is None:
            _require_next(None, ctx)
            await claim.begin_match(ctx, self._clock.now_ms())
            match, attempt = await claim.find(ctx)
            assert match is not None
        if match.table_id != owner.table_id:
            raise ForeignMatchError
        if not match.has(ctx):
            raise BadRequestError("series, match_no, seats and rules are those of the match's first deal")
        return match, attempt

    def _new_attempt(self, ctx: DealContext) -> StoredAttempt:
        secret = self._draw(SECRET_BYTES)
        commitment = server_commitment(ctx, secret)
        key_id = self._signing.newest_id
        return StoredAttempt(
            ctx=ctx,
            commitment=commitment,
            key_id=key_id,
            commit_signature=self._signing.sign(key_id, signing.COMMIT, signing.commit_payload(ctx, commitment)),
            sealed=self._sealing.seal(secret, bound_to=ctx.encode()),
        )

    def _close(self, attempt: StoredAttempt, asked: Closing) -> ClosedPart:
        closed = close_set(attempt.ctx, attempt.commitment, asked)
        contributions = (b"",) * len(closed.seats)
        value = transcript(closed, contributions)
        return ClosedPart(
            digest=asked.digest(),
            closed=closed,
            contributions=contributions,
            signature=self._signing.sign(attempt.key_id, signing.CLOSED, closed.encode()),
            transcript=value,
            transcript_signature=self._signing.sign(attempt.key_id, signing.TRANSCRIPT, value),
        )

    def _secret(self, attempt: StoredAttempt) -> bytes:
        if attempt.revealed is not None:
            return attempt.revealed.secret
        assert attempt.sealed is not None
        return self._sealing.open(attempt.sealed, bound_to=attempt.ctx.encode())

    def _derivation(self, attempt: StoredAttempt) -> Derivation:
        if attempt.closed is None:
            raise CeremonyOpenError
        return Derivation(self._secret(attempt), attempt.closed.transcript)


async def _attempt(claim: Claim, owner: Owner, ctx: DealContext) -> StoredAttempt:
    """The attempt that was begun by `ctx`. Raises `UnknownCeremonyError` and `ForeignMatchError`."""
    match, attempt = await claim.find(ctx)
    if match is not None and match.table_id != owner.table_id:
        raise ForeignMatchError
    if match is None or attempt is None or not match.has(ctx):
        raise UnknownCeremonyError
    return attempt


def _require_next(last: StoredAttempt | None, ctx: DealContext) -> None:
    """That no deal or attempt is left out: a table that could begin them anew could choose among them."""
    due = 1 if last is None else last.ctx.deal_no + 1
    if (ctx.deal_no, ctx.attempt) != (due, 0):
        raise BadRequestError(f"deal {ctx.deal_no}, attempt {ctx.attempt} does not follow what was begun before")
    if last is not None and last.closed is None:
        raise CeremonyOpenError
