"""A service that is started anew for every call, in the end with newer keys, and asked all twice, answers as one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from google.protobuf.message import Message

from services.shuffle.answers import write_audit, write_begun, write_closed, write_opened, write_revealed
from services.shuffle.app import MIGRATIONS
from services.shuffle.auditing import audit
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.closing import Closing
from services.shuffle.signing_keys import public_bytes
from services.shuffle.store import Store
from shared.codec.fair import read_fair_deal
from shared.fairness.checks import first_failed
from shared.fairness.context import DealContext
from shared.fairness.verify import verify_fair
from shared.kit.database import open_database
from shared.kit.migrations import migrate
from shared.kit.transactions import open_transactions
from tests.support.shuffle import CTX, FOUR, OWNER, all_c, ceremonies_of, promised, signing_keys, verify_with

DRAW = Closing(FOUR, dealer_draw_due=True)
AGAIN = replace(CTX, attempt=1)
SECOND = replace(CTX, deal_no=2)
PILE = bytes(range(40))
KEYS = ("1", "2", "3")
Answer = Message | bytes
Call = Callable[[Ceremonies], Awaitable[Answer]]


async def begin(ctx: DealContext, service: Ceremonies) -> Answer:
    return write_begun(await service.begin(OWNER, ctx))


async def close(ctx: DealContext, asked: Closing, service: Ceremonies) -> Answer:
    return write_closed(await service.close(OWNER, ctx, asked))


async def contribute(ctx: DealContext, came: Mapping[int, bytes], service: Ceremonies, *, last: bool) -> Answer:
    return write_opened(await service.contribute(OWNER, ctx, came, last=last))


async def deck(ctx: DealContext, service: Ceremonies) -> Answer:
    return await service.deck(OWNER, ctx)


async def reshuffle(ctx: DealContext, service: Ceremonies) -> Answer:
    return await service.reshuffle(OWNER, ctx, 1, PILE)


async def reveal(ctx: DealContext, service: Ceremonies, *, match_over: bool = False) -> Answer:
    return write_revealed(await service.reveal(OWNER, ctx, match_over=match_over))


def a_match() -> list[Call]:
    """A void attempt, the deal after it with a reshuffle, and a second deal, begun before the first is revealed."""
    later = replace(DRAW, dealer_draw_due=False)
    return [
        partial(begin, CTX),
        partial(close, CTX, promised(CTX, DRAW, 0, 1, 2)),
        partial(contribute, CTX, all_c(CTX, 0), last=False),
        partial(contribute, CTX, all_c(CTX, 2), last=True),
        partial(begin, AGAIN),
        partial(close, AGAIN, promised(AGAIN, DRAW, 0, 1, 2, 3)),
        partial(contribute, AGAIN, all_c(AGAIN, 0, 2), last=False),
        partial(contribute, AGAIN, all_c(AGAIN, 3), last=False),
        partial(deck, AGAIN),
        partial(reshuffle, AGAIN),
        partial(begin, SECOND),
        partial(reveal, AGAIN),
        partial(close, SECOND, later),
        partial(deck, SECOND),
        partial(reveal, SECOND, match_over=True),
    ]


# What these answer may grow until the attempt is decided.
GROWING = {2, 6}


async def test_every_call_twice_and_a_restart_between_any_two(database_url: str) -> None:
    restarts = 0

    async def after_restart(call: Call) -> Answer:
        nonlocal restarts
        async with open_database(database_url) as database, open_transactions(database) as transactions:
            newest = min(len(KEYS), 1 + restarts // 9)
            restarts += 1
            return await call(ceremonies_of(transactions, *KEYS[:newest]))

    async with open_database(database_url) as database:
        await migrate(database, MIGRATIONS)
    first = []
    for call in a_match():
        first.append(await after_restart(call))
        assert await after_restart(call) == first[-1]
    for number, call in enumerate(a_match()):
        again = await after_restart(call)
        assert again == first[number + 1 if number in GROWING else number]

    async with open_database(database_url) as database, open_transactions(database) as transactions:
        public = write_audit(await audit(Store(transactions), CTX.match))
    used = [deal.signatures.key_id for deal in public.deals]
    assert used == [signing_keys(key).newest_id for key in ("1", "1", "3")]
    assert (public.match_end.last_deal_no, public.match_end.last_attempt, public.withheld_count) == (2, 0, 0)
    assert {each.account_id: each.void_count for each in public.account_voids} == {"bob": 1}
    verify = partial(verify_with, {key.key_id: public_bytes(key.key_id) for key in public.keys})
    void, played, second = public.deals
    deals = [read_fair_deal(played, [void]), read_fair_deal(second)]
    for number, deal in enumerate(deals):
        assert first_failed(verify_fair(deal, before=deals[:number], verify_signature=verify)) is None
    assert deals[0].derivation().deck_faces() == first[8]
    assert deals[0].derivation().reshuffle(PILE, 1) == first[9]
