"""Matches for coins, from the stakes to the prize, by the real services: table, shuffle, wallet and NATS."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from banakil.table.v1 import admin_pb2
from banakil.table.v1 import table_pb2 as table_wire
from banakil.table.v1.admin_pb2_grpc import AdminServiceStub
from banakil.table.v1.views_pb2 import MISSING_STAKE_REASON_GUEST, STAGE_CLOSED, STAGE_DEAL, View
from banakil.wallet.v1 import settlements_pb2, wallet_pb2
from banakil.wallet.v1.settlements_pb2_grpc import SettlementServiceStub
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.table.app import BUS_USER as TABLE_BUS
from services.wallet.app import BUS_USER as WALLET_BUS
from shared.kit.clients import Channels, bearer
from shared.kit.clock import RealClock
from shared.kit.nats_server import NatsServer, running_nats_server
from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S
from tests.support.table_service import TableServer, all_watch, serving_tables

STAKE = 25
DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50, "stake": STAKE})
TWO = ("ada", "bayan")
WON = settlements_pb2.SETTLEMENT_CAUSE_WON


class Stakes:
    """What a test asks of the wallet and the tables."""

    def __init__(self, server: TableServer, channels: Channels) -> None:
        self.server = server
        self._wallet = WalletServiceStub(channels.to(server.app.address, "wallet"))
        self._settlements = SettlementServiceStub(channels.to(server.app.address, "wallet"))
        self._admin = AdminServiceStub(channels.to(server.app.address, "table"))

    async def purse(self, account: str) -> tuple[int, int]:
        """Coins that are free, and that are held; the account has a name."""
        token = self.server.token(account=account, named=True)
        found = await self._wallet.GetWallet(wallet_pb2.GetWalletRequest(), metadata=bearer(token))
        return found.balance_coins, found.held_coins

    async def view(self, table_id: str) -> View:
        request = table_wire.GetViewRequest(table_id=table_id)
        return (await self.server.stub.GetView(request, **self.server.by("reader"))).view

    async def until(self, table_id: str, stage: int) -> View:
        async with asyncio.timeout(PATIENCE_S):
            while (view := await self.view(table_id)).stage != stage:
                self.server.clock.advance(100)
                await asyncio.sleep(0)
        return view

    async def settled(self, match_id: str) -> int:
        """Why the match's stakes were paid or given back, once they are."""
        request = settlements_pb2.GetSettlementRequest(match_id=match_id)
        async with asyncio.timeout(PATIENCE_S):
            while not (cause := (await self._settlements.GetSettlement(request)).cause):
                self.server.clock.advance(200)
                await asyncio.sleep(0)
        return cause

    async def abort(self, table_id: str) -> None:
        request = admin_pb2.AbortRequest(table_id=table_id, reason="a test")
        await self._admin.Abort(request, metadata=bearer(self.server.token("operator", "op")))

    async def counts(self) -> dict[int, int]:
        """How many matches were settled, by why."""
        counted = await self._settlements.CountSettlements(settlements_pb2.CountSettlementsRequest())
        return {each.cause: each.matches for each in counted.counts}


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Stakes]:
    async with (
        running_nats_server(folder / "nats", [TABLE_BUS, WALLET_BUS], RealClock()) as nats,
        serving(folder, nats) as stakes,
    ):
        yield stakes


@asynccontextmanager
async def serving(folder: Path, nats: NatsServer) -> AsyncIterator[Stakes]:
    wallet = {"matches_needed": 0, "calls_burst": 10_000}
    async with serving_tables(folder, nats, wallet=wallet) as server, Channels(None) as channels:
        stakes = Stakes(server, channels)
        for account in TWO:
            await stakes.purse(account)  # which opens it
        yield stakes


@pytest.fixture
async def stakes(tmp_path: Path) -> AsyncIterator[Stakes]:
    async with running(tmp_path) as made:
        yield made


async def test_a_match_for_coins_is_staked_played_proven_and_paid(stakes: Stakes, rng: random.Random) -> None:
    server = stakes.server
    before = {account: (await stakes.purse(account))[0] for account in TWO}
    table_id = await server.create(DUEL)
    async with AsyncExitStack() as stack:
        sights = await all_watch(stack, server, table_id, TWO)
        view = await stakes.until(table_id, STAGE_DEAL)
        match_id = view.match.match_id
        assert [await stakes.purse(account) for account in TWO] == [(before[name] - STAKE, STAKE) for name in TWO]
        await server.play_out(table_id, sights, rng)
        winner = sights["ada"].client.view.match.winner_team
    assert await stakes.settled(match_id) == WON
    after = {account: await stakes.purse(account) for account in TWO}
    won, lost = TWO[winner], TWO[1 - winner]
    assert after == {won: (before[won] + STAKE - 5, 0), lost: (before[lost] - STAKE, 0)}
    assert await stakes.counts() == {WON: 1}


async def test_an_aborted_match_gives_the_stakes_back(stakes: Stakes) -> None:
    before = [await stakes.purse(account) for account in TWO]
    table_id = await stakes.server.create(DUEL)
    async with AsyncExitStack() as stack:
        await all_watch(stack, stakes.server, table_id, TWO)
        view = await stakes.until(table_id, STAGE_DEAL)
        await stakes.abort(table_id)
    assert await stakes.settled(view.match.match_id) == settlements_pb2.SETTLEMENT_CAUSE_ABORTED
    assert [await stakes.purse(account) for account in TWO] == before


async def test_a_guest_keeps_a_table_from_beginning_and_all_see_why(stakes: Stakes) -> None:
    before = await stakes.purse("ada")
    table_id = await stakes.server.create(DUEL, "ada", "guest")
    async with stakes.server.watching(table_id, "ada"), stakes.server.watching(table_id, "guest"):
        view = await stakes.until(table_id, STAGE_CLOSED)
    assert [(each.seat, each.reason) for each in view.stakes_missing.missing][:1] == [(1, MISSING_STAKE_REASON_GUEST)]
    assert await stakes.purse("ada") == before
