"""Each day's root is over its reveals, all of them, in their order, and the same whoever computes it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from services.shuffle.app import MIGRATIONS
from services.shuffle.attempts import RevealedPart
from services.shuffle.custody import Custody
from services.shuffle.day_closing import DayCloser
from services.shuffle.day_proofs import MOST_LEAVES, MOST_LISTED, PublicDays
from services.shuffle.day_store import DAY_MS, DayStore, date_of
from services.shuffle.key_periods import KeyPeriod, KeyPeriods
from services.shuffle.refusals import UnknownDayError, UnknownMatchError
from services.shuffle.store import Claim, Store
from shared.fairness import signing
from shared.fairness.context import DealContext
from shared.fairness.day import DayRoot, Listed
from shared.fairness.merkle import (
    EMPTY_ROOT,
    FIRST_CHAIN,
    NO_TRANSCRIPT,
    inclusion_proof,
    leaf_bytes,
    leaf_hash,
    root_from_proof,
    tree_root,
)
from shared.kit.clock import VirtualClock
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.transactions import Transactions, open_transactions
from tests.support.fair_deals import drawn
from tests.support.postgres import PostgresServer
from tests.support.shuffle import (
    CTX,
    DRAW,
    FOUR,
    OWNER,
    all_c,
    ceremonies_of,
    promised,
    sealing_keys,
    signing_keys,
    verify_with,
)

FIRST_DAY = 19_700
MORNING_MS = FIRST_DAY * DAY_MS + 1


@pytest.fixture
async def transactions(database: Database) -> AsyncIterator[Transactions]:
    await migrate(database, MIGRATIONS)
    async with open_transactions(database) as opened:
        yield opened


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(MORNING_MS)


def closer_of(transactions: Transactions, clock: VirtualClock, *keys: str) -> DayCloser:
    return DayCloser(DayStore(transactions), Custody(sealing_keys(*keys), signing_keys(*keys)), clock)


def secret_of(ctx: DealContext) -> bytes:
    return drawn(f"{ctx.match.hex()}/{ctx.deal_no}", "S", 128)


def hash_of(ctx: DealContext, transcript: bytes = NO_TRANSCRIPT) -> bytes:
    return leaf_hash(leaf_bytes(ctx, bytes(64), secret_of(ctx), transcript))


async def reveal(transactions: Transactions, now_ms: int, *contexts: DealContext) -> None:
    """Reveals attempts in one transaction, as the store keeps them; void ones, for they have no transcript."""

    async def step(claim: Claim) -> None:
        for ctx in contexts:
            begun = replace(Custody(sealing_keys(), signing_keys()).begin(ctx), commitment=bytes(64))
            await claim.begin_match(ctx, now_ms)
            await claim.add_attempt(begun, now_ms)
            await claim.reveal(ctx, RevealedPart(secret_of(ctx), b"r" * 64), now_ms)

    await Store(transactions).claimed(OWNER, step)


def deals(*numbers: int) -> list[DealContext]:
    return [replace(CTX, deal_no=number) for number in numbers]


async def days_of(transactions: Transactions) -> list[DayRoot]:
    return (await PublicDays(DayStore(transactions)).newest(None, 99))[::-1]


def check_chain(days: Sequence[DayRoot]) -> None:
    """That no day is missing, and each is linked to the one before and signed."""
    chain = FIRST_CHAIN
    for number, day in enumerate(days, start=FIRST_DAY):
        assert day.date == date_of(number)
        assert day.previous_chain == chain
        assert day.fault() is None
        chain = day.chain
        payload = signing.root_payload(day.date, day.count, day.root, chain)
        signed = signing.signed_bytes(signing.ROOT, payload)
        assert verify_with({day.key: bytes.fromhex(day.key)}, day.key, signed, day.signature)


async def test_a_day_has_a_root_over_its_reveals_in_order_and_a_day_without_has_one_too(
    transactions: Transactions, clock: VirtualClock
) -> None:
    closer = closer_of(transactions, clock)
    await closer.close_due()
    assert await days_of(transactions) == []
    await reveal(transactions, clock.now_ms(), *deals(1, 2))
    await reveal(transactions, clock.now_ms(), *deals(3))
    clock.advance(DAY_MS - 2)
    await closer.close_due()
    assert await days_of(transactions) == []
    clock.advance(3 * DAY_MS + 1)
    await reveal(transactions, clock.now_ms(), *deals(4))
    await closer.close_due()
    days = await days_of(transactions)
    check_chain(days)
    assert [day.count for day in days] == [3, 0, 0, 0]
    assert [day.root for day in days] == [tree_root([hash_of(ctx) for ctx in deals(1, 2, 3)]), *[EMPTY_ROOT] * 3]
    assert days[0].date == "20231209"


async def test_a_leaf_has_the_transcript_of_its_deal_and_a_void_attempt_has_none(
    transactions: Transactions, clock: VirtualClock
) -> None:
    ceremonies = ceremonies_of(transactions, clock=clock)
    again = replace(CTX, attempt=1)
    people = replace(DRAW, seats=FOUR)
    for ctx in (CTX, again):
        await ceremonies.begin(OWNER, ctx)
        await ceremonies.close(OWNER, ctx, promised(ctx, people, 0, 1, 2, 3))
        await ceremonies.contribute(OWNER, ctx, all_c(ctx, 1, 2, 3), last=True)
    for _ in range(2):
        await ceremonies.reveal(OWNER, again)
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    (day,) = await days_of(transactions)
    attempts = [attempt for _, attempt in await Store(transactions).attempts(CTX.match)]
    hashes = [
        leaf_hash(
            leaf_bytes(
                each.ctx,
                each.commitment,
                each.revealed.secret,
                each.settled.transcript if each.settled else NO_TRANSCRIPT,
            )
        )
        for each in attempts
        if each.revealed
    ]
    assert (day.count, day.root) == (2, tree_root(hashes))
    assert attempts[0].settled is None


@pytest.mark.parametrize("count", [1, 257])
async def test_every_proof_leads_to_the_root_and_the_list_is_in_the_leaves_order(
    transactions: Transactions, clock: VirtualClock, count: int
) -> None:
    contexts = deals(*range(1, count + 1))
    await reveal(transactions, clock.now_ms(), *contexts)
    public = PublicDays(DayStore(transactions))
    assert (await public.proofs(CTX.match, 1, 0)).pending == min(count, MOST_LEAVES)
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    (day,) = await days_of(transactions)
    hashes = [hash_of(ctx) for ctx in contexts]
    assert day.root == tree_root(hashes)
    _, listed = await public.day(FIRST_DAY, 0)
    assert [each.ctx for each in listed] == contexts[:MOST_LISTED]
    assert (await public.day(FIRST_DAY, count - 1))[1] == [Listed(contexts[-1], bytes(64))]
    for number in {1, count // 2 + 1, count}:
        (proof,) = (await public.proofs(CTX.match, number, 1)).proofs
        assert proof.day == day
        (leaf,) = proof.leaves
        assert leaf.listed.ctx == contexts[number - 1]
        assert leaf.path == inclusion_proof(hashes, leaf.index)
        raw = leaf_bytes(leaf.listed.ctx, bytes(64), secret_of(leaf.listed.ctx))
        assert root_from_proof(raw, leaf.index, count, leaf.path) == day.root


async def test_proofs_of_a_long_match_come_in_whole_deals(transactions: Transactions, clock: VirtualClock) -> None:
    contexts = [replace(CTX, deal_no=deal, attempt=attempt) for deal in range(1, 91) for attempt in range(3)]
    await reveal(transactions, clock.now_ms(), *contexts)
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    public = PublicDays(DayStore(transactions))
    seen: list[DealContext] = []
    deal = 1
    while deal:
        found = await public.proofs(CTX.match, deal, 0)
        seen += [leaf.listed.ctx for proof in found.proofs for leaf in proof.leaves]
        deal = found.next_deal
    assert seen == contexts
    assert (await public.proofs(CTX.match, 1, 0)).next_deal == MOST_LEAVES // 3 + 1


async def test_what_is_unknown_is_refused(transactions: Transactions) -> None:
    public = PublicDays(DayStore(transactions))
    with pytest.raises(UnknownDayError):
        await public.day(FIRST_DAY, 0)
    with pytest.raises(UnknownMatchError):
        await public.proofs(CTX.match, 1, 0)


async def test_a_reveal_that_comes_when_its_day_is_closed_belongs_to_the_next(
    transactions: Transactions, clock: VirtualClock
) -> None:
    evening_ms = clock.now_ms()
    await reveal(transactions, evening_ms, *deals(1))
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    # A process whose clock is late by a day.
    await reveal(transactions, evening_ms, *deals(2))
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    days = await days_of(transactions)
    check_chain(days)
    assert [day.root for day in days] == [tree_root([hash_of(ctx)]) for ctx in deals(1, 2)]


async def test_around_midnight_each_reveal_is_in_exactly_one_root_whoever_closes(
    transactions: Transactions, clock: VirtualClock
) -> None:
    others = [VirtualClock(MORNING_MS + DAY_MS + late_ms) for late_ms in (0, 5)]
    closers = [closer_of(transactions, other) for other in others]
    contexts = [replace(CTX, match=bytes([number]) * 16, series=bytes([number]) * 16) for number in range(30)]
    await reveal(transactions, MORNING_MS, contexts[0])
    await asyncio.gather(
        *(
            step
            for number, ctx in enumerate(contexts[1:])
            for step in (
                reveal(transactions, MORNING_MS + DAY_MS - 2 + number % 3, ctx),
                *([closers[number % 2].close_due()] if number % 7 == 3 else []),
            )
        )
    )
    before = await days_of(transactions)
    for other in others:
        other.advance(DAY_MS)
    await asyncio.gather(*(closer.close_due() for closer in closers))
    days = await days_of(transactions)
    check_chain(days)
    assert days[: len(before)] == before
    public = PublicDays(DayStore(transactions))
    lists = [(await public.day(number, 0))[1] for number in range(FIRST_DAY, FIRST_DAY + len(days))]
    assert sorted(listed.ctx.match for each in lists for listed in each) == [ctx.match for ctx in contexts]
    for day, listed in zip(days, lists, strict=True):
        assert day.root == tree_root([hash_of(each.ctx) for each in listed])


@pytest.mark.needs_postgres
async def test_who_moves_on_to_the_next_day_waits_for_reveals_under_way(postgres: PostgresServer) -> None:
    taken, may_commit = asyncio.Event(), asyncio.Event()

    async def late(claim: Claim) -> None:
        await claim.begin_match(CTX, 1)
        await claim.add_attempt(Custody(sealing_keys(), signing_keys()).begin(CTX), 1)
        await claim.reveal(CTX, RevealedPart(secret_of(CTX), b"r" * 64), MORNING_MS)
        taken.set()
        await may_commit.wait()

    async with open_database(postgres.new_database()) as database:
        await migrate(database, MIGRATIONS)
        async with open_transactions(database) as transactions:
            under_way = Store(transactions).claimed(OWNER, late)
            await taken.wait()
            closing = asyncio.create_task(closer_of(transactions, VirtualClock(MORNING_MS + DAY_MS)).close_due())
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            while (await transactions.read(lambda rows: rows.fetch(waiting)))[0][0] == 0:
                assert not closing.done()
            may_commit.set()
            await asyncio.gather(under_way, closing)
            assert [day.count for day in await days_of(transactions)] == [1]


async def test_reveals_of_the_release_before_get_their_places_in_their_order(
    transactions: Transactions, clock: VirtualClock
) -> None:
    await reveal(transactions, MORNING_MS + 2, *deals(*range(1, 130)))
    await reveal(transactions, MORNING_MS, *deals(*range(130, 259)))
    await transactions.write(lambda rows: rows.fetch("UPDATE attempts SET leaf_day = NULL, leaf_no = NULL"))
    await transactions.write(lambda rows: rows.fetch("DELETE FROM open_day"))
    await closer_of(transactions, clock).close_due()
    clock.advance(DAY_MS)
    await closer_of(transactions, clock).close_due()
    (day,) = await days_of(transactions)
    assert (day.date, day.count) == (date_of(FIRST_DAY), 258)
    assert day.root == tree_root([hash_of(ctx) for ctx in deals(*range(130, 259), *range(1, 130))])


async def test_a_day_whose_numbers_have_a_gap_is_not_signed(transactions: Transactions, clock: VirtualClock) -> None:
    await reveal(transactions, clock.now_ms(), *deals(1, 2, 3))
    await transactions.write(lambda rows: rows.fetch("DELETE FROM attempts WHERE deal_no = 2"))
    clock.advance(DAY_MS)
    with pytest.raises(RuntimeError, match="numbered up to 3"):
        await closer_of(transactions, clock).close_due()
    assert await days_of(transactions) == []


async def test_the_first_to_close_a_day_counts_and_what_was_left_half_done_is_finished(
    transactions: Transactions, clock: VirtualClock
) -> None:
    await reveal(transactions, clock.now_ms(), *deals(*range(1, 259)))
    clock.advance(DAY_MS)
    store = DayStore(transactions)
    hashes = [hash_of(ctx) for ctx in deals(*range(1, 257))]
    await store.add_tile(FIRST_DAY, 0, 0, hashes)
    await closer_of(transactions, clock, "1").close_due()
    (day,) = await days_of(transactions)
    assert day.key == signing_keys("1").newest_id
    await store.add_day(FIRST_DAY, replace(day, root=bytes(64)))
    await closer_of(transactions, clock, "2").close_due()
    assert await days_of(transactions) == [day]


async def test_a_key_is_told_of_with_when_it_was_the_newest(transactions: Transactions) -> None:
    periods = KeyPeriods(transactions)
    for key_id, now_ms in (("a" * 64, 5), ("a" * 64, 7), ("b" * 64, 9), ("b" * 64, 11)):
        await periods.note(key_id, now_ms)
    assert await periods.all() == [KeyPeriod("a" * 64, 5, 9), KeyPeriod("b" * 64, 9, 0)]


async def test_days_come_newest_first_and_as_many_as_asked(transactions: Transactions, clock: VirtualClock) -> None:
    await reveal(transactions, clock.now_ms(), *deals(1))
    clock.advance(5 * DAY_MS)
    await closer_of(transactions, clock).close_due()
    newest = PublicDays(DayStore(transactions)).newest
    assert [day.date for day in await newest(None, 3)] == [date_of(FIRST_DAY + n) for n in (4, 3, 2)]
    assert [day.date for day in await newest(FIRST_DAY + 2, 31)] == [date_of(FIRST_DAY + n) for n in (1, 0)]
