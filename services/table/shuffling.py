"""A deal's shuffle, step by step (docs/fair.md, the ceremony): what its commands give, and what its events make of it.

What clients send for a step is gathered in memory (``gathering.py``); only what the shuffle service made of it is here.
"""

from typing import assert_never

from services.table.ceremony import (
    CONTRIBUTION_MS,
    CUT_MS,
    PROMISE_MS,
    Ceremony,
    CeremonyStep,
    VoidAttempt,
)
from services.table.commands import CeremonyClockOut, ClosedSet, Commitment, Cut, CutDue, Outcome, Transcript
from services.table.events import (
    AttemptVoid,
    CeremonyBegan,
    CeremonyClockSet,
    CeremonyEvent,
    Closed,
    Committed,
    CutAwaited,
    CutOver,
    SetClosed,
    Settled,
    TableEvent,
)
from services.table.moment import Now
from services.table.refusals import (
    ContributionNotAwaitedError,
    NothingToDoError,
    NotHostError,
    StaleCeremonyError,
)
from services.table.seats import seat_to_play
from services.table.state import Occupant, TableState
from shared.fairness.context import DealContext

COIN_VOIDS = 2
"""At a coin table so many void attempts at one deal end the match."""

ShuffleCommand = Commitment | CutDue | Cut | CeremonyClockOut | ClosedSet | Outcome


def awaited_seats(state: TableState) -> frozenset[int]:
    """The seats whose client may still send something for the step that the shuffle is at."""
    ceremony = state.next_fair
    if ceremony is None:
        return frozenset()
    if ceremony.step is CeremonyStep.OPENING:
        return frozenset(receipt.seat for receipt in ceremony.promise_receipts)
    people = {n for n, seat in enumerate(state.seats) if seat.plays is Occupant.PERSON and not seat.left}
    return frozenset(people - ceremony.shut_out)


def decide_shuffle(state: TableState, command: ShuffleCommand, now: Now) -> tuple[TableEvent, ...]:
    """The events that a command makes of the next deal's shuffle; raises as ``decide`` does."""
    match command:
        case Commitment(ctx, commitment, key_id, signature):
            _at(state, ctx, CeremonyStep.BEGUN)
            deadline_ms = now.after(PROMISE_MS) if awaited_seats(state) else None
            return (Committed(commitment, key_id, signature, deadline_ms),)
        case CutDue(ctx, promises):
            promising = _at(state, ctx, CeremonyStep.PROMISING)
            awaited = CutAwaited(promises, now.after(CUT_MS))
            cutting = state._replace(next_fair=evolve_shuffle(promising, awaited))
            return (awaited, CutOver(0)) if nobody_cuts(cutting) else (awaited,)
        case Cut():
            return _cut(state, command)
        case CeremonyClockOut(deadline_ms):
            ceremony = state.next_fair
            if ceremony is None or ceremony.step is not CeremonyStep.CUTTING:
                raise NothingToDoError
            if ceremony.deadline_ms != deadline_ms or now.ms < deadline_ms:
                raise NothingToDoError
            return (CutOver(0),)
        case ClosedSet(ctx, closed, signature, receipts, transcript):
            _at(state, ctx, CeremonyStep.PROMISING, CeremonyStep.CLOSING)
            if transcript is not None:
                return SetClosed(closed, signature, receipts, None), _settled(transcript)
            return (SetClosed(closed, signature, receipts, now.ms + CONTRIBUTION_MS),)
        case Outcome(ctx, transcript, failed, _):
            ceremony = _at(state, ctx, CeremonyStep.OPENING)
            return _void(state, ceremony, failed) if transcript is None else (_settled(transcript),)
        case _:
            assert_never(command)


def nobody_cuts(state: TableState) -> bool:
    """Whether a cut is awaited that will not come: its host has left."""
    ceremony = state.next_fair
    if ceremony is None or ceremony.step is not CeremonyStep.CUTTING or ceremony.host is None:
        return False
    return state.seats[ceremony.host].left


def resumed(state: TableState, outage_ms: int, now: Now) -> CeremonyClockSet | CutOver | None:
    """The clock of a shuffle that has stood still: what clients sent is forgotten, so that they have all of the time
    again to send it."""
    ceremony = state.next_fair
    if ceremony is None:
        return None
    if nobody_cuts(state):
        return CutOver(0)
    if ceremony.step is CeremonyStep.CUTTING and ceremony.deadline_ms is not None:
        return CeremonyClockSet(ceremony.deadline_ms + outage_ms)
    if ceremony.step is CeremonyStep.PROMISING and awaited_seats(state):
        return CeremonyClockSet(now.after(PROMISE_MS))
    if ceremony.step is CeremonyStep.OPENING:
        return CeremonyClockSet(now.ms + CONTRIBUTION_MS)
    return None


def evolve_shuffle(ceremony: Ceremony, event: CeremonyEvent) -> Ceremony:
    """The shuffle after an event."""
    step = CeremonyStep
    match event:
        case Committed(commitment, key_id, signature, deadline_ms):
            return ceremony._replace(
                step=step.PROMISING,
                deadline_ms=deadline_ms,
                commitment=commitment,
                key_id=key_id,
                commit_signature=signature,
            )
        case CutAwaited(promises, deadline_ms):
            return ceremony._replace(step=step.CUTTING, deadline_ms=deadline_ms, promises=promises)
        case CutOver(cut):
            return ceremony._replace(step=step.CLOSING, deadline_ms=None, cut=cut)
        case SetClosed(closed, signature, receipts, deadline_ms):
            return ceremony._replace(
                step=step.OPENING,
                deadline_ms=deadline_ms,
                promises=(),
                closed=closed,
                closed_signature=signature,
                promise_receipts=receipts,
            )
        case Settled(transcript, signature, contributions, receipts, starter, automatic_cut):
            return ceremony._replace(
                step=step.SETTLED,
                deadline_ms=None,
                transcript=transcript,
                transcript_signature=signature,
                contributions=contributions,
                contribution_receipts=receipts,
                starter=ceremony.starter if starter is None else starter,
                automatic_cut=automatic_cut,
            )
        case AttemptVoid(failed):
            void = VoidAttempt(ceremony.context.attempt, failed)
            return ceremony._replace(deadline_ms=None, void=(*ceremony.void, void))
        case CeremonyClockSet(deadline_ms):
            return ceremony._replace(deadline_ms=deadline_ms)


def _at(state: TableState, ctx: DealContext, *steps: CeremonyStep) -> Ceremony:
    """The shuffle, which is that of ``ctx`` and at one of these steps; else what was answered has been overtaken."""
    ceremony = state.next_fair
    if ceremony is None or ceremony.context != ctx or ceremony.step not in steps:
        raise NothingToDoError
    return ceremony


def _cut(state: TableState, command: Cut) -> tuple[TableEvent, ...]:
    seat = seat_to_play(state, command.account)
    ceremony = state.next_fair
    if ceremony is None or not is_about(ceremony, command.match_id, command.deal_no, command.attempt):
        raise StaleCeremonyError
    if seat != ceremony.host:
        raise NotHostError
    if ceremony.step is not CeremonyStep.CUTTING:
        raise ContributionNotAwaitedError
    return (CutOver(command.cut),)


def is_about(ceremony: Ceremony, match_id: bytes, deal_no: int, attempt: int) -> bool:
    """Whether this is the shuffle of that attempt at that deal."""
    ctx = ceremony.context
    return (ctx.match, ctx.deal_no, ctx.attempt) == (match_id, deal_no, attempt)


def _settled(transcript: Transcript) -> Settled:
    return Settled(*transcript)


def _void(state: TableState, ceremony: Ceremony, failed: tuple[int, ...]) -> tuple[TableEvent, ...]:
    """The next attempt, without those who failed; at a coin table the second void ends the match."""
    ctx = ceremony.context
    if state.options.stake and ctx.attempt + 1 >= COIN_VOIDS:
        return AttemptVoid(failed), Closed()
    return AttemptVoid(failed), CeremonyBegan(ctx.deal_no, ctx.attempt + 1, ceremony.starter)
