"""Ceremonies are kept alike on every database: claimed by epoch, begun once, closed and revealed for good."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest

from services.shuffle.app import MIGRATIONS
from services.shuffle.attempts import (
    ClosedPart,
    LastAttempt,
    MatchEnd,
    Opened,
    Owner,
    RevealedPart,
    Settled,
    StoredAttempt,
)
from services.shuffle.refusals import StaleEpochError
from services.shuffle.store import Claim, Found, KeysInUse, Store
from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.fair_deal import Receipt
from shared.kit.database import Database
from shared.kit.migrations import migrate
from shared.kit.sealing import Sealed
from shared.kit.transactions import open_transactions

OWNER = Owner("5c4b3a29-0000-4000-8000-000000000001", 7)
OTHER = Owner("5c4b3a29-0000-4000-8000-000000000002", 1)
CTX = DealContext(bytes(range(16)), 1, bytes(range(16)), 1, 0, 4, "sahrat+0147ed992fe97d85")
SEATS = (
    Seat(SeatKind.HUMAN, "نور", b"h" * 64),
    Seat(SeatKind.ABSENT, "b"),
    Seat(SeatKind.HUMAN, "c", b"H" * 64),
    Seat(SeatKind.BOT),
)
ATTEMPT = StoredAttempt(CTX, bytes(64), "k" * 64, b"s" * 64, Sealed("0" * 16, b"\x00sealed\xff"))
CLOSED = replace(
    ATTEMPT,
    closed=ClosedPart(
        closed=ClosedSet(CTX, bytes(64), NO_HOST, CutKind.NONE, 0, b"", SEATS),
        signature=b"k" * 64,
        draws_dealer=True,
        receipts={0: Receipt(2, b"0" * 64), 2: Receipt(2, b"2" * 64)},
    ),
)
HALF_OPEN = replace(CLOSED, opened=Opened({2: b"c" * 32}, {2: Receipt(2**40, b"r" * 64)}))
OPEN = replace(
    HALF_OPEN, opened=Opened({0: b"d" * 32, 2: b"c" * 32}, {0: Receipt(9, b"s" * 64), **HALF_OPEN.opened.receipts})
)
SETTLED = replace(OPEN, settled=Settled(b"t" * 64, b"T" * 64))
REVEALED = RevealedPart(bytes(range(128)), b"r" * 64)


@pytest.fixture
async def store(database: Database) -> AsyncIterator[Store]:
    await migrate(database, MIGRATIONS)
    async with open_transactions(database) as transactions:
        yield Store(transactions)


async def begun(store: Store, attempt: StoredAttempt = ATTEMPT, owner: Owner = OWNER) -> None:
    async def step(claim: Claim) -> None:
        await claim.begin_match(attempt.ctx, 1)
        await claim.add_attempt(attempt, 1)

    await store.claimed(owner, step)


async def found(store: Store, ctx: DealContext = CTX, owner: Owner = OWNER) -> Found:
    return await store.claimed(owner, lambda claim: claim.find(ctx))


async def kept(store: Store, ctx: DealContext = CTX) -> StoredAttempt | None:
    return (await found(store, ctx)).attempt


async def test_nothing_is_known_of_a_match_that_was_not_begun(store: Store) -> None:
    assert await kept(store) is None
    assert await store.attempts(CTX.match) == []
    assert await store.keys_in_use() == KeysInUse(frozenset(), frozenset())


async def test_an_attempt_is_found_as_it_was_kept_at_each_step(store: Store) -> None:
    await begun(store)
    assert await kept(store) == ATTEMPT
    await store.claimed(OWNER, lambda claim: claim.close(CLOSED, 2))
    assert await kept(store) == CLOSED
    for step in (HALF_OPEN, OPEN, SETTLED):
        await store.claimed(OWNER, partial(Claim.open, attempt=step, now_ms=3))
        assert await kept(store) == step
    await store.claimed(OWNER, lambda claim: claim.reveal(CTX, REVEALED, 4))
    assert await kept(store) == replace(SETTLED, sealed=None, revealed=REVEALED)


async def test_a_set_without_people_is_settled_as_it_is_closed(store: Store) -> None:
    await begun(store)
    assert CLOSED.closed is not None
    bots = replace(CLOSED.closed.closed, seats=(Seat(SeatKind.BOT),) * 4)
    settled = replace(
        ATTEMPT, closed=replace(CLOSED.closed, closed=bots, receipts={}), settled=Settled(b"t" * 64, b"T" * 64)
    )
    await store.claimed(OWNER, lambda claim: claim.close(settled, 2))
    assert await kept(store) == settled


async def test_a_void_attempt_is_revealed_and_counted_for_each_who_failed(store: Store) -> None:
    for number, failed in enumerate([(0, 2), (2,)]):
        ctx = replace(CTX, attempt=number)
        void = replace(HALF_OPEN, ctx=ctx, sealed=None, failed=failed, revealed=REVEALED)
        assert void.closed is not None
        void = replace(void, closed=replace(void.closed, closed=replace(void.closed.closed, ctx=ctx)))
        await begun(store, replace(ATTEMPT, ctx=ctx))
        await store.claimed(OWNER, partial(Claim.close, attempt=void, now_ms=2))
        await store.claimed(OWNER, partial(Claim.open, attempt=void, now_ms=2))
        assert await kept(store, ctx) == void
    assert await store.voids_of({"نور", "b", "c"}) == {"نور": 1, "c": 2}
    before = await store.claimed(OWNER, lambda claim: claim.attempts_before(replace(CTX, attempt=2)))
    assert [(each.ctx.attempt, each.failed) for each in before] == [(0, (0, 2)), (1, (2,))]


async def test_the_end_of_a_match_is_kept(store: Store) -> None:
    await begun(store)
    end = MatchEnd(1, 0, "k" * 64, b"e" * 64)
    await store.claimed(OWNER, lambda claim: claim.end_match(CTX, end, 5))
    match, _ = await found(store)
    assert match is not None
    assert match.end == end


async def test_the_match_is_that_of_the_table_which_began_it_first(store: Store) -> None:
    await begun(store)
    await store.claimed(OTHER, lambda claim: claim.begin_match(CTX, 2))
    match, _ = await found(store)
    assert match is not None
    assert match.table_id == OWNER.table_id
    assert match.has(replace(CTX, deal_no=3, attempt=2))
    assert not match.has(replace(CTX, rules="sahrat"))


async def test_a_lower_epoch_is_stale_and_an_equal_or_higher_one_is_not(store: Store) -> None:
    await begun(store)
    for epoch in (OWNER.epoch, OWNER.epoch + 1, 2**63 - 1):
        await found(store, owner=replace(OWNER, epoch=epoch))
    with pytest.raises(StaleEpochError):
        await found(store, owner=replace(OWNER, epoch=2**63 - 2))
    await found(store, owner=OTHER)


async def test_a_refused_call_leaves_no_trace_not_even_of_its_epoch(store: Store) -> None:
    await begun(store)

    async def refused(claim: Claim) -> None:
        await claim.close(CLOSED, 2)
        raise LookupError

    with pytest.raises(LookupError):
        await store.claimed(replace(OWNER, epoch=99), refused)
    assert await kept(store) == ATTEMPT


async def test_attempts_are_listed_by_deal_and_attempt(store: Store) -> None:
    contexts = [replace(CTX, deal_no=deal, attempt=number) for deal, number in ((1, 0), (2, 0), (2, 1), (10, 0))]
    for ctx in reversed(contexts):
        await begun(store, replace(ATTEMPT, ctx=ctx))
    assert [attempt.ctx for _, attempt in await store.attempts(CTX.match)] == contexts
    match, _ = await found(store)
    assert match is not None
    last = await store.claimed(OWNER, partial(Claim.last_attempt, match=match))
    assert last == LastAttempt(10, 0, settled=False, void=False)


async def test_each_reshuffle_keeps_its_pile(store: Store) -> None:
    await begun(store)
    await store.claimed(OWNER, lambda claim: claim.add_reshuffle(CTX, 1, b"1" * 32, 5))
    await store.claimed(OWNER, lambda claim: claim.add_reshuffle(CTX, 2, b"2" * 32, 6))
    expected = [(CTX, 1, b"1" * 32), (CTX, 2, b"2" * 32), (CTX, 3, None), (replace(CTX, deal_no=2), 1, None)]
    for ctx, number, pile in expected:
        assert await store.claimed(OWNER, partial(Claim.pile, ctx=ctx, number=number)) == pile


async def test_keys_are_in_use_until_the_secret_is_out(store: Store) -> None:
    await begun(store)
    later = replace(CTX, deal_no=2)
    await begun(store, replace(ATTEMPT, ctx=later, key_id="n" * 64, sealed=Sealed("1" * 16, b"x")))
    assert await store.keys_in_use() == KeysInUse(frozenset({"0" * 16, "1" * 16}), frozenset({"k" * 64, "n" * 64}))
    await store.claimed(OWNER, lambda claim: claim.reveal(CTX, REVEALED, 3))
    assert await store.keys_in_use() == KeysInUse(frozenset({"1" * 16}), frozenset({"n" * 64}))


async def test_calls_of_one_table_at_the_same_time_follow_one_another(store: Store) -> None:
    await begun(store)

    async def next_reshuffle(claim: Claim) -> int:
        number = 1
        while await claim.pile(CTX, number) is not None:
            number += 1
        await claim.add_reshuffle(CTX, number, bytes(32), 1)
        return number

    assert sorted(await asyncio.gather(*(store.claimed(OWNER, next_reshuffle) for _ in range(8)))) == list(range(1, 9))


async def test_of_two_tables_that_begin_a_match_at_once_one_has_it(store: Store) -> None:
    async def owner_seen(claim: Claim) -> str:
        await claim.begin_match(CTX, 1)
        match, _ = await claim.find(CTX)
        assert match is not None
        return match.table_id

    assert len(set(await asyncio.gather(store.claimed(OWNER, owner_seen), store.claimed(OTHER, owner_seen)))) == 1
