"""A Relay over a real socket: many players by one stream, each by its own token, and no more than a call would give."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import STAGE_DEAL, View

from services.gateway.relay import Relay, RelayedWatch
from shared.codec.actions import write_action
from shared.kit.clients import Channels
from shared.kit.identity import ServiceCredentials, TokenIssuer
from shared.kit.keys import SigningKey
from shared.kit.status import ApiError
from shared.rules.actions import Draw, SeatAction
from shared.rules.options import make_options
from tests.support.contributing import Contributor
from tests.support.following import Client
from tests.support.table_service import TableServer

SAHRAT = make_options({"preset": "sahrat"})
PEOPLE = ("ada", "bayan", "cyrine", "dalal")


@pytest.fixture
async def relay(server: TableServer) -> AsyncIterator[Relay]:
    async with opened(server, "gateway") as open_relay:
        yield open_relay


@asynccontextmanager
async def opened(server: TableServer, issuer: str) -> AsyncIterator[Relay]:
    key = SigningKey.load(server.data / "keys" / "private" / f"{issuer}.jwk")
    credentials = ServiceCredentials(TokenIssuer(issuer, key, server.clock), server.clock)
    async with Channels(credentials) as channels:
        line = Relay(type(server.stub)(channels.to(server.app.address, "table")))
        try:
            yield line
        finally:
            await line.close()


class Sight:
    """What one relayed Watch has brought."""

    def __init__(self, watch: RelayedWatch) -> None:
        self.watch = watch
        self._updates = aiter(watch)
        self.seen: list[wire.WatchResponse] = []

    async def next(self) -> wire.WatchResponse:
        self.seen.append(wire.WatchResponse.FromString(await anext(self._updates)))
        return self.seen[-1]

    async def to_the_end(self) -> None:
        while True:
            await self.next()

    async def dealt(self) -> None:
        while True:
            update = await self.next()
            if update.snapshot.stage == STAGE_DEAL or any(e.HasField("deal_started") for e in update.delta.events):
                return


def an_act(table_id: str, action: SeatAction, turn_no: int = 1) -> wire.ActRequest:
    return wire.ActRequest(
        table_id=table_id, command_id=str(uuid.uuid4()), deal_no=1, turn_no=turn_no, action=write_action(action)
    )


async def test_each_player_sees_over_the_relay_what_a_watch_of_its_own_brings(
    server: TableServer, relay: Relay
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    sights = {name: Sight(relay.watch(server.token(account=name), table_id, 0)) for name in PEOPLE}
    for sight in sights.values():
        await sight.dealt()
    async with server.watching(table_id, "ada", 0) as own:
        await own.more()
        assert own.client.view.viewer_seat == 0
    hands = set()
    for seat, sight in enumerate(sights.values()):
        for update in sight.seen:
            for event in update.delta.events:
                if event.HasField("deal_started"):
                    hands.add((seat, tuple(event.deal_started.deal.hand)))
            if update.snapshot.stage == STAGE_DEAL:
                hands.add((seat, tuple(update.snapshot.deal.hand)))
    assert len({hand for _, hand in hands}) == len(PEOPLE)


async def test_each_player_takes_part_in_the_shuffle_over_the_relay(server: TableServer, relay: Relay) -> None:
    table_id = await server.create(SAHRAT, *PEOPLE)

    async def play_a_part(name: str) -> View:
        sight, client, contributor = (
            Sight(relay.watch(server.token(account=name), table_id, 0)),
            Client(),
            Contributor(),
        )
        while client.view.stage != STAGE_DEAL:
            client.take((await sight.next()).SerializeToString())
            for request in contributor.due(client.view):
                await relay.contribute(server.token(account=name), request)
        return client.view

    views = await asyncio.gather(*map(play_a_part, PEOPLE))
    for view in views:
        assert [receipts.seat for receipts in view.fair.receipts] == [0, 1, 2, 3]
        assert all(receipts.c_signature_hex for receipts in view.fair.receipts)
        assert view.fair == views[0].fair


async def test_a_newer_watch_of_the_same_player_ends_the_relayed_one(server: TableServer, relay: Relay) -> None:
    table_id = await server.create(SAHRAT, *PEOPLE)
    sight = Sight(relay.watch(server.token(account="ada"), table_id, 0))
    await sight.next()
    async with server.watching(table_id, "ada", 0) as newer:
        await newer.more()
        with pytest.raises(ApiError, match="WATCH_SUPERSEDED"):
            await sight.to_the_end()


async def test_an_action_over_the_relay_is_refused_with_the_code_and_status_of_the_call(
    server: TableServer, relay: Relay
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    cases = [
        (server.token(account="ada"), an_act(table_id, Draw(0), turn_no=9), "STALE_TURN", grpc.StatusCode.ABORTED),
        (server.token(account="zeina"), an_act(table_id, Draw(0)), "NOT_SEATED", grpc.StatusCode.PERMISSION_DENIED),
        ("", an_act(table_id, Draw(0)), "BAD_TOKEN", grpc.StatusCode.UNAUTHENTICATED),
        (server.token("gateway"), an_act(table_id, Draw(0)), "ROLE_NOT_ADMITTED", grpc.StatusCode.PERMISSION_DENIED),
        (
            server.token(account="ada"),
            wire.ActRequest(table_id=table_id),
            "BAD_REQUEST",
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ]
    for token, request, code, status in cases:
        with pytest.raises(ApiError) as refused:
            await relay.act(token, request)
        assert (refused.value.code, refused.value.status) == (code, status)


async def test_only_a_gateway_may_open_a_relay(server: TableServer) -> None:
    table_id = await server.create(SAHRAT, *PEOPLE)
    async with opened(server, "wallet") as line:
        with pytest.raises(ApiError, match="DEPENDENCY_AWAY"):
            await Sight(line.watch(server.token(account="ada"), table_id, 0)).next()


async def test_players_who_watch_no_longer_are_away(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    ada = Sight(relay.watch(server.token(account="ada"), table_id, 0))
    bayan = Sight(relay.watch(server.token(account="bayan"), table_id, 0))
    await ada.dealt()
    await bayan.dealt()
    ada.watch.cancel()
    while True:
        update = await bayan.next()
        left = [e.seat_changed.seat for e in update.delta.events if e.HasField("seat_changed")]
        if any(seat.seat == 0 and seat.away for seat in left):
            return


async def test_what_gathers_is_sent_in_messages_that_are_not_too_large(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    token = server.token(account="a" * 60)
    request = wire.ActRequest(table_id=table_id, command_id=str(uuid.uuid4()), deal_no=1, turn_no=1)
    for _ in range(5):
        request.action.meld.melds.add(cards=["7H"] * 13)
    outcomes = await asyncio.gather(*(relay.act(token, request) for _ in range(600)), return_exceptions=True)
    assert {outcome.code for outcome in outcomes if isinstance(outcome, ApiError)} <= {"NOT_SEATED", "RATE_LIMITED"}
    assert all(isinstance(outcome, ApiError) for outcome in outcomes)
