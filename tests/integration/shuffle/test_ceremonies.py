"""The steps of a ceremony: repeated with one answer, in order or refused, and gone through any restart."""

import asyncio
from dataclasses import replace

import pytest

from services.shuffle.attempts import Owner
from services.shuffle.auditing import audit
from services.shuffle.beginning import MOST_DEALS
from services.shuffle.ceremonies import MOST_RESHUFFLES, Ceremonies
from services.shuffle.closing import Closing
from services.shuffle.refusals import (
    BadRequestError,
    CeremonyOpenError,
    ForeignMatchError,
    OtherBodyError,
    ReshuffleOrderError,
    StaleEpochError,
    UnknownCeremonyError,
    UnknownMatchError,
)
from services.shuffle.store import Store
from shared.fairness.commitment import SECRET_BYTES, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.derive import DECK_CARDS, Derivation
from shared.kit.database import Database
from shared.kit.sealing import SealError
from shared.kit.status import ApiError
from shared.kit.transactions import Transactions
from tests.support.shuffle import (
    CTX,
    CUT,
    CUT_CTX,
    DRAW,
    LATER,
    OTHER_TABLE,
    OWNER,
    ceremonies_of,
    promised,
    secret_of,
    signing_keys,
    transcript_of,
)

SECOND = replace(CTX, deal_no=2)
PILE = bytes(range(30))


async def closed_deal(ceremonies: Ceremonies, ctx: DealContext = CTX) -> None:
    await ceremonies.begin(OWNER, ctx)
    await ceremonies.close(OWNER, ctx, DRAW if ctx.deal_no == 1 else LATER)


async def test_begin_commits_to_a_secret_of_128_random_bytes_that_it_keeps_sealed(ceremonies: Ceremonies) -> None:
    begun = await ceremonies.begin(OWNER, CTX)
    await ceremonies.close(OWNER, CTX, DRAW)
    secret = secret_of((await ceremonies.reveal(OWNER, CTX)).attempt)
    assert len(set(secret)) > 1
    assert len(secret) == SECRET_BYTES
    assert begun.commitment == server_commitment(CTX, secret)
    assert begun.sealed is not None
    assert secret not in begun.sealed.data


async def test_a_step_that_is_repeated_gives_the_first_answer(ceremonies: Ceremonies) -> None:
    assert await ceremonies.begin(OWNER, CTX) == await ceremonies.begin(OWNER, CTX)
    assert await ceremonies.close(OWNER, CTX, DRAW) == await ceremonies.close(OWNER, CTX, DRAW)
    assert await ceremonies.deck(OWNER, CTX) == await ceremonies.deck(OWNER, CTX)
    stock = await ceremonies.reshuffle(OWNER, CTX, 1, PILE)
    assert stock == await ceremonies.reshuffle(OWNER, CTX, 1, PILE)
    first = await ceremonies.reveal(OWNER, CTX)
    assert first == await ceremonies.reveal(OWNER, CTX)
    assert (await ceremonies.begin(OWNER, CTX)).commitment == first.attempt.commitment
    assert (await ceremonies.close(OWNER, CTX, DRAW)).attempt == first.attempt
    assert stock == await ceremonies.reshuffle(OWNER, CTX, 1, PILE)


async def test_steps_sent_at_once_are_one_step(ceremonies: Ceremonies) -> None:
    begun = await asyncio.gather(*(ceremonies.begin(OWNER, CTX) for _ in range(5)))
    assert len({attempt.commitment for attempt in begun}) == 1
    closed = await asyncio.gather(*(ceremonies.close(OWNER, CTX, DRAW) for _ in range(5)))
    assert len({transcript_of(each.attempt) for each in closed}) == 1


async def test_each_deal_has_a_secret_of_its_own(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    await closed_deal(ceremonies, SECOND)
    first, second = await ceremonies.reveal(OWNER, CTX), await ceremonies.reveal(OWNER, SECOND)
    assert secret_of(first.attempt) != secret_of(second.attempt)


async def test_the_deck_and_the_starter_are_those_of_secret_and_transcript(ceremonies: Ceremonies) -> None:
    await ceremonies.begin(OWNER, CTX)
    closed = await ceremonies.close(OWNER, CTX, DRAW)
    deck = await ceremonies.deck(OWNER, CTX)
    stock = await ceremonies.reshuffle(OWNER, CTX, 1, PILE)
    secret = secret_of((await ceremonies.reveal(OWNER, CTX)).attempt)
    draws = Derivation(secret, transcript_of(closed.attempt))
    assert (deck, stock) == (draws.deck_faces(), draws.reshuffle(PILE, 1))
    assert (closed.starter, closed.automatic_cut) == ((draws.first_dealer(4) + 1) % 4, None)
    assert len(deck) == DECK_CARDS


async def test_the_cut_that_no_host_makes_is_drawn(ceremonies: Ceremonies) -> None:
    await ceremonies.begin(OWNER, CUT_CTX)
    closed = await ceremonies.close(OWNER, CUT_CTX, CUT)
    secret = secret_of((await ceremonies.reveal(OWNER, CUT_CTX)).attempt)
    draws = Derivation(secret, transcript_of(closed.attempt))
    assert closed.automatic_cut == draws.automatic_cut()
    assert closed.starter == draws.starter_by_cut(draws.automatic_cut(), CUT.host, 4)


async def test_nothing_is_drawn_where_the_starter_follows_from_the_deal_before(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    await ceremonies.begin(OWNER, SECOND)
    closed = await ceremonies.close(OWNER, SECOND, LATER)
    assert (closed.starter, closed.automatic_cut) == (None, None)


@pytest.mark.parametrize(
    ("ctx", "refusal"),
    [
        (replace(CTX, deal_no=3), BadRequestError),
        (replace(CTX, attempt=1), CeremonyOpenError),
        (replace(CTX, attempt=2), BadRequestError),
        (replace(SECOND, attempt=1), BadRequestError),
        (replace(CTX, deal_no=MOST_DEALS + 1), BadRequestError),
        (replace(SECOND, series=b"x" * 16), BadRequestError),
        (replace(SECOND, match_no=2), BadRequestError),
        (replace(SECOND, seats=2), BadRequestError),
        (replace(SECOND, rules="banakil202"), BadRequestError),
        (SECOND, CeremonyOpenError),
        (replace(CTX, match=b"n" * 16, deal_no=2), BadRequestError),
    ],
)
async def test_no_deal_is_left_out_and_none_begins_before_the_one_before_is_closed(
    store: Store, ceremonies: Ceremonies, ctx: DealContext, refusal: type[ApiError]
) -> None:
    await ceremonies.begin(OWNER, CTX)
    with pytest.raises(refusal):
        await ceremonies.begin(OWNER, ctx)
    assert len((await audit(store, CTX.match)).attempts) == 1


async def test_before_the_set_is_closed_there_is_no_deck_no_reshuffle_and_no_reveal(
    store: Store, ceremonies: Ceremonies
) -> None:
    await ceremonies.begin(OWNER, CTX)
    for early in (
        ceremonies.deck(OWNER, CTX), ceremonies.reshuffle(OWNER, CTX, 1, PILE), ceremonies.reveal(OWNER, CTX),
    ):  # fmt: skip
        with pytest.raises(CeremonyOpenError):
            await early
    public = await audit(store, CTX.match)
    assert public.attempts[0].revealed is None


@pytest.mark.parametrize(
    "asked",
    [
        LATER,
        replace(DRAW, seats=DRAW.seats[::-1]),
        replace(LATER, host=0),
        replace(DRAW, seats=()),
        promised(CTX, DRAW, 0),
    ],
)
async def test_a_set_that_stands_is_given_as_it_was_closed_whatever_is_asked(
    ceremonies: Ceremonies, asked: Closing
) -> None:
    await ceremonies.begin(OWNER, CTX)
    before = await ceremonies.close(OWNER, CTX, DRAW)
    assert await ceremonies.close(OWNER, CTX, asked) == before


async def test_a_closing_that_was_refused_leaves_the_set_open(ceremonies: Ceremonies) -> None:
    await ceremonies.begin(OWNER, CTX)
    with pytest.raises(BadRequestError):
        await ceremonies.close(OWNER, CTX, replace(DRAW, seats=DRAW.seats[:2]))
    await ceremonies.close(OWNER, CTX, DRAW)


async def test_reshuffles_come_in_order_each_of_one_pile(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    with pytest.raises(ReshuffleOrderError):
        await ceremonies.reshuffle(OWNER, CTX, 2, PILE)
    first = await ceremonies.reshuffle(OWNER, CTX, 1, PILE)
    with pytest.raises(OtherBodyError):
        await ceremonies.reshuffle(OWNER, CTX, 1, PILE[::-1])
    with pytest.raises(ReshuffleOrderError):
        await ceremonies.reshuffle(OWNER, CTX, 3, PILE)
    second = await ceremonies.reshuffle(OWNER, CTX, 2, PILE)
    assert sorted(first) == sorted(second) == sorted(PILE)
    assert first != second
    assert await ceremonies.reshuffle(OWNER, CTX, 1, PILE) == first


@pytest.mark.parametrize("number", [0, MOST_RESHUFFLES + 1])
async def test_a_reshuffle_beyond_all_numbers_is_refused(ceremonies: Ceremonies, number: int) -> None:
    await closed_deal(ceremonies)
    with pytest.raises(BadRequestError):
        await ceremonies.reshuffle(OWNER, CTX, number, PILE)


async def test_after_the_reveal_no_new_reshuffle_is_made(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    await ceremonies.reveal(OWNER, CTX)
    with pytest.raises(ReshuffleOrderError):
        await ceremonies.reshuffle(OWNER, CTX, 1, PILE)


@pytest.mark.parametrize(
    ("owner", "ctx", "refusal"),
    [
        (OTHER_TABLE, CTX, ForeignMatchError),
        (replace(OWNER, epoch=2), CTX, StaleEpochError),
        (OWNER, replace(CTX, match=b"n" * 16), UnknownCeremonyError),
        (OWNER, SECOND, UnknownCeremonyError),
        (OWNER, replace(CTX, attempt=1), UnknownCeremonyError),
        (OWNER, replace(CTX, series=b"x" * 16), UnknownCeremonyError),
        (OWNER, replace(CTX, rules="banakil202"), UnknownCeremonyError),
    ],
)
async def test_every_step_is_its_own_tables_alone_and_its_present_owners(
    store: Store, ceremonies: Ceremonies, owner: Owner, ctx: DealContext, refusal: type[ApiError]
) -> None:
    await closed_deal(ceremonies)
    for step in (
        ceremonies.close(owner, ctx, DRAW), ceremonies.deck(owner, ctx),
        ceremonies.reshuffle(owner, ctx, 1, PILE), ceremonies.reveal(owner, ctx),
    ):  # fmt: skip
        with pytest.raises(refusal):
            await step
    assert (await audit(store, CTX.match)).attempts[0].revealed is None


async def test_another_table_cannot_begin_a_match_that_was_begun(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    for ctx in (CTX, SECOND):
        with pytest.raises(ForeignMatchError):
            await ceremonies.begin(OTHER_TABLE, ctx)


async def test_a_new_owner_goes_on_and_the_former_one_no_more(ceremonies: Ceremonies) -> None:
    await closed_deal(ceremonies)
    new = replace(OWNER, epoch=OWNER.epoch + 1)
    assert await ceremonies.deck(OWNER, CTX) == await ceremonies.deck(new, CTX)
    for step in (ceremonies.begin(OWNER, SECOND), ceremonies.deck(OWNER, CTX), ceremonies.reveal(OWNER, CTX)):
        with pytest.raises(StaleEpochError):
            await step


async def test_between_any_two_steps_the_service_may_restart_with_newer_keys(transactions: Transactions) -> None:
    def restarted(*keys: str) -> Ceremonies:
        return ceremonies_of(transactions, *keys)

    begun = await restarted("1").begin(OWNER, CTX)
    closed = await restarted("1", "2").close(OWNER, CTX, DRAW)
    deck = await restarted("1", "2").deck(OWNER, CTX)
    revealed = await restarted("1", "2", "3").reveal(OWNER, CTX)
    secret = secret_of(revealed.attempt)
    assert Derivation(secret, transcript_of(closed.attempt)).deck_faces() == deck
    assert revealed.attempt.key_id == begun.key_id == signing_keys("1").newest_id
    # What is public needs no key any more.
    later = restarted("2", "3")
    assert await later.reveal(OWNER, CTX) == revealed
    assert (await later.begin(OWNER, SECOND)).key_id == signing_keys("3").newest_id


async def test_a_secret_that_was_moved_to_another_deal_does_not_open(
    ceremonies: Ceremonies, database: Database
) -> None:
    await closed_deal(ceremonies)
    await closed_deal(ceremonies, SECOND)
    async with database.transaction() as connection:
        await connection.exec_driver_sql(
            "UPDATE attempts SET sealed = (SELECT sealed FROM attempts WHERE deal_no = 1) WHERE deal_no = 2"
        )
    with pytest.raises(SealError):
        await ceremonies.deck(OWNER, SECOND)


async def test_an_audit_counts_deals_that_are_over_and_not_revealed(store: Store, ceremonies: Ceremonies) -> None:
    with pytest.raises(UnknownMatchError):
        await audit(store, CTX.match)
    await closed_deal(ceremonies)
    assert (await audit(store, CTX.match)).withheld == 0
    await ceremonies.begin(OWNER, SECOND)
    assert (await audit(store, CTX.match)).withheld == 1
    await ceremonies.reveal(OWNER, CTX)
    public = await audit(store, CTX.match)
    assert public.withheld == 0
    assert [attempt.ctx for attempt in public.attempts] == [CTX, SECOND]
