"""People take part: what they promise is closed, what they send settles the deal, and who fails is shut out."""

from dataclasses import replace

import pytest

from services.shuffle.auditing import audit
from services.shuffle.ceremonies import Ceremonies, Step
from services.shuffle.closing import Closing
from services.shuffle.refusals import BadRequestError, CeremonyOpenError
from services.shuffle.store import Store
from shared.fairness.closed import ClosedSet, CutKind, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation
from shared.fairness.transcript import transcript
from shared.kit.transactions import Transactions
from tests.support.shuffle import (
    CTX,
    CUT_CTX,
    FOUR,
    OWNER,
    all_c,
    c_of,
    ceremonies_of,
    promised,
    secret_of,
    transcript_of,
)

DRAW = Closing(FOUR, dealer_draw_due=True)
LATER = Closing(FOUR, dealer_draw_due=False)
CUT = Closing(FOUR, dealer_draw_due=False, host=1, cut=40)
AGAIN = replace(CTX, attempt=1)
SECOND = replace(CTX, deal_no=2)
EVERYBODY = (0, 1, 2, 3)


async def closed(ceremonies: Ceremonies, ctx: DealContext, *seats: int, asked: Closing | None = None) -> Step:
    """Begun and closed, with the h of these seats, or of all."""
    await ceremonies.begin(OWNER, ctx)
    asked = asked or (DRAW if ctx.deal_no == 1 else LATER)
    return await ceremonies.close(OWNER, ctx, promised(ctx, asked, *(seats or EVERYBODY)))


async def settled(ceremonies: Ceremonies, ctx: DealContext, *seats: int, asked: Closing | None = None) -> Step:
    await closed(ceremonies, ctx, *seats, asked=asked)
    return await ceremonies.contribute(OWNER, ctx, all_c(ctx, *(seats or EVERYBODY)), last=True)


async def void(ceremonies: Ceremonies, ctx: DealContext, failing: int, *seats: int) -> Step:
    """Closed with the h of these seats, or of all; one of them sends no c."""
    await closed(ceremonies, ctx, *seats)
    left = [seat for seat in seats or EVERYBODY if seat != failing]
    return await ceremonies.contribute(OWNER, ctx, all_c(ctx, *left), last=True)


def set_of(step: Step) -> ClosedSet:
    assert step.attempt.closed is not None
    return step.attempt.closed.closed


def kinds(step: Step) -> list[SeatKind]:
    return [seat.kind for seat in set_of(step).seats]


async def test_the_transcript_waits_for_every_contribution(ceremonies: Ceremonies) -> None:
    step = await closed(ceremonies, CTX)
    assert (step.attempt.settled, step.starter, step.automatic_cut) == (None, None, None)
    assert kinds(step) == [SeatKind.HUMAN] * 4
    for count in (1, 2, 3):
        waiting = await ceremonies.contribute(OWNER, CTX, all_c(CTX, *range(count)), last=False)
        assert not waiting.attempt.decided
        assert sorted(waiting.attempt.opened.receipts) == list(range(count))
        with pytest.raises(CeremonyOpenError):
            await ceremonies.deck(OWNER, CTX)
    done = await ceremonies.contribute(OWNER, CTX, all_c(CTX, 3), last=False)
    everybody = tuple(c_of(CTX, seat) for seat in EVERYBODY)
    assert transcript_of(done.attempt) == transcript(set_of(done), everybody)
    secret = secret_of((await ceremonies.reveal(OWNER, CTX)).attempt)
    draws = Derivation(secret, transcript_of(done.attempt))
    assert done.starter == (draws.first_dealer(4) + 1) % 4


async def test_who_sends_no_h_takes_no_part_and_holds_nobody_up(ceremonies: Ceremonies) -> None:
    step = await closed(ceremonies, CTX, 2)
    assert kinds(step) == [SeatKind.ABSENT, SeatKind.ABSENT, SeatKind.HUMAN, SeatKind.ABSENT]
    done = await ceremonies.contribute(OWNER, CTX, all_c(CTX, 2), last=False)
    assert done.attempt.settled is not None
    assert done.attempt.opened.by_seat(set_of(done)) == (b"", b"", c_of(CTX, 2), b"")


async def test_the_first_contribution_of_a_seat_counts(ceremonies: Ceremonies) -> None:
    await closed(ceremonies, CTX)
    first = await ceremonies.contribute(OWNER, CTX, all_c(CTX, 0), last=False)
    again = await ceremonies.contribute(OWNER, CTX, {0: bytes(32), 1: c_of(CTX, 1)}, last=False)
    assert again.attempt.opened.contributions == all_c(CTX, 0, 1)
    assert again.attempt.opened.receipts[0] == first.attempt.opened.receipts[0]
    done = await ceremonies.contribute(OWNER, CTX, {0: bytes(32), **all_c(CTX, 2, 3)}, last=True)
    assert done.attempt.settled is not None


async def test_a_missing_contribution_makes_the_attempt_void_once_time_is_over(ceremonies: Ceremonies) -> None:
    begun = await ceremonies.begin(OWNER, CTX)
    step = await void(ceremonies, CTX, 2)
    assert step.attempt.failed == (2,)
    assert step.attempt.settled is None
    assert step.attempt.sealed is None
    assert step.attempt.commitment == begun.commitment
    assert len(secret_of(step.attempt)) == 128
    for early in (ceremonies.deck(OWNER, CTX), ceremonies.reshuffle(OWNER, CTX, 1, b"\0")):
        with pytest.raises(CeremonyOpenError):
            await early


async def test_a_wrong_contribution_is_kept_and_fails_once_all_have_had_their_time(ceremonies: Ceremonies) -> None:
    await closed(ceremonies, CTX)
    wrong = {1: b"\1" * 32}
    waiting = await ceremonies.contribute(OWNER, CTX, {**wrong, **all_c(CTX, 0, 2)}, last=False)
    assert not waiting.attempt.decided
    assert waiting.attempt.opened.receipts.keys() == {0, 1, 2}
    # The right one comes too late: the first counts.
    late = await ceremonies.contribute(OWNER, CTX, all_c(CTX, 1, 3), last=False)
    assert late.attempt.failed == (1,)
    assert late.attempt.opened.contributions == {**all_c(CTX, 0, 2, 3), **wrong}


async def test_what_was_decided_stays_whatever_comes(ceremonies: Ceremonies) -> None:
    done = await settled(ceremonies, CTX)
    gone = await void(ceremonies, SECOND, 0)
    for ctx, decided in ((CTX, done), (SECOND, gone)):
        for came in ({}, all_c(ctx, *EVERYBODY), {0: bytes(32)}):
            for last in (False, True):
                assert await ceremonies.contribute(OWNER, ctx, came, last=last) == decided


async def test_who_failed_is_shut_out_of_every_later_attempt_at_the_deal_and_plays_the_next(
    ceremonies: Ceremonies,
) -> None:
    await void(ceremonies, CTX, 2)
    await closed(ceremonies, AGAIN)
    later = await ceremonies.contribute(OWNER, AGAIN, all_c(AGAIN, 1, 3), last=True)
    assert kinds(later) == [SeatKind.HUMAN, SeatKind.HUMAN, SeatKind.SHUT_OUT, SeatKind.HUMAN]
    third = await settled(ceremonies, replace(CTX, attempt=2), 1, 3)
    assert kinds(third) == [SeatKind.SHUT_OUT, SeatKind.HUMAN, SeatKind.SHUT_OUT, SeatKind.HUMAN]
    following = await settled(ceremonies, SECOND)
    assert kinds(following) == [SeatKind.HUMAN] * 4


async def test_with_everybody_shut_out_the_deal_is_settled_without_them(ceremonies: Ceremonies) -> None:
    await closed(ceremonies, CTX)
    gone = await ceremonies.contribute(OWNER, CTX, {}, last=True)
    assert gone.attempt.failed == EVERYBODY
    step = await closed(ceremonies, AGAIN)
    assert kinds(step) == [SeatKind.SHUT_OUT] * 4
    assert step.attempt.settled is not None


async def test_a_host_who_takes_part_cuts_and_any_other_leaves_it_to_the_draw(ceremonies: Ceremonies) -> None:
    step = await settled(ceremonies, CUT_CTX, asked=CUT)
    assert (set_of(step).cut_kind, set_of(step).cut) == (CutKind.HOST, 40)
    draws = Derivation(secret_of((await ceremonies.reveal(OWNER, CUT_CTX)).attempt), transcript_of(step.attempt))
    assert (step.starter, step.automatic_cut) == (draws.starter_by_cut(40, 1, 4), None)


@pytest.mark.parametrize(("cut", "seats"), [(0, EVERYBODY), (40, (0, 2, 3))])
async def test_the_cut_is_automatic_where_the_host_made_none_or_takes_no_part(
    ceremonies: Ceremonies, cut: int, seats: tuple[int, ...]
) -> None:
    step = await settled(ceremonies, CUT_CTX, *seats, asked=replace(CUT, cut=cut))
    assert (set_of(step).cut_kind, set_of(step).cut) == (CutKind.AUTOMATIC, 0)
    draws = Derivation(secret_of((await ceremonies.reveal(OWNER, CUT_CTX)).attempt), transcript_of(step.attempt))
    assert step.automatic_cut == draws.automatic_cut()
    assert step.starter == draws.starter_by_cut(draws.automatic_cut(), 1, 4)


async def test_a_host_who_failed_leaves_the_cut_of_the_next_attempt_to_the_draw(ceremonies: Ceremonies) -> None:
    await closed(ceremonies, CUT_CTX, asked=CUT)
    await ceremonies.contribute(OWNER, CUT_CTX, all_c(CUT_CTX, 0, 2, 3), last=True)
    again = replace(CUT_CTX, attempt=1)
    step = await closed(ceremonies, again, asked=CUT)
    assert (set_of(step).host, set_of(step).cut_kind) == (1, CutKind.AUTOMATIC)


async def test_a_reveal_gives_the_void_attempts_before_along(ceremonies: Ceremonies) -> None:
    gone = await void(ceremonies, CTX, 2)
    await settled(ceremonies, AGAIN, 0, 1, 3)
    revealed = await ceremonies.reveal(OWNER, AGAIN)
    assert revealed.void == [gone.attempt]
    assert (await ceremonies.reveal(OWNER, CTX)).attempt == gone.attempt


async def test_void_attempts_are_counted_for_each_account(store: Store, ceremonies: Ceremonies) -> None:
    await void(ceremonies, CTX, 2)
    await void(ceremonies, AGAIN, 0, 0, 1, 3)
    other = replace(CTX, match=b"o" * 16, series=b"o" * 16)
    await void(ceremonies, other, 2)
    assert (await audit(store, CTX.match)).voids == {"ada": 1, "نور": 2}
    for again in (CTX, AGAIN, other):
        await ceremonies.contribute(OWNER, again, {}, last=True)
    assert (await audit(store, other.match)).voids == {"ada": 1, "نور": 2}


async def test_between_any_two_steps_the_service_may_restart_with_newer_keys(transactions: Transactions) -> None:
    await closed(ceremonies_of(transactions, "1"), CTX)
    await ceremonies_of(transactions, "1", "2").contribute(OWNER, CTX, all_c(CTX, 0), last=False)
    done = await ceremonies_of(transactions, "1", "2", "3").contribute(OWNER, CTX, all_c(CTX, 1, 2, 3), last=False)
    assert done.attempt.settled is not None


async def test_a_match_that_is_over_begins_nothing_more(store: Store, ceremonies: Ceremonies) -> None:
    await void(ceremonies, CTX, 2)
    await settled(ceremonies, AGAIN, 0, 1, 3)
    await ceremonies.reveal(OWNER, AGAIN)
    assert (await audit(store, CTX.match)).end is None
    for _ in range(2):
        await ceremonies.reveal(OWNER, AGAIN, match_over=True)
    end = (await audit(store, CTX.match)).end
    assert end is not None
    assert (end.deal_no, end.attempt) == (1, 1)
    with pytest.raises(BadRequestError, match="over"):
        await ceremonies.begin(OWNER, SECOND)
    assert (await ceremonies.begin(OWNER, AGAIN)).ctx == AGAIN


async def test_a_match_may_end_with_a_void_attempt(store: Store, ceremonies: Ceremonies) -> None:
    await void(ceremonies, CTX, 2)
    await ceremonies.reveal(OWNER, CTX, match_over=True)
    end = (await audit(store, CTX.match)).end
    assert end is not None
    assert (end.deal_no, end.attempt) == (1, 0)
    with pytest.raises(BadRequestError, match="over"):
        await ceremonies.begin(OWNER, AGAIN)


async def test_the_end_names_the_last_attempt_begun_though_it_was_never_dealt(
    store: Store, ceremonies: Ceremonies
) -> None:
    await settled(ceremonies, CTX)
    await closed(ceremonies, SECOND)
    await ceremonies.reveal(OWNER, CTX, match_over=True)
    public = await audit(store, CTX.match)
    assert public.end is not None
    assert (public.end.deal_no, public.end.attempt) == (2, 0)
    assert public.withheld == 0
    assert public.attempts[-1].revealed is None


async def test_a_match_cancelled_before_a_card_was_dealt_is_seen(store: Store, ceremonies: Ceremonies) -> None:
    await closed(ceremonies, CTX)
    public = await audit(store, CTX.match)
    assert public.end is None
    assert [(each.ctx, each.decided, each.revealed) for each in public.attempts] == [(CTX, False, None)]
