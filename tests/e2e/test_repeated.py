"""Every call that a player may make, twice at once and once more later: it has one effect and says the same."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import grpc
import pytest
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_BANAKIL202, PRESET_SAHRAT, RuleOptions
from banakil.lobby.v1 import accounts_pb2, history_pb2, lobby_pb2
from banakil.shuffle.v1 import days_pb2, shuffle_pb2
from banakil.table.v1 import hints_pb2, records_pb2, table_pb2, wishes_pb2
from banakil.wallet.v1 import leaderboards_pb2, scores_pb2, wallet_pb2
from google.protobuf.message import Message

from tests.support.calls import METHODS, PLAYERS, Refusal, call, read_refusal
from tests.support.foursome import Foursome
from tests.support.wire_seat import Guest, Seat, come, new_id

TESTED_APART = {"CreateGuest", "SignIn", "ChangePassword", "Watch", "Spectate", "Say", "Act", "Contribute"}
"""What is not the same each time; what passwords open (`contract/test_lobby_accounts.py`); phrases, which are said as
often as they come; moves, of which `test_deal.py` sends hundreds; and what a shuffle awaits for seconds alone
(`integration/table/test_refusals.py`)."""
PASSING = {"remaining_ms", "server_now_ms", "token", "metadata"}
"""Fields that differ from one moment to the next."""


class Scene(NamedTuple):
    """A new guest, who waits in a room of its own, and a friend's room; a table that is being played."""

    table: Foursome
    guest: Guest
    own_room: lobby_pb2.Room
    friends_room: lobby_pb2.Room

    async def ask(self, name: str, request: Message, guest: Guest | None = None) -> Any:
        return await call(self.table.channel, METHODS[name], request, (guest or self.guest).jwt)

    @property
    def match_id(self) -> str:
        return self.table.seats[0].view.match.match_id


Build = Callable[[Scene], Message]
REQUESTS: dict[str, Build] = {
    "RefreshToken": lambda scene: accounts_pb2.RefreshTokenRequest(
        account_id=scene.guest.account, refresh_secret=scene.guest.secret
    ),
    "GetKeys": lambda _: accounts_pb2.GetKeysRequest(),
    "NameAccount": lambda scene: accounts_pb2.NameAccountRequest(
        username=f"eva {scene.guest.account[:8]}", password="a long enough one"
    ),
    "QuickPlay": lambda _: lobby_pb2.QuickPlayRequest(command_id=new_id(), preset=PRESET_SAHRAT, mode=MODE_DUEL),
    "CreateRoom": lambda _: create_room(),
    "JoinRoom": lambda scene: lobby_pb2.JoinRoomRequest(code=scene.friends_room.code),
    "LookUpRoom": lambda scene: lobby_pb2.LookUpRoomRequest(code=scene.friends_room.code),
    # Of a table that is another's; what those who sit there wish is in `integration/table` and `contract`.
    "PlayAgain": lambda scene: lobby_pb2.PlayAgainRequest(table_id=scene.table.table_id),
    "Ask": lambda scene: wishes_pb2.AskRequest(
        table_id=scene.table.table_id, command_id=new_id(), pause=wishes_pb2.Pause()
    ),
    "StartRoom": lambda scene: lobby_pb2.StartRoomRequest(room_id=scene.own_room.room_id),
    "LeaveRoom": lambda scene: lobby_pb2.LeaveRoomRequest(room_id=scene.own_room.room_id),
    "WatchRoom": lambda scene: lobby_pb2.WatchRoomRequest(room_id=scene.own_room.room_id),
    "ListMyTables": lambda _: lobby_pb2.ListMyTablesRequest(),
    "GetHistory": lambda _: history_pb2.GetHistoryRequest(),
    "GetMatchResult": lambda scene: scores_pb2.GetMatchResultRequest(match_id=scene.match_id),
    "GetPlayerStats": lambda scene: scores_pb2.GetPlayerStatsRequest(account_id=scene.guest.account),
    "ListPartners": lambda scene: scores_pb2.ListPartnersRequest(account_id=scene.guest.account),
    "GetRating": lambda scene: scores_pb2.GetRatingRequest(account_id=scene.guest.account),
    "GetLeaderboard": lambda _: leaderboards_pb2.GetLeaderboardRequest(**board()),
    "GetStanding": lambda _: leaderboards_pb2.GetStandingRequest(**board()),
    # Nobody there has finished a match: those whom one follows are in `contract`.
    "Follow": lambda scene: leaderboards_pb2.FollowRequest(account_id=scene.match_id),
    "Unfollow": lambda scene: leaderboards_pb2.UnfollowRequest(account_id=scene.match_id),
    "ListFollowed": lambda _: leaderboards_pb2.ListFollowedRequest(),
    "GetWallet": lambda _: wallet_pb2.GetWalletRequest(),
    # A guest has no coins: what others have is in `contract`.
    "ClaimDaily": lambda _: wallet_pb2.ClaimDailyRequest(command_id=new_id()),
    "ListTransfers": lambda _: wallet_pb2.ListTransfersRequest(),
    "CheckStake": lambda scene: wallet_pb2.CheckStakeRequest(account_id=scene.guest.account, stake_coins=100),
    "Audit": lambda scene: shuffle_pb2.AuditRequest(match_id=bytes.fromhex(scene.match_id)),
    "ListDays": lambda _: days_pb2.ListDaysRequest(),
    "GetDay": lambda _: days_pb2.GetDayRequest(date="20000101"),
    "GetProof": lambda scene: days_pb2.GetProofRequest(match_id=bytes.fromhex(scene.match_id)),
    "ListKeys": lambda _: days_pb2.ListKeysRequest(),
    "GetView": lambda scene: table_pb2.GetViewRequest(table_id=scene.table.table_id),
    "GetHints": lambda scene: hints_pb2.GetHintsRequest(table_id=scene.table.table_id),
    "GetRecord": lambda scene: records_pb2.GetRecordRequest(match_id=scene.match_id),
    "GetSeriesRecord": lambda scene: records_pb2.GetSeriesRecordRequest(series_id=scene.match_id),
}
NEEDS_NO_ROOM = {"QuickPlay", "CreateRoom", "JoinRoom"}
"""An account waits in one room at the most."""


def board() -> dict[str, Any]:
    return {"board": leaderboards_pb2.BOARD_ALL_TIME, "preset": PRESET_SAHRAT, "mode": MODE_DUEL}


def create_room(**options: Any) -> lobby_pb2.CreateRoomRequest:
    return lobby_pb2.CreateRoomRequest(command_id=new_id(), options=RuleOptions(preset=PRESET_SAHRAT, **options))


@pytest.fixture
async def scene(foursome: Foursome) -> Scene:
    guests = [await come(foursome.channel, name) for name in ("eva", "fay")]
    rooms = [await call(foursome.channel, METHODS["CreateRoom"], create_room(), guest.jwt) for guest in guests]
    return Scene(foursome, guests[0], rooms[0].room, rooms[1].room)


def lasting(answer: Any) -> Any:
    """What an answer says that does not pass."""
    if isinstance(answer, Refusal):
        return answer.code, answer.metadata
    return {field.name: _lasting(value) for field, value in answer.ListFields() if field.name not in PASSING}


def _lasting(value: Any) -> Any:
    return (
        lasting(value) if isinstance(value, Message) else value if isinstance(value, str | int | bool) else str(value)
    )


async def three_times(ask: Callable[[], Awaitable[Any]]) -> list[Any]:
    return [*await asyncio.gather(ask(), ask()), await ask()]


def test_every_call_that_a_player_may_make_is_tested() -> None:
    assert set(PLAYERS) == {*REQUESTS, *TESTED_APART}


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_call_that_comes_three_times_has_one_effect_and_one_answer(scene: Scene, name: str) -> None:
    if name in NEEDS_NO_ROOM:
        await scene.ask("LeaveRoom", REQUESTS["LeaveRoom"](scene))
    request = REQUESTS[name](scene)
    async with scene.table.unharmed():
        answers = await three_times(lambda: scene.ask(name, request))
    assert lasting(answers[0]) == lasting(answers[1]) == lasting(answers[2])
    held = await scene.ask("ListMyTables", lobby_pb2.ListMyTablesRequest())
    assert len(held.tables) == (name == "StartRoom")
    assert held.HasField("room") == (name not in {"StartRoom", "LeaveRoom"})
    if held.HasField("room"):
        assert [seat.account_id for seat in held.room.seats].count(scene.guest.account) == 1


@pytest.mark.parametrize("name", ["QuickPlay", "CreateRoom"])
async def test_an_id_that_was_used_is_refused_to_another_wish_and_a_new_one_while_one_waits(
    scene: Scene, name: str
) -> None:
    await scene.ask("LeaveRoom", REQUESTS["LeaveRoom"](scene))
    request: Any = REQUESTS[name](scene)
    room = (await scene.ask(name, request)).room
    other = type(request).FromString(request.SerializeToString())
    if name == "QuickPlay":
        other.preset = PRESET_BANAKIL202
    else:
        other.options.target = 100
    assert (await scene.ask(name, other)).code == "DUPLICATE_COMMAND_BODY"
    refused = await scene.ask(name, REQUESTS[name](scene))
    assert (refused.code, refused.metadata["room_id"]) == ("ALREADY_PLAYING", room.room_id)


async def test_two_guests_with_one_name_are_two(calm_channel: grpc.aio.Channel) -> None:
    guests = await three_times(lambda: come(calm_channel, "gus"))
    assert len({guest.account for guest in guests}) == len({guest.secret for guest in guests}) == 3


async def test_of_two_watches_of_one_seat_the_newer_goes_on_and_nobody_was_away(foursome: Foursome) -> None:
    older = foursome.seats[0]
    async with foursome.unharmed():
        newer = Seat(foursome.channel, foursome.table_id, older.guest)
        await newer.watch()
        fault = await older.end()
        assert fault is not None
        assert read_refusal(fault).code == "WATCH_SUPERSEDED"
        assert newer.view == older.view
        await older.watch()
        assert await newer.end() is not None
