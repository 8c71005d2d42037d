"""Moves that come too late, too early, from the wrong seat or to the wrong table, and guests in rooms not theirs."""

import grpc
import pytest
from banakil.common.v1.rule_options_pb2 import PRESET_SAHRAT, RuleOptions
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.table.v1 import hints_pb2, records_pb2, table_pb2
from banakil.wallet.v1 import scores_pb2
from google.protobuf.message import Message

from shared.codec.refusals import STATUS_OF
from shared.rules.actions import Discard, Draw
from shared.rules.cards import bag_faces
from tests.support.calls import METHODS, Refusal, call
from tests.support.ear import Ear
from tests.support.foursome import Foursome
from tests.support.minimal_bot import Played
from tests.support.up import Up
from tests.support.wire_seat import come, new_id

NOWHERE = "00000000-0000-4000-8000-000000000000"
NO_MATCH = "0" * 32


def assert_refused(answer: object, code: str) -> None:
    assert isinstance(answer, Refusal), answer
    assert (answer.code, answer.status) == (code, STATUS_OF[code])


@pytest.mark.parametrize("deals", [-1, 0, 1])
@pytest.mark.parametrize("turns", [-1, 0, 1, 100])
async def test_a_move_for_another_turn_is_stale_whoever_sends_it(foursome: Foursome, deals: int, turns: int) -> None:
    state = foursome.mover.state
    assert state is not None
    card = bag_faces(state.hands[foursome.mover.number])[0]
    deal = foursome.mover.view.deal
    async with foursome.unharmed():
        for seat in foursome.seats:
            request = seat.request(
                Discard(seat.number, card), deal_no=deal.deal_no + deals, turn_no=deal.turn_no + turns
            )
            if deals or turns:
                assert_refused(await seat.call("Act", request), "STALE_TURN")
            elif seat is not foursome.mover:
                assert_refused(await seat.call("Act", request), "NOT_YOUR_TURN")


async def test_a_table_that_there_is_not_is_unknown(foursome: Foursome) -> None:
    seat = foursome.mover
    requests: list[tuple[str, Message]] = [
        ("Act", table_pb2.ActRequest(table_id=NOWHERE, command_id=new_id(), action=seat.request(Draw(0)).action)),
        ("Watch", table_pb2.WatchRequest(table_id=NOWHERE)),
        ("GetView", table_pb2.GetViewRequest(table_id=NOWHERE)),
        ("GetHints", hints_pb2.GetHintsRequest(table_id=NOWHERE)),
    ]
    for name, request in requests:
        assert_refused(await seat.call(name, request), "NO_SUCH_TABLE")
    assert_refused(await seat.call("GetRecord", records_pb2.GetRecordRequest(match_id=NO_MATCH)), "NO_SUCH_MATCH")
    unknown = scores_pb2.GetMatchResultRequest(match_id=NO_MATCH)
    assert_refused(await seat.call("GetMatchResult", unknown), "NO_SUCH_MATCH")


async def test_an_id_out_of_its_form_cannot_be_read(foursome: Foursome) -> None:
    seat = foursome.mover
    async with foursome.unharmed():
        for command_id in ("", "1", NOWHERE.replace("-", ""), f"{{{NOWHERE}}}", new_id().upper(), new_id() + "0"):
            request = seat.request(Draw(seat.number), command_id=command_id)
            assert_refused(await seat.call("Act", request), "BAD_REQUEST")
        for match_id in ("", "1", "x" * 32, "0" * 34):
            assert_refused(await seat.call("GetRecord", records_pb2.GetRecordRequest(match_id=match_id)), "BAD_REQUEST")


async def test_a_closed_table_takes_no_moves_and_its_record_remains(
    quick: Up, quick_channel: grpc.aio.Channel, ear: Ear, matches: dict[tuple[str, str], Played]
) -> None:
    played = matches["sahrat", "duel"]
    fact = await ear.match_ended(played.match_id)
    await ear.table_closed(fact.table_id)
    [account] = [seat.account_id for seat in fact.match_ended.seats if seat.account_id]
    token = quick.token(account).text
    view = await call(quick_channel, METHODS["GetView"], table_pb2.GetViewRequest(table_id=fact.table_id), token)
    move = table_pb2.ActRequest(table_id=fact.table_id, command_id=new_id(), deal_no=1, turn_no=1)
    move.action.draw.SetInParent()
    assert_refused(await call(quick_channel, METHODS["Act"], move, token), "TABLE_CLOSED")
    hints = hints_pb2.GetHintsRequest(table_id=fact.table_id)
    assert_refused(await call(quick_channel, METHODS["GetHints"], hints, token), "TABLE_CLOSED")
    record = records_pb2.GetRecordRequest(match_id=played.match_id)
    assert (await call(quick_channel, METHODS["GetRecord"], record, token)).record_json == played.path.read_text()
    after = await call(quick_channel, METHODS["GetView"], table_pb2.GetViewRequest(table_id=fact.table_id), token)
    assert after.view == view.view


async def test_a_room_is_its_guests_and_its_hosts_alone(foursome: Foursome) -> None:
    host, guest, other = [await come(foursome.channel, name) for name in ("hal", "ida", "jon")]

    async def ask(name: str, request: Message, jwt: str) -> object:
        return await call(foursome.channel, METHODS[name], request, jwt)

    options = RuleOptions(preset=PRESET_SAHRAT)
    made = await ask("CreateRoom", lobby_pb2.CreateRoomRequest(command_id=new_id(), options=options), host.jwt)
    assert isinstance(made, lobby_pb2.CreateRoomResponse)
    room = made.room.room_id
    joined = await ask("JoinRoom", lobby_pb2.JoinRoomRequest(code=made.room.code, seat=1), guest.jwt)
    assert isinstance(joined, lobby_pb2.JoinRoomResponse)
    taken = lobby_pb2.JoinRoomRequest(code=made.room.code, seat=1)
    assert_refused(await ask("JoinRoom", taken, other.jwt), "ROOM_FULL")
    assert_refused(await ask("StartRoom", lobby_pb2.StartRoomRequest(room_id=room), guest.jwt), "NOT_HOST")
    assert_refused(await ask("StartRoom", lobby_pb2.StartRoomRequest(room_id=room), other.jwt), "NOT_HOST")
    assert_refused(await ask("WatchRoom", lobby_pb2.WatchRoomRequest(room_id=room), other.jwt), "NOT_IN_ROOM")
    assert_refused(await ask("StartRoom", lobby_pb2.StartRoomRequest(room_id=NOWHERE), host.jwt), "NO_SUCH_ROOM")
    assert_refused(await ask("JoinRoom", lobby_pb2.JoinRoomRequest(code="10000000"), other.jwt), "NO_SUCH_ROOM")
    await ask("LeaveRoom", lobby_pb2.LeaveRoomRequest(room_id=room), other.jwt)
    held = await ask("ListMyTables", lobby_pb2.ListMyTablesRequest(), host.jwt)
    assert isinstance(held, lobby_pb2.ListMyTablesResponse)
    assert [seat.account_id for seat in held.room.seats] == [host.account, guest.account]


async def test_a_secret_proves_its_own_account_alone(foursome: Foursome) -> None:
    ada, bea = [await come(foursome.channel, name) for name in ("ada", "bea")]
    for account, secret in ((ada.account, bea.secret), (ada.account, ""), ("", ada.secret), (NOWHERE, ada.secret)):
        request = accounts_pb2.RefreshTokenRequest(account_id=account, refresh_secret=secret)
        assert_refused(await call(foursome.channel, METHODS["RefreshToken"], request), "CREDENTIAL_INVALID")
