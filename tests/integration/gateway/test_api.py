"""The JSON API over real services: from a guest's first tap to a table, and back to its history."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from banakil.shuffle.v1.days_pb2 import GetProofResponse, ListKeysResponse
from banakil.shuffle.v1.shuffle_pb2 import AuditResponse
from google.protobuf.json_format import ParseDict

from shared.kit.app import App
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.support.gateway import Tab, World, open_socket, open_world
from tests.support.http import Answered, http
from tests.support.kit import PATIENCE_S

QUICK = {"target": 50, "turnSeconds": 300, "discardSeconds": 30}
DUEL = {"preset": "PRESET_SAHRAT", "mode": "MODE_DUEL", **QUICK}
FAR = {"x-forwarded-for": "203.0.113.9"}


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture(scope="module")
async def gateway(world: World) -> AsyncIterator[App]:
    async with (
        world.tables(),
        world.lobby() as lobby,
        world.gateway(lobby.address, trusted_proxies="127.0.0.1") as gateway,
    ):
        yield gateway


async def guest(world: World, name: str = "نور") -> dict[str, Any]:
    answered = await http(world.web, "POST", "/api/guest", {"displayName": name})
    assert answered.status == 200
    made: dict[str, Any] = answered.json
    return made


def jwt(made: dict[str, Any]) -> str:
    return str(made["token"]["jwt"])


async def test_a_guest_is_made_and_its_token_renewed(world: World, gateway: App) -> None:
    made = await guest(world)
    assert made["account"]["displayName"] == "نور"
    secret = {"accountId": made["account"]["accountId"], "refreshSecret": made["refreshSecret"]}
    renewed = await http(world.web, "POST", "/api/token", secret)
    assert renewed.json["account"] == made["account"]
    assert (await http(world.web, "GET", "/api/tables", token=jwt(renewed.json))).json == {}
    wrong = await http(world.web, "POST", "/api/token", {**secret, "refreshSecret": "x"})
    assert (wrong.status, wrong.error) == (401, "CREDENTIAL_INVALID")


async def test_a_guest_takes_a_name_and_signs_in_from_elsewhere(world: World, gateway: App) -> None:
    made = await guest(world)
    name = {"username": "Nour 7", "password": "a long enough one"}
    named = await http(world.web, "POST", "/api/account/name", name, token=jwt(made))
    assert named.json["account"]["username"] == "Nour 7"
    elsewhere = await http(world.web, "POST", "/api/sign-in", {**name, "username": "NOUR\uff17"})
    assert elsewhere.json["account"] == named.json["account"]
    other = {"password": name["password"], "newPassword": "another long one"}
    changed = await http(world.web, "POST", "/api/account/password", other, token=jwt(elsewhere.json))
    secret = {"accountId": made["account"]["accountId"], "refreshSecret": changed.json["refreshSecret"]}
    assert (await http(world.web, "POST", "/api/token", secret)).json["account"] == named.json["account"]
    wrong = await http(world.web, "POST", "/api/sign-in", name)
    assert (wrong.status, wrong.error) == (401, "CREDENTIAL_INVALID")


async def test_two_guests_meet_in_a_room_and_play_a_match(world: World, gateway: App) -> None:
    await meet_and_play(world)


async def test_all_services_and_the_gateway_are_one_process_too(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world, AsyncExitStack() as running:
        await running.enter_async_context(world.one_process())
        await meet_and_play(world)
        async with open_socket(world.web) as socket:
            await socket.hello(world.token("ada"))
            code, _ = await asyncio.gather(socket.bye(), running.aclose())
    assert code == "DRAINING"


async def meet_and_play(world: World) -> None:
    """From nothing to a finished match."""
    ada, bea = await guest(world, "Ada"), await guest(world, "Bea")
    wish = {"commandId": str(uuid.uuid4()), "options": DUEL}
    created = await http(world.web, "POST", "/api/rooms", wish, token=jwt(ada))
    again = await http(world.web, "POST", "/api/rooms", wish, token=jwt(ada))
    room = created.json["room"]
    assert again.json["room"]["roomId"] == room["roomId"]
    async with open_socket(world.web) as socket:
        await socket.hello(jwt(ada))
        await socket.send("watchRoom", roomId=room["roomId"])
        assert (await socket.receive())["room"]["state"] == "ROOM_STATE_WAITING"
        joined = await http(world.web, "POST", "/api/rooms/join", {"code": room["code"]}, token=jwt(bea))
        assert joined.status == 200
        while (frame := await socket.receive())["room"]["state"] != "ROOM_STATE_STARTED":
            assert frame["t"] == "room"
        assert await socket.receive() == {"t": "ended", "roomId": room["roomId"], "code": "ROOM_STARTED"}
    table_id = frame["room"]["tableId"]
    tables = await http(world.web, "GET", "/api/tables", token=jwt(ada))
    assert [found["tableId"] for found in tables.json["tables"]] == [table_id]
    tabs = [Tab(world.web, table_id, jwt(made)) for made in (ada, bea)]
    async with asyncio.TaskGroup() as group:
        for tab in tabs:
            group.create_task(tab.play(until=lambda sight: sight.closed))
    await check_aftermath(world, jwt(ada))
    await meet_again(world, table_id, jwt(ada), jwt(bea))


async def meet_again(world: World, table_id: str, *tokens: str) -> None:
    """Another game of the same two is one table."""
    answers = [await http(world.web, "POST", f"/api/tables/{table_id}/again", {}, token=token) for token in tokens]
    rooms = [answer.json["room"] for answer in answers]
    assert [room["againOfTableId"] for room in rooms] == [table_id] * 2
    assert ["tableId" in room for room in rooms] == [False, True]
    unknown = await http(world.web, "POST", f"/api/tables/{uuid.uuid4()}/again", {}, token=tokens[0])
    assert (unknown.status, unknown.error) == (404, "NO_SUCH_TABLE")


async def check_aftermath(world: World, token: str) -> None:
    """The match is in the history, and its record replays."""
    async with asyncio.timeout(PATIENCE_S):
        while not (matches := (await http(world.web, "GET", "/api/history?pageSize=5", token=token)).json):
            pass
    [match] = matches["matches"]
    assert [seat["displayName"] for seat in match["seats"]] == ["Ada", "Bea"]
    async with asyncio.timeout(PATIENCE_S):
        # Without a token: whoever wants to check a match needs no account.
        while (record := await http(world.web, "GET", f"/api/records/{match['matchId']}")).headers[
            "banakil-complete"
        ] == "false":
            pass
    assert record.headers["content-type"] == "application/json"
    played = replay(read_record(record.content)).match
    assert played is not None
    assert played.winner == match.get("winnerTeam", 0)
    await check_audit(world, match["matchId"], json.loads(record.content))


async def check_audit(world: World, match_id: str, record: dict[str, Any]) -> None:
    """What is public of the match's shuffles is told to anybody, and is what the record has."""
    audit = await http(world.web, "GET", f"/api/audit/{match_id}")
    assert audit.status == 200
    deals = ParseDict(audit.json, AuditResponse()).deals
    assert [deal.secret.hex() for deal in deals] == [deal["fair"]["secret"] for deal in record["deals"]]
    assert {deal.context.match_id.hex() for deal in deals} == {match_id}
    # The day is not over: its deals are in no root yet.
    proof = ParseDict((await http(world.web, "GET", f"/api/proofs/{match_id}")).json, GetProofResponse())
    assert (len(proof.proofs), proof.pending_count) == (0, len(deals))
    keys = ParseDict((await http(world.web, "GET", "/api/keys")).json, ListKeysResponse()).keys
    assert {deal.signatures.key_id for deal in deals} <= {period.key.key_id for period in keys}
    assert (await http(world.web, "GET", "/api/days?limit=5")).json == {}


async def test_a_room_is_started_and_left(world: World, gateway: App) -> None:
    ada = jwt(await guest(world))
    wish = {"commandId": str(uuid.uuid4()), "options": {"preset": "PRESET_BANAKIL202"}}
    room = (await http(world.web, "POST", "/api/rooms", wish, token=ada)).json["room"]
    path = f"/api/rooms/{room['roomId']}"
    stranger = await http(world.web, "POST", f"{path}/start", {}, token=jwt(await guest(world)))
    assert (stranger.status, stranger.error) == (403, "NOT_HOST")
    assert (await http(world.web, "POST", f"{path}/leave", {}, token=ada)).json == {}
    quick = {"commandId": str(uuid.uuid4()), "preset": "PRESET_SAHRAT", "mode": "MODE_DUEL", "withHouseBots": True}
    assert (await http(world.web, "POST", "/api/quick-play", quick, token=ada)).json["room"]["roomId"]


@pytest.mark.parametrize(("room_id", "code"), [("x", "BAD_REQUEST"), (str(uuid.uuid4()), "NO_SUCH_ROOM")])
async def test_a_room_that_is_none_is_not_watched(world: World, gateway: App, room_id: str, code: str) -> None:
    async with open_socket(world.web) as socket:
        await socket.hello(jwt(await guest(world)))
        await socket.send("watchRoom", roomId=room_id)
        assert await socket.receive() == {"t": "ended", "roomId": room_id, "code": code}


REFUSED: dict[str, tuple[str, str, Any, dict[str, str], int, str]] = {
    "no token": ("GET", "/api/tables", None, {}, 401, "NO_TOKEN"),
    "no bearer": ("GET", "/api/tables", None, {"authorization": "Basic eDp5"}, 401, "BAD_TOKEN"),
    "no good token": ("GET", "/api/tables", None, {"authorization": "Bearer a.b.c"}, 401, "BAD_TOKEN"),
    "a form": ("POST", "/api/guest", b"displayName=x", {"content-type": "text/plain"}, 400, "BAD_REQUEST"),
    "no JSON": ("POST", "/api/guest", b"{", {"content-type": "application/json"}, 400, "BAD_REQUEST"),
    "no object": ("POST", "/api/guest", [], {}, 400, "BAD_REQUEST"),
    "an unknown field": ("POST", "/api/guest", {"displayName": "x", "rich": True}, {}, 400, "BAD_REQUEST"),
    "another type": ("POST", "/api/guest", {"displayName": 7}, {}, 400, "BAD_REQUEST"),
    "half a character": ("POST", "/api/guest", {"displayName": "\ud83d"}, {}, 400, "BAD_REQUEST"),
    "no name": ("POST", "/api/guest", {}, {}, 400, "BAD_REQUEST"),
    "too much": ("POST", "/api/guest", {"displayName": "x" * 20_000}, {}, 413, "MESSAGE_TOO_LARGE"),
    "a path that is none": ("GET", "/api/money", None, {}, 404, "NOT_FOUND"),
    "a deeper path": ("POST", "/api/rooms/x/y/z", {}, {}, 404, "NOT_FOUND"),
    "a match that is none": ("GET", f"/api/audit/{'0' * 32}", None, {}, 404, "NO_SUCH_MATCH"),
    "a day that is none": ("GET", "/api/days/20010101", None, {}, 404, "NO_SUCH_DAY"),
    "no date": ("GET", "/api/days/today", None, {}, 400, "BAD_REQUEST"),
    "no proof": ("GET", f"/api/proofs/{'0' * 32}", None, {}, 404, "NO_SUCH_MATCH"),
    "no number": ("GET", f"/api/proofs/{'0' * 32}?dealCount=x", None, {}, 400, "BAD_REQUEST"),
    "no hex": ("GET", "/api/audit/0g", None, {}, 400, "BAD_REQUEST"),
    "capital hex": ("GET", f"/api/audit/{'AB' * 16}", None, {}, 400, "BAD_REQUEST"),
    "half an id": ("GET", "/api/audit/abcd", None, {}, 400, "BAD_REQUEST"),
    "another verb": ("GET", "/api/guest", None, {}, 404, "NOT_FOUND"),
    "a verb that nothing has": ("PUT", "/api/guest", {}, {}, 405, "BAD_REQUEST"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_wrong_is_refused_with_its_code(world: World, gateway: App, case: str) -> None:
    verb, path, body, headers, status, code = REFUSED[case]
    answered = await http(world.web, verb, path, body, headers=headers)
    assert (answered.status, answered.error) == (status, code)
    assert answered.headers["cache-control"] == "no-store"


async def test_a_services_token_is_no_players(world: World, gateway: App) -> None:
    bots = world.service_token("bots", "lobby")
    answered = await http(world.web, "GET", "/api/tables", token=bots)
    assert (answered.status, answered.error) == (401, "BAD_TOKEN")


@pytest.mark.parametrize("query", ["pageSize=101", "pageSize=x", "pageToken=%FF", "page=2"])
async def test_history_is_asked_for_in_its_own_words(world: World, gateway: App, query: str) -> None:
    answered = await http(world.web, "GET", f"/api/history?{query}", token=jwt(await guest(world)))
    assert (answered.status, answered.error) == (400, "BAD_REQUEST")


async def test_one_address_makes_so_many_guests_and_another_is_not_held_up(world: World, gateway: App) -> None:
    async def ask(headers: dict[str, str]) -> Answered:
        return await http(world.web, "POST", "/api/guest", {"displayName": "x"}, headers=headers)

    answers = [await ask(FAR) for _ in range(21)]
    assert [answered.status for answered in answers[:20]] == [200] * 20
    assert (answers[20].status, answers[20].error) == (429, "RATE_LIMITED")
    assert int(answers[20].headers["retry-after"]) * 1000 >= answers[20].json["error"]["retryAfterMs"] > 0
    assert (await ask({"x-forwarded-for": "203.0.113.10"})).status == 200
    assert (await ask({})).status == 200


async def test_one_address_tries_so_many_passwords(world: World, gateway: App) -> None:
    async def ask(name: int, address: str = "203.0.113.44") -> Answered:
        wish = {"username": f"nobody {name}", "password": "not the password"}
        return await http(world.web, "POST", "/api/sign-in", wish, headers={"x-forwarded-for": address})

    answers = [await ask(name) for name in range(21)]
    assert {(answered.status, answered.error) for answered in answers[:20]} == {(401, "CREDENTIAL_INVALID")}
    assert (answers[20].status, answers[20].error) == (429, "RATE_LIMITED")
    assert (await ask(0, "203.0.113.45")).error == "CREDENTIAL_INVALID"


async def test_one_address_fetches_so_many_records(world: World, gateway: App) -> None:
    path = f"/api/records/{'0' * 32}"
    answers = [await http(world.web, "GET", path, headers={"x-forwarded-for": "203.0.113.77"}) for _ in range(31)]
    assert {(answered.status, answered.error) for answered in answers[:30]} == {(404, "NO_SUCH_MATCH")}
    assert (answers[30].status, answers[30].error) == (429, "RATE_LIMITED")
    # Many addresses come by the gateway: the table leaves counting them to it.
    others = [await http(world.web, "GET", path, headers={"x-forwarded-for": f"203.0.113.{n}"}) for n in range(60)]
    assert {answered.status for answered in others} == {404}


async def test_the_lobby_leaves_counting_to_the_gateway(tmp_path: Path) -> None:
    strict = {"guests_burst": 1, "refreshes_burst": 1, "limit_loopback": True}
    async with open_world(tmp_path) as world, world.lobby(**strict) as lobby, world.gateway(lobby.address):
        made = [await guest(world) for _ in range(3)]
        secret = {"accountId": made[0]["account"]["accountId"], "refreshSecret": made[0]["refreshSecret"]}
        assert {(await http(world.web, "POST", "/api/token", secret)).status for _ in range(3)} == {200}


async def test_a_lobby_that_is_away_is_said_without_its_address(world: World) -> None:
    async with world.gateway("127.0.0.1:1"):
        answered = await http(world.web, "POST", "/api/guest", {"displayName": "x"})
    assert (answered.status, answered.error) == (503, "DEPENDENCY_AWAY")
    assert "127.0.0.1" not in json.dumps(answered.json)
