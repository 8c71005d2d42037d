"""Ceremonies are kept alike on every database: claimed by epoch, begun once, closed and revealed for good."""

import asyncio
from dataclasses import replace

import pytest

from services.shuffle.app import MIGRATIONS
from services.shuffle.attempts import ClosedPart, MatchEnd, Opened, Owner, RevealedPart, Settled, StoredAttempt
from services.shuffle.refusals import StaleEpochError
from services.shuffle.store import KeysInUse, Store
from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.fair_deal import Receipt
from shared.kit.database import Database
from shared.kit.migrations import migrate
from shared.kit.sealing import Sealed

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
async def store(database: Database) -> Store:
    await migrate(database, MIGRATIONS)
    return Store(database)


async def begun(store: Store, attempt: StoredAttempt = ATTEMPT, owner: Owner = OWNER) -> None:
    async with store.claimed(owner) as claim:
        await claim.begin_match(attempt.ctx, 1)
        await claim.add_attempt(attempt, 1)


async def kept(store: Store, ctx: DealContext = CTX) -> StoredAttempt | None:
    async with store.claimed(OWNER) as claim:
        return (await claim.find(ctx)).attempt


async def test_nothing_is_known_of_a_match_that_was_not_begun(store: Store) -> None:
    assert await kept(store) is None
    assert await store.attempts(CTX.match) == (None, [])
    assert await store.keys_in_use() == KeysInUse(frozenset(), frozenset())


async def test_an_attempt_is_found_as_it_was_kept_at_each_step(store: Store) -> None:
    await begun(store)
    assert await kept(store) == ATTEMPT
    async with store.claimed(OWNER) as claim:
        await claim.close(CLOSED, 2)
    assert await kept(store) == CLOSED
    for step in (HALF_OPEN, OPEN, SETTLED):
        async with store.claimed(OWNER) as claim:
            await claim.open(step, 3)
        assert await kept(store) == step
    async with store.claimed(OWNER) as claim:
        await claim.reveal(CTX, REVEALED, 4)
    assert await kept(store) == replace(SETTLED, sealed=None, revealed=REVEALED)


async def test_a_set_without_people_is_settled_as_it_is_closed(store: Store) -> None:
    await begun(store)
    assert CLOSED.closed is not None
    bots = replace(CLOSED.closed.closed, seats=(Seat(SeatKind.BOT),) * 4)
    settled = replace(
        ATTEMPT, closed=replace(CLOSED.closed, closed=bots, receipts={}), settled=Settled(b"t" * 64, b"T" * 64)
    )
    async with store.claimed(OWNER) as claim:
        await claim.close(settled, 2)
    assert await kept(store) == settled


async def test_a_void_attempt_is_revealed_and_counted_for_each_who_failed(store: Store) -> None:
    for number, failed in enumerate([(0, 2), (2,)]):
        ctx = replace(CTX, attempt=number)
        void = replace(HALF_OPEN, ctx=ctx, sealed=None, failed=failed, revealed=REVEALED)
        assert void.closed is not None
        void = replace(void, closed=replace(void.closed, closed=replace(void.closed.closed, ctx=ctx)))
        await begun(store, replace(ATTEMPT, ctx=ctx))
        async with store.claimed(OWNER) as claim:
            await claim.close(void, 2)
            await claim.open(void, 2)
        assert await kept(store, ctx) == void
    assert await store.voids_of({"نور", "b", "c"}) == {"نور": 1, "c": 2}
    async with store.claimed(OWNER) as claim:
        before = await claim.attempts_before(replace(CTX, attempt=2))
        assert await claim.attempts_before(CTX) == []
    assert [(each.ctx.attempt, each.failed) for each in before] == [(0, (0, 2)), (1, (2,))]


async def test_the_end_of_a_match_is_kept(store: Store) -> None:
    await begun(store)
    end = MatchEnd(1, 0, "k" * 64, b"e" * 64)
    async with store.claimed(OWNER) as claim:
        await claim.end_match(CTX, end, 5)
        match, _ = await claim.find(CTX)
    assert match is not None
    assert match.end == end


async def test_the_match_is_that_of_the_table_which_began_it_first(store: Store) -> None:
    await begun(store)
    async with store.claimed(OTHER) as claim:
        await claim.begin_match(CTX, 2)
        match, _ = await claim.find(CTX)
    assert match is not None
    assert match.table_id == OWNER.table_id
    assert match.has(replace(CTX, deal_no=3, attempt=2))
    assert not match.has(replace(CTX, rules="sahrat"))


async def test_a_lower_epoch_is_stale_and_an_equal_or_higher_one_is_not(store: Store) -> None:
    await begun(store)
    for epoch in (OWNER.epoch, OWNER.epoch + 1, 2**63 - 1):
        async with store.claimed(replace(OWNER, epoch=epoch)):
            pass
    with pytest.raises(StaleEpochError):
        async with store.claimed(replace(OWNER, epoch=2**63 - 2)):
            pass
    async with store.claimed(OTHER):
        pass


async def test_a_refused_call_leaves_no_trace_not_even_of_its_epoch(store: Store) -> None:
    await begun(store)

    async def refused() -> None:
        async with store.claimed(replace(OWNER, epoch=99)) as claim:
            await claim.close(CLOSED, 2)
            raise LookupError

    with pytest.raises(LookupError):
        await refused()
    assert await kept(store) == ATTEMPT


async def test_attempts_are_listed_by_deal_and_attempt(store: Store) -> None:
    contexts = [replace(CTX, deal_no=deal, attempt=number) for deal, number in ((1, 0), (2, 0), (2, 1), (10, 0))]
    for ctx in reversed(contexts):
        await begun(store, replace(ATTEMPT, ctx=ctx))
    assert [attempt.ctx for attempt in (await store.attempts(CTX.match))[1]] == contexts
    async with store.claimed(OWNER) as claim:
        match, _ = await claim.find(CTX)
        assert match is not None
        last = await claim.last_attempt(match)
    assert last is not None
    assert last.ctx == contexts[-1]


async def test_each_reshuffle_keeps_its_pile(store: Store) -> None:
    await begun(store)
    async with store.claimed(OWNER) as claim:
        assert await claim.piles(CTX, 0, 1) == {}
        await claim.add_reshuffle(CTX, 1, b"1" * 32, 5)
        await claim.add_reshuffle(CTX, 2, b"2" * 32, 6)
    async with store.claimed(OWNER) as claim:
        assert await claim.piles(CTX, 1, 2, 3) == {1: b"1" * 32, 2: b"2" * 32}
        assert await claim.piles(replace(CTX, deal_no=2), 1) == {}


async def test_keys_are_in_use_until_the_secret_is_out(store: Store) -> None:
    await begun(store)
    later = replace(CTX, deal_no=2)
    await begun(store, replace(ATTEMPT, ctx=later, key_id="n" * 64, sealed=Sealed("1" * 16, b"x")))
    assert await store.keys_in_use() == KeysInUse(frozenset({"0" * 16, "1" * 16}), frozenset({"k" * 64, "n" * 64}))
    async with store.claimed(OWNER) as claim:
        await claim.reveal(CTX, REVEALED, 3)
    assert await store.keys_in_use() == KeysInUse(frozenset({"1" * 16}), frozenset({"n" * 64}))


async def test_calls_of_one_table_at_the_same_time_follow_one_another(store: Store) -> None:
    await begun(store)

    async def next_reshuffle() -> None:
        async with store.claimed(OWNER) as claim:
            done = await claim.piles(CTX, *range(9))
            await asyncio.sleep(0)
            await claim.add_reshuffle(CTX, len(done) + 1, bytes(32), 1)

    await asyncio.gather(*(next_reshuffle() for _ in range(8)))
    async with store.claimed(OWNER) as claim:
        assert len(await claim.piles(CTX, *range(1, 20))) == 8


async def test_of_two_tables_that_begin_a_match_at_once_one_has_it(store: Store) -> None:
    async def owner_seen_by(owner: Owner) -> str:
        async with store.claimed(owner) as claim:
            await claim.begin_match(CTX, 1)
            match, _ = await claim.find(CTX)
            assert match is not None
            return match.table_id

    seen = await asyncio.gather(owner_seen_by(OWNER), owner_seen_by(OTHER))
    assert len(set(seen)) == 1
