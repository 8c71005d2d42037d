"""Whom the table service refuses, how, and that a refusal leaves the table as it was."""

import asyncio
import json
import random
import sqlite3
import uuid
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from banakil.table.v1 import actions_pb2, contributing_pb2, hints_pb2, records_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import FAIR_STEP_PROMISING, STAGE_CLOSED

from services.table.player_calls import READS_AT_ONCE
from shared.codec.actions import write_action
from shared.codec.options import write_options
from shared.kit.clients import bearer
from shared.kit.guard import MAX_MESSAGE_BYTES
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey
from shared.kit.rpc_context import AUTHORIZATION_KEY
from shared.kit.status import api_error
from shared.rules.actions import Amend, Discard, Draw, Lay
from shared.rules.cards import bag_faces
from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S
from tests.support.table_service import TableServer, all_watch, refused
from tests.support.tables import PEOPLE, table_id_of

SAHRAT = make_options({"preset": "sahrat"})
SHORT_DUEL = make_options({"preset": "sahrat", "mode": "duel", "target": 50})


@pytest.fixture
async def table(server: TableServer) -> str:
    """A table whose first deal is being played."""
    return await server.dealt(SAHRAT)


async def public_view(server: TableServer, table_id: str) -> wire.GetViewResponse:
    """As somebody sees it who has asked for nothing before: nobody asks too often here."""
    reader = f"reader-{uuid.uuid4()}"
    return await server.stub.GetView(wire.GetViewRequest(table_id=table_id), **server.by(reader))


async def settled_view(server: TableServer, table_id: str) -> wire.GetViewResponse:
    """The view once everybody who left is noted as away. No clock goes on meanwhile."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            view = await public_view(server, table_id)
            if all(seat.away for seat in view.view.seats):
                return view


def act(table_id: str, action: actions_pb2.Action | None = None, **more: Any) -> wire.ActRequest:
    fields = {"deal_no": 1, "turn_no": 1, "command_id": str(uuid.uuid4()), **more}
    return wire.ActRequest(table_id=table_id, action=action or write_action(Draw(0)), **fields)


async def turn_of(server: TableServer, table_id: str) -> tuple[str, str]:
    """Whose turn it is, and who comes next."""
    turn = (await public_view(server, table_id)).view.deal.turn_seat
    return PEOPLE[turn], PEOPLE[(turn + 1) % 4]


async def test_every_wrong_act_has_its_code_and_leaves_the_table_as_it_was(server: TableServer, table: str) -> None:
    before = await settled_view(server, table)
    turn, other = await turn_of(server, table)
    bare, huge = actions_pb2.Action(), actions_pb2.Action()
    huge.amend.cards.extend(["5H"] * 107)
    not_a_card = actions_pb2.Action(discard=actions_pb2.Action.Discard(card="1Z"))
    cases: list[tuple[str, str, wire.ActRequest]] = [
        ("ALREADY_DRAWN", turn, act(table)),
        ("NOT_YOUR_TURN", other, act(table)),
        ("STALE_TURN", turn, act(table, turn_no=2)),
        ("STALE_TURN", turn, act(table, deal_no=2)),
        ("STALE_TURN", turn, act(table, match_id="0f" * 16)),
        ("NOT_SEATED", "eve", act(table)),
        ("NO_SUCH_TABLE", turn, act(table_id_of(5))),
        ("BAD_REQUEST", turn, act(table, command_id="once")),
        ("BAD_REQUEST", turn, act(table, command_id=str(uuid.uuid4()).upper())),
        ("BAD_ACTION", turn, act(table, bare)),
        ("BAD_ACTION", turn, act(table, huge)),
        ("BAD_ACTION", turn, act(table, not_a_card)),
        ("NO_SUCH_MELD", turn, act(table, write_action(Amend(0, 9, b"\x01\x02\x03")))),
        ("NOTHING_TO_UNDO", turn, act(table, actions_pb2.Action(undo=actions_pb2.Action.Undo()))),
        ("MELD_TOO_SHORT", turn, act(table, write_action(Lay(0, (b"\x01\x02",))))),
    ]
    for code, account, request in cases:
        error = await refused(server.stub.Act(request, **server.by(account)))
        assert (error.code, account) == (code, account)
    assert (await public_view(server, table)).view == before.view


async def test_who_may_not_call_is_told_so_before_anything_is_read(server: TableServer, table: str) -> None:
    before = await settled_view(server, table)
    request = act(table)
    expired = server.token(account="ada", life_ms=1_000)
    server.clock.advance(1_001)
    forged = TokenIssuer("lobby", SigningKey.generate(), server.clock).for_account("ada").text
    callers: list[tuple[str, Any]] = [
        ("NO_TOKEN", ()),
        ("BAD_TOKEN", bearer("garbage")),
        ("BAD_TOKEN", bearer(forged)),
        ("BAD_TOKEN", bearer(server.token(account="ada")[:-6] + "AAAAAA")),
        ("TOKEN_EXPIRED", bearer(expired)),
        ("ROLE_NOT_ADMITTED", bearer(server.token("lobby"))),
        ("ROLE_NOT_ADMITTED", bearer(server.token("wallet"))),
    ]
    for code, metadata in callers:
        assert (await refused(server.stub.Act(request, metadata=metadata))).code == code
        stream = server.stub.Watch(wire.WatchRequest(table_id=table), metadata=metadata)
        assert (await refused(anext(aiter(stream)))).code == code
    for account in ("ada", "eve"):
        create = seating_pb2.CreateRequest(table_id=str(uuid.uuid4()))
        assert (await refused(server.stub.Create(create, **server.by(account)))).code == "ROLE_NOT_ADMITTED"
        take = seating_pb2.TakeSeatRequest(table_id=table)
        assert (await refused(server.stub.TakeSeat(take, **server.by(account)))).code == "ROLE_NOT_ADMITTED"
    assert (await public_view(server, table)).view == before.view


async def test_garbage_and_a_megabyte_are_refused_with_a_code(server: TableServer, table: str) -> None:
    before = await settled_view(server, table)
    async with grpc.aio.insecure_channel(server.app.address) as channel:
        raw: Any = channel.unary_unary("/banakil.table.v1.TableService/Act")
        for code, message in (
            ("BAD_REQUEST", b"\xff\xfe\xfd"),
            ("BAD_REQUEST", b""),
            ("MESSAGE_TOO_LARGE", bytes(MAX_MESSAGE_BYTES + 1)),
            ("MESSAGE_TOO_LARGE", bytes(1024 * 1024)),
        ):
            assert (await refused(raw(message, **server.by("ada")))).code == code
    assert (await public_view(server, table)).view == before.view


async def test_resending_over_the_wire_gives_the_first_answer_and_another_body_is_refused(
    server: TableServer, table: str
) -> None:
    turn, _ = await turn_of(server, table)
    async with server.watching(table, turn) as sight:
        await sight.more()
        card = sight.state().hands[sight.client.view.viewer_seat]
        throw = [Discard(0, face) for face in bag_faces(card)[:2]]
    request = act(table, write_action(throw[0]))
    first, second = await asyncio.gather(*(server.stub.Act(request, **server.by(turn)) for _ in range(2)))
    assert first == second == await server.stub.Act(request, **server.by(turn))
    request.action.CopyFrom(write_action(throw[1]))
    assert (await refused(server.stub.Act(request, **server.by(turn)))).code == "DUPLICATE_COMMAND_BODY"
    assert (await public_view(server, table)).view.deal.turn_no == 2


async def test_every_wrong_contribution_has_its_code_and_leaves_the_shuffle_as_it_was(server: TableServer) -> None:
    table_id = await server.create(make_options({"preset": "banakil202"}), "ada", "bayan", "cem", "")
    match_id = (await public_view(server, table_id)).view.match.match_id
    vacant: dict[str, Any] = {"table_id": table_id, "match_id": match_id, "deal_no": 1, "h_hex": "00" * 64}
    assert await refused_contribution(server, "ada", vacant) == "STALE_CEREMONY"
    request = seating_pb2.TakeSeatRequest(
        table_id=table_id, vacancy_id=vacancy_of(server, table_id, 3), display_name="Kitt"
    )
    await server.stub.TakeSeat(request, metadata=bearer(server.token("bots", "one")))
    async with asyncio.timeout(PATIENCE_S):
        while (before := await public_view(server, table_id)).view.next_fair.step != FAIR_STEP_PROMISING:
            pass
    good = vacant
    cases: list[tuple[str, str, dict[str, Any]]] = [
        ("BAD_REQUEST", "ada", {**good, "h_hex": "00" * 63}),
        ("BAD_REQUEST", "ada", {**good, "h_hex": "AA" * 64}),
        ("BAD_REQUEST", "ada", {**good, "h_hex": "zz" * 64}),
        ("BAD_REQUEST", "ada", {**good, "match_id": "00"}),
        ("BAD_REQUEST", "ada", {"table_id": table_id, "match_id": match_id, "deal_no": 1}),
        ("BAD_REQUEST", "ada", {"table_id": table_id, "match_id": match_id, "deal_no": 1, "cut": 106}),
        ("BAD_REQUEST", "ada", {"table_id": table_id, "match_id": match_id, "deal_no": 1, "cut": 0}),
        ("BAD_REQUEST", "ada", {"table_id": table_id, "match_id": match_id, "deal_no": 1, "c_hex": "00" * 64}),
        ("NO_SUCH_TABLE", "ada", {**good, "table_id": table_id_of(5)}),
        ("NOT_SEATED", "eve", good),
        ("STALE_CEREMONY", "ada", {**good, "match_id": "00" * 16}),
        ("STALE_CEREMONY", "ada", {**good, "deal_no": 2}),
        ("STALE_CEREMONY", "ada", {**good, "attempt": 1}),
        ("NOT_HOST", "bayan", {"table_id": table_id, "match_id": match_id, "deal_no": 1, "cut": 7}),
        (
            "CONTRIBUTION_NOT_AWAITED",
            "ada",
            {"table_id": table_id, "match_id": match_id, "deal_no": 1, "c_hex": "00" * 32},
        ),
        ("CONTRIBUTION_NOT_AWAITED", "ada", {"table_id": table_id, "match_id": match_id, "deal_no": 1, "cut": 7}),
    ]
    for code, account, fields in cases:
        assert await refused_contribution(server, account, fields) == code, fields
    by_bot = server.stub.Contribute(
        contributing_pb2.ContributeRequest(**good), metadata=bearer(server.token(account="ada", bot=True))
    )
    assert (await refused(by_bot)).code == "ROLE_NOT_ADMITTED"
    assert (await public_view(server, table_id)).view == before.view
    await server.stub.Contribute(contributing_pb2.ContributeRequest(**good), **server.by("ada"))
    await server.stub.Contribute(contributing_pb2.ContributeRequest(**good), **server.by("ada"))
    other = {**good, "h_hex": "11" * 64}
    assert await refused_contribution(server, "ada", other) == "DUPLICATE_COMMAND_BODY"


async def refused_contribution(server: TableServer, account: str, fields: dict[str, Any]) -> str:
    server.clock.advance(1_000 // 20)  # nobody asks faster than the service allows
    return (
        await refused(server.stub.Contribute(contributing_pb2.ContributeRequest(**fields), **server.by(account)))
    ).code


async def test_a_command_id_is_its_accounts_own(server: TableServer, table: str) -> None:
    """Nobody can use up, or learn of, another's command ids."""
    turn, other = await turn_of(server, table)
    request = act(table)
    assert (await refused(server.stub.Act(request, **server.by(turn)))).code == "ALREADY_DRAWN"
    assert (await refused(server.stub.Act(request, **server.by(other)))).code == "NOT_YOUR_TURN"


def first_seat(**fields: Any) -> list[seating_pb2.SeatAssignment]:
    """Four seats, of which the first is somebody's."""
    return [seating_pb2.SeatAssignment(**fields), *[seating_pb2.SeatAssignment()] * 3]


BOT_AMONG = [
    *[seating_pb2.SeatAssignment(account_id=name) for name in ("ada", "bayan", "cem")],
    seating_pb2.SeatAssignment(account_id="robo", bot=True),
]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("BAD_REQUEST", {"table_id": "a table"}),
        ("BAD_REQUEST", {"seats": [seating_pb2.SeatAssignment(account_id="ada")]}),
        ("BAD_REQUEST", {"seats": [seating_pb2.SeatAssignment(account_id="ada")] * 4}),
        ("BAD_REQUEST", {"seats": first_seat(account_id="a" * 65)}),
        ("BAD_REQUEST", {"seats": first_seat(account_id="house:one")}),
        ("BAD_REQUEST", {"seats": first_seat(account_id="a", display_name="n" * 25)}),
        ("BAD_REQUEST", {"seats": first_seat(account_id="a", display_name="\x1b[2J")}),
        ("BAD_REQUEST", {"host_seat": 4}),
        ("BAD_REQUEST", {"bot_level": 6}),
        ("BAD_REQUEST", {"options": write_options(make_options({"preset": "sahrat", "stake": 5}))}),
        ("BAD_REQUEST", {"options": write_options(make_options({"preset": "sahrat", "stake": 5})), "seats": BOT_AMONG}),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)  # fmt: skip
async def test_a_table_that_makes_no_sense_is_not_made(server: TableServer, code: str, change: dict[str, Any]) -> None:
    table_id = str(uuid.uuid4())
    fields: dict[str, Any] = {
        "table_id": table_id, "options": write_options(SAHRAT), "seats": [seating_pb2.SeatAssignment()] * 4, **change,
    }  # fmt: skip
    by_lobby = bearer(server.token("lobby"))
    assert (await refused(server.stub.Create(seating_pb2.CreateRequest(**fields), metadata=by_lobby))).code == code
    view = server.stub.GetView(wire.GetViewRequest(table_id=table_id), **server.by("ada"))
    assert (await refused(view)).code == "NO_SUCH_TABLE"


async def test_a_table_is_made_once_whatever_is_sent_again(server: TableServer) -> None:
    table_id = str(uuid.uuid4())
    request = seating_pb2.CreateRequest(
        table_id=table_id, options=write_options(SAHRAT), seats=first_seat(account_id="ada")
    )
    by_lobby = bearer(server.token("lobby"))
    answers = await asyncio.gather(*(server.stub.Create(request, metadata=by_lobby) for _ in range(3)))
    assert {answer.revision for answer in answers} == {1}
    request.host_seat = 1
    assert (await refused(server.stub.Create(request, metadata=by_lobby))).code == "DUPLICATE_COMMAND_BODY"


async def test_house_bots_take_vacant_seats_once_and_only_in_a_house_accounts_name(server: TableServer) -> None:
    table_id = await server.create(SAHRAT, "ada", "", "cem", "dana")

    def take(vacancy: str, account: str, name: str = "Kitt") -> Any:
        request = seating_pb2.TakeSeatRequest(table_id=table_id, vacancy_id=vacancy, display_name=name)
        return server.stub.TakeSeat(request, metadata=bearer(server.token("bots", account)))

    vacancy = vacancy_of(server, table_id, 1)
    assert (await refused(take(vacancy, ""))).code == "NOT_SEATED"
    assert (await refused(take("none", "one"))).code == "NO_SUCH_VACANCY"
    first, second = await asyncio.gather(take(vacancy, "one"), take(vacancy, "one", "Hal"))
    assert (first.seat, first.revision) == (second.seat, second.revision) == (1, 2)
    assert (await refused(take(vacancy, "two"))).code == "VACANCY_TAKEN"
    view = (await public_view(server, table_id)).view
    assert (view.seats[1].account_id, view.seats[1].display_name) == ("", "Kitt")
    assert (await refused(server.stub.Act(act(table_id), **server.by("one")))).code == "NOT_SEATED"


def vacancy_of(server: TableServer, table_id: str, seat: int) -> str:
    """The vacancy's id, as the fact tells it to the bots."""
    with sqlite3.connect(server.data / "table.db") as connection:
        query = "SELECT events FROM entries WHERE revision = 1 AND table_id = ?"
        ((events,),) = connection.execute(query, (table_id,)).fetchall()
    return str(json.loads(events)[0][3][seat][3])


async def test_hints_are_for_a_seats_own_hand_while_a_deal_is_played(
    server: TableServer, table: str, rng: random.Random
) -> None:
    async def hints(account: str, table_id: str = table) -> hints_pb2.GetHintsResponse:
        return await server.stub.GetHints(hints_pb2.GetHintsRequest(table_id=table_id), **server.by(account))

    for name in PEOPLE:
        async with server.watching(table, name) as sight:
            await sight.more()
            hand = list(sight.client.view.deal.hand)
            laid = [card for meld in (await hints(name)).hints.best.melds for card in meld.cards]
            assert not set(laid) - set(hand)
    assert (await refused(hints("eve"))).code == "NOT_SEATED"
    seating = await server.create(SAHRAT, "ada", "", "cem", "dana")
    assert (await refused(hints("ada", seating))).code == "DEAL_OVER"
    closed = await server.create(SHORT_DUEL)
    async with AsyncExitStack() as stack:
        await server.play_out(closed, await all_watch(stack, server, closed, ("ada", "bayan")), rng)
    assert (await refused(hints("ada", closed))).code == "TABLE_CLOSED"
    assert (await refused(server.stub.Act(act(closed), **server.by("ada")))).code == "TABLE_CLOSED"
    async with server.watching(closed, "ada") as sight:
        assert await sight.more()
        assert sight.client.view.stage == STAGE_CLOSED
        assert not await sight.more()


async def test_records_of_matches_are_asked_for_by_their_id(server: TableServer, table: str) -> None:
    for match_id, code in (("", "BAD_REQUEST"), ("xyz", "BAD_REQUEST"), ("00" * 16, "NO_SUCH_MATCH")):
        call = server.stub.GetRecord(records_pb2.GetRecordRequest(match_id=match_id), **server.by("ada"))
        assert (await refused(call)).code == code
    match_id = (await public_view(server, table)).view.match.match_id
    found = await server.stub.GetRecord(records_pb2.GetRecordRequest(match_id=match_id), **server.by("ada"))
    assert not found.complete
    assert json.loads(found.record_json)["deals"] == []


async def test_a_record_is_for_anybody_within_limits(server: TableServer, table: str) -> None:
    match_id = (await public_view(server, table)).view.match.match_id
    request = records_pb2.GetRecordRequest(match_id=match_id)
    answers = [server.stub.GetRecord(request, metadata=((AUTHORIZATION_KEY, ""),)) for _ in range(10 * READS_AT_ONCE)]
    found = await asyncio.gather(*answers, return_exceptions=True)
    codes = [api_error(error).code for error in found if isinstance(error, grpc.aio.AioRpcError)]
    assert set(codes) == {"RATE_LIMITED"}
    assert READS_AT_ONCE <= len(found) - len(codes) < 5 * READS_AT_ONCE


async def test_a_caller_in_a_rush_is_told_when_it_may_go_on(server: TableServer, table: str) -> None:
    errors = [await refused(server.stub.Act(act(table), **server.by("eve"))) for _ in range(61)]
    assert {error.code for error in errors[:60]} == {"NOT_SEATED"}
    assert (errors[60].code, errors[60].retry_after_ms) == ("RATE_LIMITED", 50)
    assert (await refused(server.stub.Act(act(table), **server.by("mallory")))).code == "NOT_SEATED"
    server.clock.advance(50)
    assert (await refused(server.stub.Act(act(table), **server.by("eve")))).code == "NOT_SEATED"
