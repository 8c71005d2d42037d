"""Rooms for coins: who may sit down in one, for which stake, and that people alone do."""

import contextlib
import itertools
import uuid
from collections.abc import AsyncIterator

import pytest
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_SAHRAT, RuleOptions
from banakil.events.v1.facts_pb2 import Fact, MatchEnded, MatchSeat
from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_CLOSED, ROOM_STATE_STARTED, ROOM_STATE_WAITING
from banakil.wallet.v1.wallet_pb2 import HOLD_OUTCOME_HELD, GetWalletRequest, HoldStakesRequest
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from shared.codec.options import write_options
from shared.kit.clients import Channels, answer, bearer
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey
from shared.rules.options import preset_options
from tests.support.lobby import Guest, LobbyWorld, RunningLobby, eventually, last_state, refusal
from tests.support.lobby_facts import ended

NEEDED = 3
DUEL = RuleOptions(preset=PRESET_SAHRAT, mode=MODE_DUEL, stake_coins=100)
COIN_WAIT_MS = 600_000
NUMBERS = itertools.count(100)


@pytest.fixture(scope="module")
async def lobby(shared_world: LobbyWorld) -> AsyncIterator[RunningLobby]:
    """With the real wallet, which the lobby asks."""
    async with shared_world.wallet(calls_burst=10_000), shared_world.lobby() as running:
        yield running


@pytest.fixture
async def players(shared_world: LobbyWorld, lobby: RunningLobby) -> AsyncIterator[list[Guest]]:
    """They are in no room afterwards."""
    named = await make_players(shared_world, lobby)
    yield named
    for player in named:
        if (found := await player.tables()).HasField("room"):
            await player.leave(found.room.room_id)


async def make_players(world: LobbyWorld, lobby: RunningLobby) -> list[Guest]:
    """Two named accounts that may play for coins: each has its welcome."""
    named = [await lobby.named(f"player {next(NUMBERS)}") for _ in range(2)]
    await finish_matches(world, *named)
    return named


async def finish_matches(world: LobbyWorld, *players: Guest, matches: int = NEEDED) -> None:
    """So many finished matches for each pair of them, which the wallet has heard of."""
    options = write_options(preset_options("sahrat", "duel"))
    async with world.facts() as publish:
        for first, second in zip(players[::2], players[1::2], strict=True):
            seats = [MatchSeat(account_id=one.account_id, display_name=one.name) for one in (first, second)]
            for _ in range(matches):
                match_id = uuid.uuid4().hex
                match = MatchEnded(
                    series_id=match_id, match_id=match_id, match_no=1, options=options, seats=seats,
                    total_half_points=[310, 20], winner_team=0, last_deal_no=3,
                )  # fmt: skip
                await publish(Fact(fact_id=str(uuid.uuid4()), at_ms=1, table_id=str(uuid.uuid4()), match_ended=match))
    async with Channels(None) as channels:
        stub = WalletServiceStub(channels.to(world.wallet_address, "wallet"))
        for player in players:

            async def knows(player: Guest = player) -> bool:
                asked = stub.GetWallet(GetWalletRequest(), metadata=bearer(player.jwt))
                return (await answer(asked)).matches_finished >= matches

            await eventually(knows, "the wallet knows the matches")


async def test_named_players_with_coins_meet_for_a_stake(shared_world: LobbyWorld, players: list[Guest]) -> None:
    first, second = players
    room = await first.quick(mode=MODE_DUEL, stake=500)
    assert (room.state, room.options.stake_coins, room.HasField("remaining_ms")) == (ROOM_STATE_WAITING, 500, False)
    room = await second.quick(mode=MODE_DUEL, stake=500)
    assert room.state == ROOM_STATE_STARTED
    assert shared_world.peer.made[room.table_id].options.stake_coins == 500
    assert shared_world.peer.seats(room.table_id) == [first.account_id, second.account_id]


async def test_stakes_do_not_mix(lobby: RunningLobby, players: list[Guest]) -> None:
    first, second = players
    rooms = [await first.quick(mode=MODE_DUEL, stake=100), await second.quick(mode=MODE_DUEL, stake=500)]
    assert len({room.room_id for room in rooms}) == 2
    free = await (await lobby.guest()).quick(mode=MODE_DUEL)
    assert (free.options.stake_coins, len(free.seats)) == (0, 1)


@pytest.mark.parametrize("stake", [5, 250, 2_505, 1_000_000])
async def test_quick_play_has_a_few_stakes(lobby: RunningLobby, stake: int) -> None:
    assert await refusal((await lobby.guest()).quick(stake=stake)) == "OPTION_OUT_OF_RANGE"


async def test_a_guest_and_a_bot_play_for_nothing(lobby: RunningLobby, players: list[Guest]) -> None:
    host = players[0]
    room = await host.create(DUEL)
    for guest in (await lobby.guest(), await lobby.guest("robot", bot=True)):
        assert await refusal(guest.quick(stake=100)) == "GUEST_ACCOUNT"
        assert await refusal(guest.create(DUEL)) == "GUEST_ACCOUNT"
        assert await refusal(guest.join(room.code, stake=100)) == "GUEST_ACCOUNT"
        assert not (await guest.tables()).HasField("room")


async def test_a_name_alone_does_not_do(lobby: RunningLobby, players: list[Guest]) -> None:
    ready = players[0]
    fresh = await lobby.named(f"fresh {next(NUMBERS)}")
    assert await refusal(fresh.quick(stake=100)) == "TOO_FEW_MATCHES"
    # A welcome, and what free tables bring, are not as much as that.
    assert await refusal(ready.quick(stake=2_500)) == "TOO_FEW_COINS"
    assert await refusal(ready.create(RuleOptions(preset=PRESET_SAHRAT, stake_coins=1_000_000))) == "TOO_FEW_COINS"


async def test_who_joins_a_room_agrees_to_its_stake(lobby: RunningLobby, players: list[Guest]) -> None:
    host, friend = players
    room = await host.create(DUEL)
    for stake in (0, 95, 105):
        assert await refusal(friend.join(room.code, stake=stake)) == "STAKE_NOT_AGREED"
    look = await friend.look_up(room.code)
    assert (look.options.stake_coins, look.free_seats) == (100, 1)
    assert (await friend.join(room.code, stake=look.options.stake_coins)).state == ROOM_STATE_STARTED
    free = await (await lobby.guest()).create()
    assert await refusal((await lobby.guest()).join(free.code, stake=5)) == "STAKE_NOT_AGREED"
    assert await refusal(friend.look_up("12345678")) == "NO_SUCH_ROOM"


async def test_a_room_for_coins_starts_when_all_are_there_and_not_before(players: list[Guest]) -> None:
    host, friend = players
    room = await host.create(DUEL)
    assert await refusal(host.start(room.room_id)) == "SEATS_VACANT"
    assert await refusal(host.start(room.room_id, level=1)) == "BAD_REQUEST"
    started = await friend.join(room.code, stake=100)
    assert started.state == ROOM_STATE_STARTED
    assert (await host.start(room.room_id)).table_id == started.table_id


async def test_no_house_bots_come_for_coins(
    shared_world: LobbyWorld, lobby: RunningLobby, players: list[Guest]
) -> None:
    first, second = players
    assert await refusal(first.quick(stake=100, bots=True)) == "BAD_REQUEST"
    assert await refusal(first.quick(stake=100, level=2)) == "BAD_REQUEST"
    room = await first.quick(mode=MODE_DUEL, stake=100)
    closed = await shared_world.after(COIN_WAIT_MS, last_state(first, room))
    assert (closed.state, closed.table_id) == (ROOM_STATE_CLOSED, "")
    assert all(
        not made.options.stake_coins or all(seat.account_id for seat in made.seats) for made in shared_world.peer.calls
    )
    later = await lobby.refreshed(second)
    assert (await later.quick(mode=MODE_DUEL, stake=100)).room_id != room.room_id


async def test_those_of_a_table_play_again_for_the_same_stake(
    shared_world: LobbyWorld, lobby: RunningLobby, players: list[Guest]
) -> None:
    first, second = players
    await first.quick(mode=MODE_DUEL, stake=100)
    room = await second.quick(mode=MODE_DUEL, stake=100)
    async with shared_world.facts() as publish:
        await publish(ended(room))

        async def free() -> bool:
            with contextlib.suppress(Exception):
                return bool((await first.again(room.table_id)).room_id)
            return False

        await eventually(free, "the match is over for the lobby")
    again = await second.again(room.table_id)
    assert (again.options.stake_coins, again.state) == (100, ROOM_STATE_STARTED)


async def test_a_wallet_that_is_away_leaves_nothing_half_done(world: LobbyWorld) -> None:
    async with world.wallet(calls_burst=10_000), world.lobby() as lobby:
        first, second = await make_players(world, lobby)
        room = await first.create(DUEL)
    async with world.lobby() as lobby:
        first, second = first.at(lobby.channel), second.at(lobby.channel)
        command_id = str(uuid.uuid4())
        assert await refusal(second.quick(stake=100, command_id=command_id)) == "DEPENDENCY_AWAY"
        assert await refusal(second.join(room.code, stake=100)) == "DEPENDENCY_AWAY"
        assert not (await second.tables()).HasField("room")
        # What was done already is said again, without asking anybody.
        assert (await first.join(room.code)).room_id == room.room_id
    async with world.wallet(), world.lobby() as lobby:
        found = await second.at(lobby.channel).quick(mode=MODE_DUEL, stake=100, command_id=command_id)
        assert [seat.account_id for seat in found.seats] == [second.account_id]


async def test_what_was_done_is_found_again_though_the_coins_are_gone(
    shared_world: LobbyWorld, players: list[Guest]
) -> None:
    first = players[0]
    command_id, rules = str(uuid.uuid4()), RuleOptions(preset=PRESET_SAHRAT, mode=MODE_DUEL, stake_coins=1_000)
    room = await first.create(rules, command_id=command_id)
    issuer = TokenIssuer(
        "table", SigningKey.load(shared_world.folder / "keys" / "private" / "table.jwk"), shared_world.clock
    )
    hold = HoldStakesRequest(
        match_id=uuid.uuid4().hex,
        table_id=str(uuid.uuid4()),
        stake_coins=1_000,
        account_ids=[player.account_id for player in players],
    )
    async with Channels(None) as channels:
        stub = WalletServiceStub(channels.to(shared_world.wallet_address, "wallet"))
        token = issuer.for_service("wallet").text
        assert (await answer(stub.HoldStakes(hold, metadata=bearer(token)))).outcome == HOLD_OUTCOME_HELD
    assert (await first.create(rules, command_id=command_id)).room_id == room.room_id
    assert await refusal(first.create(rules)) == "TOO_FEW_COINS"
