"""Guests over gRPC: made, renewed, believed, and limited by where they come from."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from banakil.lobby.v1.accounts_pb2 import (
    ChangePasswordRequest,
    CreateGuestRequest,
    GetKeysRequest,
    NameAccountRequest,
    RefreshTokenRequest,
    SignInRequest,
)
from joserfc import jwt
from joserfc.jwk import KeySet

from shared.kit.clients import answer, bearer
from shared.kit.identity import PLAYER_TOKEN_MS, Role
from shared.kit.status import ApiError
from tests.support.lobby import LobbyWorld, RunningLobby, refusal, verifier


async def test_a_guest_gets_an_account_and_a_token_that_names_it(lobby: RunningLobby, world: LobbyWorld) -> None:
    made = await answer(lobby.accounts.CreateGuest(CreateGuestRequest(display_name="  أم  علي ")))
    assert (made.account.display_name, made.account.bot) == ("أم علي", False)
    assert made.token.expires_at_ms - world.clock.now_ms() == pytest.approx(PLAYER_TOKEN_MS, abs=1_000)
    who = verifier(world.folder, world.clock, "table").verify(made.token.jwt)
    assert (who.role, who.account) == (Role.PLAYER, made.account.account_id)


async def test_a_bot_is_flagged_for_good(lobby: RunningLobby, world: LobbyWorld) -> None:
    bot = await lobby.guest("robot", bot=True)
    fresh = await lobby.refreshed(bot)
    assert verifier(world.folder, world.clock, "table").verify(fresh.jwt).role is Role.BOT
    room = await fresh.quick(bots=True)
    assert [(seat.account_id, seat.bot) for seat in room.seats] == [(bot.account_id, True)]
    assert world.peer.made[room.table_id].seats[0].bot


@pytest.mark.parametrize("name", ["", " ", "x" * 25, "a\u202eb", "a\nb"])
async def test_a_name_that_cannot_be_shown_is_refused(lobby: RunningLobby, name: str) -> None:
    assert await refusal(answer(lobby.accounts.CreateGuest(CreateGuestRequest(display_name=name)))) == "BAD_REQUEST"


async def test_the_secret_renews_the_token_and_nothing_else_does(lobby: RunningLobby, world: LobbyWorld) -> None:
    guest, other = await lobby.guests(2)
    world.clock.advance(PLAYER_TOKEN_MS + 1_000)
    assert await refusal(guest.tables()) == "TOKEN_EXPIRED"
    assert not (await (await lobby.refreshed(guest)).tables()).tables

    def renew(account_id: str, secret: str) -> Awaitable[Any]:
        return answer(lobby.accounts.RefreshToken(RefreshTokenRequest(account_id=account_id, refresh_secret=secret)))

    assert await refusal(renew(guest.account_id, other.secret)) == "CREDENTIAL_INVALID"
    assert await refusal(renew(guest.account_id, "")) == "CREDENTIAL_INVALID"
    assert await refusal(renew("nobody", guest.secret)) == "CREDENTIAL_INVALID"
    assert await refusal(renew(guest.account_id, "x" * 65)) == "BAD_REQUEST"
    assert await refusal(renew("x" * 65, guest.secret)) == "BAD_REQUEST"


async def test_the_keys_are_those_that_tokens_are_checked_with(lobby: RunningLobby) -> None:
    guest = await lobby.guest()
    keys = json.loads((await answer(lobby.accounts.GetKeys(GetKeysRequest()))).jwks_json)
    assert all("d" not in key for key in keys["keys"])
    claims = jwt.decode(guest.jwt, KeySet.import_key_set(keys), algorithms=["Ed25519"]).claims
    assert (claims["sub"], claims["aud"], claims["role"]) == (guest.account_id, "banakil", "player")


async def test_no_secret_and_no_token_is_kept_or_logged(world: LobbyWorld, capsys: pytest.CaptureFixture[str]) -> None:
    password, new = "s3cret-of-mine", "s3cret-of-yours"
    async with world.lobby() as lobby:
        guest = await lobby.guest()
        name = NameAccountRequest(username="Nour", password=password)
        await answer(lobby.accounts.NameAccount(name, metadata=bearer(guest.jwt)))
        device = await answer(lobby.accounts.SignIn(SignInRequest(username="nour", password=password)))
        assert await refusal(answer(lobby.accounts.SignIn(SignInRequest(username="nour", password=new))))
        fresh = await lobby.refreshed(guest)
        await fresh.quick(bots=True)
        change = ChangePasswordRequest(password=password, new_password=new)
        changed = await answer(lobby.accounts.ChangePassword(change, metadata=bearer(guest.jwt)))
    kept = b"".join(path.read_bytes() for path in world.folder.glob("lobby.db*"))
    assert guest.account_id.encode() in kept
    written = capsys.readouterr()
    secrets = (guest.secret, device.refresh_secret, changed.refresh_secret, password, new)
    for secret in (*secrets, guest.jwt, fresh.jwt, device.token.jwt, changed.token.jwt):
        assert secret.encode() not in kept
        assert secret not in written.out + written.err


Call = Callable[[RunningLobby], Awaitable[Any]]
CALLS: dict[str, Call] = {
    "CreateGuest": lambda lobby: answer(lobby.accounts.CreateGuest(CreateGuestRequest(display_name="x"))),
    "RefreshToken": lambda lobby: answer(lobby.accounts.RefreshToken(RefreshTokenRequest(account_id="x"))),
    "GetKeys": lambda lobby: answer(lobby.accounts.GetKeys(GetKeysRequest())),
}


async def outcome(call: Awaitable[Any]) -> ApiError | None:
    try:
        await call
    except ApiError as refused:
        return refused
    return None


@pytest.mark.parametrize("method", CALLS)
async def test_who_asks_too_much_is_told_when_to_come_back(world: LobbyWorld, method: str) -> None:
    slow: dict[str, Any] = {
        "limit_loopback": True,
        "guests_burst": 2,
        "guests_per_minute": 1,
        "refreshes_burst": 2,
        "refreshes_per_minute": 1,
    }
    async with world.lobby(**slow) as lobby:
        outcomes = [await outcome(CALLS[method](lobby)) for _ in range(3)]
        limited = [refused for refused in outcomes if refused is not None and refused.code == "RATE_LIMITED"]
        assert limited == outcomes[2:]
        assert limited[0].retry_after_ms == 60_000
        world.clock.advance(60_000)
        again = await outcome(CALLS[method](lobby))
        assert again is None or again.code == "CREDENTIAL_INVALID"


async def test_callers_on_this_machine_are_not_limited_by_address_unless_that_is_set(world: LobbyWorld) -> None:
    async with world.lobby(guests_burst=1, guests_per_minute=1) as lobby:
        assert len(await lobby.guests(5)) == 5


async def test_an_account_that_asks_too_much_is_limited_and_others_are_not(world: LobbyWorld) -> None:
    async with world.lobby(calls_burst=2, calls_per_second=1) as lobby:
        first, second = await lobby.guests(2)
        for _ in range(2):
            await first.tables()
        with pytest.raises(ApiError) as refused:
            await first.quick()
        assert (refused.value.code, refused.value.retry_after_ms) == ("RATE_LIMITED", 1_000)
        await second.tables()
        world.clock.advance(1_000)
        assert not (await first.tables()).HasField("room")
