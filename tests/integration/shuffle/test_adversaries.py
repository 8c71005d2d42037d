"""What a hostile table, or a client through it, tries with a ceremony; none of it is had."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

import pytest

from services.shuffle.attempts import Owner, StoredAttempt
from services.shuffle.auditing import audit
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.closing import Closing
from services.shuffle.refusals import (
    BadRequestError,
    CeremonyOpenError,
    ForeignMatchError,
    ReshuffleOrderError,
    StaleEpochError,
    UnknownCeremonyError,
)
from services.shuffle.store import Store
from shared.fairness.closed import CutKind, SeatKind
from shared.fairness.commitment import client_commitment
from shared.fairness.context import DealContext
from shared.kit.status import ApiError
from tests.support.shuffle import (
    CTX,
    CUT_CTX,
    FOUR,
    OTHER_TABLE,
    OWNER,
    SEATS,
    all_c,
    c_of,
    promised,
    secret_of,
    transcript_of,
)

DRAW = Closing(FOUR, dealer_draw_due=True)
LATER = Closing(FOUR, dealer_draw_due=False)
AGAIN = replace(CTX, attempt=1)
SECOND = replace(CTX, deal_no=2)
EVERYBODY = (0, 1, 2, 3)
PILE = bytes(range(30))


async def begun_and_closed(ceremonies: Ceremonies, ctx: DealContext, asked: Closing) -> StoredAttempt:
    await ceremonies.begin(OWNER, ctx)
    return (await ceremonies.close(OWNER, ctx, asked)).attempt


async def in_play(ceremonies: Ceremonies, ctx: DealContext = CTX) -> StoredAttempt:
    """Dealt, by all four."""
    asked = promised(ctx, DRAW if ctx.deal_no == 1 else LATER, *EVERYBODY)
    await begun_and_closed(ceremonies, ctx, asked)
    return (await ceremonies.contribute(OWNER, ctx, all_c(ctx, *EVERYBODY), last=False)).attempt


async def made_void(ceremonies: Ceremonies, ctx: DealContext, *failing: int) -> StoredAttempt:
    asked = promised(ctx, DRAW, *EVERYBODY)
    part = (await begun_and_closed(ceremonies, ctx, asked)).closed
    assert part is not None
    left = [seat for seat in part.closed.of_kind(SeatKind.HUMAN) if seat not in failing]
    return (await ceremonies.contribute(OWNER, ctx, all_c(ctx, *left), last=True)).attempt


async def test_a_deck_before_the_set_is_closed_or_before_its_transcript_or_of_a_void_attempt(
    ceremonies: Ceremonies,
) -> None:
    async def refused() -> None:
        for call in (
            ceremonies.deck(OWNER, CTX), ceremonies.reshuffle(OWNER, CTX, 1, PILE),
        ):  # fmt: skip
            with pytest.raises(CeremonyOpenError):
                await call

    await ceremonies.begin(OWNER, CTX)
    await refused()
    await ceremonies.close(OWNER, CTX, promised(CTX, DRAW, *EVERYBODY))
    await refused()
    await ceremonies.contribute(OWNER, CTX, all_c(CTX, 0, 1, 2), last=False)
    await refused()
    with pytest.raises(CeremonyOpenError):
        await ceremonies.reveal(OWNER, CTX)
    await ceremonies.contribute(OWNER, CTX, {}, last=True)
    await refused()


@pytest.mark.parametrize(
    ("owner", "ctx", "refusal"),
    [
        (OTHER_TABLE, CTX, ForeignMatchError),
        (replace(OWNER, epoch=OWNER.epoch - 1), CTX, StaleEpochError),
        (OWNER, replace(CTX, match=b"n" * 16), UnknownCeremonyError),
        (OWNER, replace(CTX, rules="banakil202"), UnknownCeremonyError),
    ],
)
async def test_contributions_for_a_foreign_match_or_by_a_former_owner(
    store: Store, ceremonies: Ceremonies, owner: Owner, ctx: DealContext, refusal: type[ApiError]
) -> None:
    await begun_and_closed(ceremonies, CTX, promised(CTX, DRAW, *EVERYBODY))
    with pytest.raises(refusal):
        await ceremonies.contribute(owner, ctx, all_c(CTX, *EVERYBODY), last=True)
    (attempt,) = (await audit(store, CTX.match)).attempts
    assert not attempt.decided
    assert attempt.opened.contributions == {}


async def test_reshuffles_out_of_order_or_after_the_end(ceremonies: Ceremonies) -> None:
    await in_play(ceremonies)
    for number in (2, 3):
        with pytest.raises(ReshuffleOrderError):
            await ceremonies.reshuffle(OWNER, CTX, number, PILE)
    await ceremonies.reshuffle(OWNER, CTX, 1, PILE)
    await ceremonies.reveal(OWNER, CTX)
    with pytest.raises(ReshuffleOrderError):
        await ceremonies.reshuffle(OWNER, CTX, 2, PILE)


@pytest.mark.parametrize(
    "came",
    [
        {0: bytes(32), 1: c_of(CTX, 1)},
        {0: c_of(CTX, 1), 1: c_of(CTX, 0)},
        {0: c_of(AGAIN, 0), 1: c_of(SECOND, 1)},
        {1: c_of(CTX, 1)},
        {},
    ],
    ids=["another", "another seat's", "another attempt's", "one missing", "none"],
)
async def test_a_c_that_is_not_behind_its_h(ceremonies: Ceremonies, came: dict[int, bytes]) -> None:
    await begun_and_closed(ceremonies, CTX, promised(CTX, DRAW, 0, 1))
    attempt = (await ceremonies.contribute(OWNER, CTX, came, last=True)).attempt
    assert attempt.failed == tuple(seat for seat in (0, 1) if came.get(seat) != c_of(CTX, seat))
    assert attempt.settled is None


async def test_an_h_copied_from_another_seat_or_another_attempt_opens_nothing(ceremonies: Ceremonies) -> None:
    copied = client_commitment(CTX, 0, c_of(CTX, 0))
    earlier = client_commitment(SECOND, 2, c_of(CTX, 2))
    seats = tuple(replace(seat, h=h) for seat, h in zip(FOUR, (copied, copied, earlier, b""), strict=True))
    await begun_and_closed(ceremonies, CTX, replace(DRAW, seats=seats))
    came = {0: c_of(CTX, 0), 1: c_of(CTX, 0), 2: c_of(CTX, 2)}
    assert (await ceremonies.contribute(OWNER, CTX, came, last=False)).attempt.failed == (1, 2)


async def test_a_c_of_a_seat_of_which_none_is_awaited_changes_nothing(store: Store, ceremonies: Ceremonies) -> None:
    """Of one that is absent, a bot's, or shut out."""
    await made_void(ceremonies, CTX, 3)
    seats = (FOUR[0], FOUR[1], SEATS[1], FOUR[3])
    await begun_and_closed(ceremonies, AGAIN, promised(AGAIN, replace(DRAW, seats=seats), 0, 3))
    for seat in (1, 2, 3):
        with pytest.raises(BadRequestError):
            await ceremonies.contribute(OWNER, AGAIN, all_c(AGAIN, 0, seat), last=True)
    attempt = (await audit(store, CTX.match)).attempts[-1]
    assert (attempt.decided, attempt.opened.contributions) == (False, {})


async def test_a_c_that_is_late_or_comes_twice(ceremonies: Ceremonies) -> None:
    await begun_and_closed(ceremonies, CTX, promised(CTX, DRAW, *EVERYBODY))
    await ceremonies.contribute(OWNER, CTX, {0: bytes(32)}, last=False)
    await ceremonies.contribute(OWNER, CTX, all_c(CTX, 0, 1), last=False)
    void = await ceremonies.contribute(OWNER, CTX, {}, last=True)
    assert void.attempt.failed == (0, 2, 3)
    assert await ceremonies.contribute(OWNER, CTX, all_c(CTX, *EVERYBODY), last=True) == void
    await begun_and_closed(ceremonies, AGAIN, promised(AGAIN, DRAW, 1))
    done = await ceremonies.contribute(OWNER, AGAIN, all_c(AGAIN, 1), last=False)
    assert await ceremonies.contribute(OWNER, AGAIN, {1: bytes(32)}, last=True) == done


async def test_an_attempt_begun_anew_for_another_deck(ceremonies: Ceremonies) -> None:
    begun = await ceremonies.begin(OWNER, CTX)
    closed = await ceremonies.close(OWNER, CTX, promised(CTX, DRAW, *EVERYBODY))
    for when in ("closed", "settled", "revealed"):
        assert (await ceremonies.begin(OWNER, CTX)).commitment == begun.commitment, when
        for other in (DRAW, promised(AGAIN, DRAW, 0), replace(LATER, host=0, cut=3)):
            assert (await ceremonies.close(OWNER, CTX, other)).attempt.closed == closed.attempt.closed, when
        if when == "closed":
            await ceremonies.contribute(OWNER, CTX, all_c(CTX, *EVERYBODY), last=True)
        else:
            await ceremonies.reveal(OWNER, CTX)
        with pytest.raises((BadRequestError, CeremonyOpenError)):
            await ceremonies.begin(OWNER, AGAIN)


async def test_another_attempt_before_the_one_before_it_is_void(ceremonies: Ceremonies) -> None:
    await ceremonies.begin(OWNER, CTX)
    with pytest.raises(CeremonyOpenError):
        await ceremonies.begin(OWNER, AGAIN)
    await ceremonies.close(OWNER, CTX, promised(CTX, DRAW, *EVERYBODY))
    await ceremonies.contribute(OWNER, CTX, all_c(CTX, 0, 1), last=False)
    for early in (AGAIN, SECOND):
        with pytest.raises(CeremonyOpenError):
            await ceremonies.begin(OWNER, early)


async def test_a_second_void_a_deal_skipped_or_an_attempt(ceremonies: Ceremonies) -> None:
    await made_void(ceremonies, CTX, 0)
    third = replace(CTX, attempt=2)
    for wrong in (SECOND, third):
        with pytest.raises(BadRequestError):
            await ceremonies.begin(OWNER, wrong)
    second = await made_void(ceremonies, AGAIN, 2)
    assert second.failed == (2,)
    with pytest.raises(BadRequestError):
        await ceremonies.begin(OWNER, SECOND)
    part = (await begun_and_closed(ceremonies, third, promised(third, DRAW, *EVERYBODY))).closed
    assert part is not None
    assert part.closed.of_kind(SeatKind.SHUT_OUT) == (0, 2)


@pytest.mark.parametrize(
    "asked",
    [
        replace(DRAW, seats=(FOUR[1], FOUR[0], *FOUR[2:])),
        replace(LATER, host=0),
        replace(DRAW, seats=FOUR[:3]),
    ],
)
async def test_who_sits_and_whether_a_cut_is_due_do_not_change_between_attempts(
    ceremonies: Ceremonies, asked: Closing
) -> None:
    await made_void(ceremonies, CTX, 3)
    await ceremonies.begin(OWNER, AGAIN)
    with pytest.raises(BadRequestError):
        await ceremonies.close(OWNER, AGAIN, asked)


async def test_who_failed_stays_shut_out_though_the_table_calls_it_a_bot_or_somebody_else(
    ceremonies: Ceremonies,
) -> None:
    await made_void(ceremonies, CTX, 1, 3)
    seats = (FOUR[0], SEATS[1], FOUR[2], replace(FOUR[0], account="eve"))
    part = (await begun_and_closed(ceremonies, AGAIN, promised(AGAIN, replace(DRAW, seats=seats), 0, 3))).closed
    assert part is not None
    assert [(seat.kind, seat.account, bool(seat.h)) for seat in part.closed.seats] == [
        (SeatKind.HUMAN, "ada", True), (SeatKind.SHUT_OUT, "bob", False),
        (SeatKind.ABSENT, "نور", False), (SeatKind.SHUT_OUT, "dan", False),
    ]  # fmt: skip


async def test_a_cut_put_in_the_mouth_of_a_host_who_takes_no_part(ceremonies: Ceremonies) -> None:
    asked = promised(CUT_CTX, replace(LATER, host=1, cut=40), 0, 2, 3)
    part = (await begun_and_closed(ceremonies, CUT_CTX, asked)).closed
    assert part is not None
    assert (part.closed.cut_kind, part.closed.cut) == (CutKind.AUTOMATIC, 0)


async def test_whatever_a_table_calls_in_whatever_order_leaves_one_history_without_a_gap(
    store: Store, ceremonies: Ceremonies, rng: random.Random
) -> None:
    attempts = [await ceremonies.begin(OWNER, CTX)]
    for _ in range(5000):
        last = attempts[-1].ctx
        deal_no, attempt = rng.choice(((0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (-1, 0)))
        ctx = replace(last, deal_no=max(1, last.deal_no + deal_no), attempt=last.attempt + attempt)
        if deal_no:
            ctx = replace(ctx, attempt=rng.randrange(2))
        part = attempts[-1].closed
        awaited = EVERYBODY if part is None else part.closed.of_kind(SeatKind.HUMAN)
        seats = rng.sample(awaited if rng.random() < 0.8 else EVERYBODY, rng.randrange(len(awaited) + 1))
        came = {seat: c_of(ctx, seat) if rng.random() < 0.9 else bytes(32) for seat in seats}
        asked = promised(ctx, DRAW if ctx.deal_no == 1 else LATER, *seats)
        call: Callable[[], Awaitable[object]] = rng.choice(
            (
                partial(ceremonies.begin, OWNER, ctx),
                partial(ceremonies.close, OWNER, ctx, asked),
                partial(ceremonies.contribute, OWNER, ctx, came, last=rng.random() < 0.4),
                partial(ceremonies.reveal, OWNER, ctx),
            )
        )
        try:
            await call()
        except (BadRequestError, CeremonyOpenError, UnknownCeremonyError):
            continue
        attempts = (await audit(store, CTX.match)).attempts
        check_history(attempts)
        if last.deal_no > 3 and len(attempts) > 5:
            return
    pytest.fail("no call came through")


def check_history(attempts: list[StoredAttempt]) -> None:
    deal = 1
    void: list[StoredAttempt] = []
    for number, attempt in enumerate(attempts):
        assert (attempt.ctx.deal_no, attempt.ctx.attempt) == (deal, len(void))
        last = number == len(attempts) - 1
        if attempt.closed is not None:
            closed = attempt.closed.closed
            failed = {seat for each in void for seat in each.failed}
            assert set(closed.of_kind(SeatKind.SHUT_OUT)) == failed
            assert closed.faults() == ()
        if attempt.failed:
            assert secret_of(attempt)
            void.append(attempt)
        elif attempt.settled is not None:
            assert len(transcript_of(attempt)) == 64
            deal, void = deal + 1, []
        else:
            assert last
            assert attempt.revealed is None
