"""Faults planted in the way that coins go, each of which the simulator must find."""

import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table import stepping
from services.table.commands import Funded
from services.table.facts import facts_of
from services.table.stake_asking import StakeAsker
from services.wallet.books import Cause, Post, Transfer, player_account
from services.wallet.proving import Claim, Proof, Verdict
from services.wallet.schema import HOLDS, MINT
from services.wallet.settling import ABORTED, Settling, Won
from services.wallet.store import Results
from shared.kit.status import ApiError
from tests.sim.mutants import Mutant, facts_go_before_they_are_published


def ends_stay_out_of_the_outbox() -> AbstractContextManager[object]:
    """Of a match that is won no fact goes into the transaction."""

    def fewer(step: Any, at_ms: int) -> Any:
        return tuple(fact for fact in facts_of(step, at_ms) if not fact.HasField("match_ended"))

    return patch.object(stepping, "facts_of", fewer)


@contextmanager
def each_signal_of_an_end_pays() -> Iterator[None]:
    """A result that is told again is taken for news, and paid again."""
    match_won, add = Settling.match_won, Results.add

    async def again(settling: Settling, connection: AsyncConnection, won: Won) -> bool:
        is_news = await match_won(settling, connection, won)
        hold = await settling._holds.find(connection, won.match_id)
        if not is_news and hold is not None:
            winner = player_account(hold.account_ids[won.winner_team])
            twice = Transfer(f"again:{uuid.uuid4()}", MINT, winner, hold.stake_coins, Cause.PRIZE, won.match_id)
            await settling._holds._ledger.execute(connection, [Post((twice,))])
        return is_news

    async def news(results: Results, connection: AsyncConnection, result: Any) -> bool:
        await add(results, connection, result)
        return True

    with patch.object(Settling, "match_won", again), patch.object(Results, "add", news):
        yield


def closed_tables_give_back_unasked() -> AbstractContextManager[object]:
    """What a closed table has stakes for is given back, whether or not it was won."""

    async def give_back(settling: Settling, connection: AsyncConnection, table_id: str) -> None:
        held = select(HOLDS.c.match_id).where(HOLDS.c.table_id == table_id, HOLDS.c.settled_ms.is_(None))
        for match_id in (await connection.scalars(held)).all():
            await settling._refund(connection, match_id, ABORTED)

    return patch.object(Settling, "table_closed", give_back)


def nobody_looks_at_proofs() -> AbstractContextManager[object]:
    """A match is paid whatever its proof says."""
    look_at = Settling._look_at

    async def blind(settling: Settling, row: Any) -> None:
        async def proven(_claim: Claim) -> Proof:
            return Proof(Verdict.PROVEN)

        settling._prove = proven
        await look_at(settling, row)

    return patch.object(Settling, "_look_at", blind)


def a_table_begins_while_the_wallet_is_away() -> AbstractContextManager[object]:
    """Where nobody answers the stakes are taken for held."""
    once = StakeAsker.once

    async def hopeful(asker: StakeAsker, table: Any, due: Any) -> Any:
        try:
            return await once(asker, table, due)
        except ApiError:
            return Funded(due.match_id)

    return patch.object(StakeAsker, "once", hopeful)


COIN_MUTANTS: Final[tuple[Mutant, ...]] = (
    ends_stay_out_of_the_outbox,
    each_signal_of_an_end_pays,
    closed_tables_give_back_unasked,
    nobody_looks_at_proofs,
    a_table_begins_while_the_wallet_is_away,
    facts_go_before_they_are_published,
)
