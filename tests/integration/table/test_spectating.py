"""Looking on and saying something, over real sockets: what is public and no more, bounded, and nobody's presence."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from banakil.table.v1 import saying_pb2, spectating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import STAGE_CLOSED

from services.gateway.relay import Relay
from services.table.spectating import MOST_SPECTATORS
from shared.kit.clients import bearer
from shared.kit.status import ApiError
from shared.rules.actions import Discard, Draw
from shared.rules.cards import bag_cards
from shared.rules.options import make_options
from tests.integration.table.test_relay import PEOPLE, SAHRAT, Sight, opened
from tests.support.kit import PATIENCE_S
from tests.support.table_service import TableServer, refused

DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50})


@pytest.fixture
async def relay(server: TableServer) -> AsyncIterator[Relay]:
    async with opened(server, "gateway") as open_relay:
        yield open_relay


def spectate(server: TableServer, table_id: str, account: str) -> Any:
    return server.stub.Spectate(spectating_pb2.SpectateRequest(table_id=table_id), **server.by(account))


def say(table_id: str, phrase_id: str = "well_played") -> saying_pb2.SayRequest:
    return saying_pb2.SayRequest(table_id=table_id, phrase_id=phrase_id)


async def test_a_spectator_follows_what_is_public_by_a_call_of_its_own_and_over_a_relay(
    server: TableServer, relay: Relay
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    call = spectate(server, table_id, "eve")
    updates = aiter(call)
    first = await anext(updates)
    relayed = Sight(relay.spectate(server.token(account="zeina"), table_id, 0))
    second = await relayed.next()
    assert (first.spectators, second.spectators) == (1, 2)
    for view in (first.snapshot, second.snapshot):
        assert (view.HasField("viewer_seat"), list(view.deal.hand), view.seats[0].away) == (False, [], True)
    starter = first.snapshot.deal.turn_seat
    async with server.watching(table_id, PEOPLE[starter]) as sight:
        await sight.more()
        thrown = bag_cards(sight.state().hands[starter])[0]
    await server.act(table_id, PEOPLE[starter], Discard(starter, thrown), (1, 1))
    following = (starter + 1) % 4
    await server.act(table_id, PEOPLE[following], Draw(following), (1, 2))
    for read in (updates.__anext__, relayed.next):
        while not (drew := [event.drew for event in (await read()).delta.events if event.HasField("drew")]):
            pass
        assert [(one.seat, one.card) for one in drew] == [(following, "")]
    call.cancel()


async def test_spectating_ones_own_table_shows_no_hand_and_is_no_presence_and_ends_no_watch(
    server: TableServer, relay: Relay
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    token = server.token(account="ada")
    own = Sight(relay.watch(token, table_id, 0))
    assert (await own.next()).snapshot.viewer_seat == 0
    looking_on = Sight(relay.spectate(token, table_id, 0))
    view = (await looking_on.next()).snapshot
    assert not view.HasField("viewer_seat")
    assert not view.deal.hand
    own.watch.cancel()
    while True:
        for event in (await looking_on.next()).delta.events:
            if event.HasField("seat_changed") and event.seat_changed.seat.away:
                assert event.seat_changed.seat.seat == 0
                return


async def test_so_many_may_look_on_and_one_more_is_told_so(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    sights = [
        Sight(relay.spectate(server.token(account=f"s{number}"), table_id, 0)) for number in range(MOST_SPECTATORS)
    ]
    for sight in sights:
        await sight.next()
    with pytest.raises(ApiError) as full:
        await Sight(relay.spectate(server.token(account="late"), table_id, 0)).next()
    assert (full.value.code, full.value.retry_after_ms) == ("TOO_MANY_SPECTATORS", 10_000)
    sights[0].watch.cancel()
    assert (await Sight(relay.spectate(server.token(account="late"), table_id, 0)).next()).HasField("snapshot")


async def test_a_loop_of_coming_and_going_is_slowed_down_and_leaves_nothing_behind(
    server: TableServer, relay: Relay
) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    token = server.token(account="eve")
    codes = set()
    for _ in range(100):
        sight = Sight(relay.spectate(token, table_id, 0))
        try:
            assert (await sight.next()).spectators == 1
        except ApiError as error:
            codes.add(error.code)
        sight.watch.cancel()
    assert codes == {"RATE_LIMITED"}


async def test_what_a_seat_says_all_hear_who_watch(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    player = Sight(relay.watch(server.token(account="bayan"), table_id, 0))
    spectator = Sight(relay.spectate(server.token(account="eve"), table_id, 0))
    for sight in (player, spectator):
        await sight.next()
    await server.stub.Say(say(table_id), **server.by("ada"))
    await relay.say(server.token(account="bayan"), say(table_id, "rose"))
    for sight in (player, spectator):
        heard: list[saying_pb2.Said] = []
        while len(heard) < 2:
            update = await sight.next()
            heard += [update.said] if update.HasField("said") else []
        assert [(said.seat, said.phrase_id) for said in heard] == [(0, "well_played"), (1, "rose")]


async def test_a_seat_may_say_some_things_at_once_and_then_has_to_wait(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    token = server.token(account="cyrine")
    for _ in range(4):
        await relay.say(token, say(table_id))
    with pytest.raises(ApiError) as enough:
        await relay.say(token, say(table_id))
    assert (enough.value.code, enough.value.retry_after_ms) == ("RATE_LIMITED", 2_500)
    await relay.say(server.token(account="dalal"), say(table_id))
    server.clock.advance(2_500)
    await relay.say(token, say(table_id))


async def test_what_may_not_be_said_is_refused(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(SAHRAT, *PEOPLE)
    cases = [
        ("ada", say(table_id, "an insult"), "NO_SUCH_PHRASE"),
        ("eve", say(table_id), "NOT_SEATED"),
        ("ada", say("00000000-0000-4000-8000-000000000000"), "NO_SUCH_TABLE"),
    ]
    for account, request, code in cases:
        assert (await refused(server.stub.Say(request, **server.by(account)))).code == code
        with pytest.raises(ApiError, match=code):
            await relay.say(server.token(account=account), request)
    for issuer in ("gateway", "bots", "operator"):
        looking_on = spectating_pb2.SpectateRequest(table_id=table_id)
        call = server.stub.Spectate(looking_on, metadata=bearer(server.token(issuer)))
        assert (await refused(anext(aiter(call)))).code == "ROLE_NOT_ADMITTED"


async def test_a_table_that_closes_ends_the_streams_of_spectators(server: TableServer, relay: Relay) -> None:
    table_id = await server.dealt(DUEL, "ada", "bayan")
    sight = Sight(relay.spectate(server.token(account="eve"), table_id, 0))
    await sight.next()
    await _abandon(server, table_id)
    with pytest.raises(StopAsyncIteration):
        await sight.to_the_end()
    again = Sight(relay.spectate(server.token(account="zeina"), table_id, 0))
    assert (await again.next()).snapshot.stage == STAGE_CLOSED
    assert (await refused(server.stub.Say(say(table_id), **server.by("ada")))).code == "TABLE_CLOSED"


async def _abandon(server: TableServer, table_id: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            view = (await server.stub.GetView(wire.GetViewRequest(table_id=table_id), **server.by("reader"))).view
            if view.stage == STAGE_CLOSED:
                return
            server.clock.advance(60_000)
