"""Named accounts, on every database: a name is one account's, a password opens it from elsewhere, guessing does not."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from banakil.lobby.v1 import accounts_pb2 as wire

from services.lobby.accounts import MOST_DEVICES
from shared.kit.clients import answer, bearer
from shared.kit.status import ApiError
from tests.support.lobby import Guest, LobbyWorld, RunningLobby, refusal, verifier

PASSWORD = "a long enough one"
NUMBERS = itertools.count(100)


@pytest.fixture(scope="module")
async def lobby(shared_world: LobbyWorld) -> AsyncIterator[RunningLobby]:
    async with shared_world.lobby() as running:
        yield running


@pytest.fixture
def nour() -> str:
    """A user name that nobody has."""
    return f"Nour {next(NUMBERS)}"


async def name(lobby: RunningLobby, guest: Guest, username: str, password: str = PASSWORD) -> Any:
    request = wire.NameAccountRequest(username=username, password=password)
    return await answer(lobby.accounts.NameAccount(request, metadata=bearer(guest.jwt)))


async def sign_in(lobby: RunningLobby, username: str, password: str = PASSWORD) -> Any:
    return await answer(lobby.accounts.SignIn(wire.SignInRequest(username=username, password=password)))


async def renew(lobby: RunningLobby, account_id: str, secret: str) -> Any:
    request = wire.RefreshTokenRequest(account_id=account_id, refresh_secret=secret)
    return await answer(lobby.accounts.RefreshToken(request))


async def change(lobby: RunningLobby, guest: Guest, password: str, new: str) -> Any:
    request = wire.ChangePasswordRequest(password=password, new_password=new)
    return await answer(lobby.accounts.ChangePassword(request, metadata=bearer(guest.jwt)))


async def test_a_guest_that_is_named_keeps_its_account_and_its_tokens_say_so(
    lobby: RunningLobby, shared_world: LobbyWorld
) -> None:
    guest = await lobby.guest("someone")
    believes = verifier(shared_world.folder, shared_world.clock, "table")
    assert not believes.verify(guest.jwt).named
    named = await name(lobby, guest, "  أم   علي ")
    assert (named.account.account_id, named.account.bot) == (guest.account_id, False)
    assert named.account.username == named.account.display_name == "أم علي"
    fresh = await renew(lobby, guest.account_id, guest.secret)
    assert fresh.account == named.account
    for token in (named.token, fresh.token):
        assert (who := believes.verify(token.jwt)).named
        assert who.account == guest.account_id


async def test_a_name_is_one_accounts_however_it_is_written(lobby: RunningLobby, nour: str) -> None:
    first, second = await lobby.guests(2)
    await name(lobby, first, f"{nour} x5")
    for alike in (f"{nour.lower()} x5", f"N0ur{nour[4:]}_x5", f"NOÜR.{nour[5:]}.X5"):
        assert await refusal(name(lobby, second, alike)) == "USERNAME_TAKEN"
    assert (await renew(lobby, second.account_id, second.secret)).account.username == ""
    await name(lobby, second, f"{nour} y")


async def test_of_many_who_want_a_name_at_once_one_has_it(lobby: RunningLobby, nour: str) -> None:
    guests = await lobby.guests(6)
    outcomes = await asyncio.gather(*(name(lobby, guest, nour) for guest in guests), return_exceptions=True)
    refused = [outcome.code for outcome in outcomes if isinstance(outcome, ApiError)]
    assert refused == ["USERNAME_TAKEN"] * 5
    accounts = [await renew(lobby, guest.account_id, guest.secret) for guest in guests]
    assert sorted(renewed.account.username for renewed in accounts) == ["", "", "", "", "", nour]


async def test_naming_may_be_repeated_and_a_name_stays(lobby: RunningLobby, nour: str) -> None:
    guest = await lobby.guest()
    first = await name(lobby, guest, nour)
    assert (await name(lobby, guest, nour)).account == first.account
    assert await refusal(name(lobby, guest, f"{nour} other")) == "ACCOUNT_NAMED"
    assert await refusal(name(lobby, guest, nour, password="another long one")) == "ACCOUNT_NAMED"


async def test_a_bot_and_nobody_have_no_name(lobby: RunningLobby) -> None:
    bot = await lobby.guest("robot", bot=True)
    assert await refusal(name(lobby, bot, "Nour")) == "ROLE_NOT_ADMITTED"
    request = wire.NameAccountRequest(username="Nour", password=PASSWORD)
    assert await refusal(answer(lobby.accounts.NameAccount(request))) == "NO_TOKEN"


@pytest.mark.parametrize(("username", "password"), [("no", PASSWORD), ("nour\u202e", PASSWORD), ("Nour", "short")])
async def test_what_cannot_be_a_name_or_password_is_refused(lobby: RunningLobby, username: str, password: str) -> None:
    guest = await lobby.guest()
    assert await refusal(name(lobby, guest, username, password)) == "BAD_REQUEST"
    assert await refusal(sign_in(lobby, username, password)) == "BAD_REQUEST"


async def test_each_device_that_signs_in_has_a_secret_of_its_own(
    lobby: RunningLobby, shared_world: LobbyWorld, nour: str
) -> None:
    guest = await lobby.guest()
    await name(lobby, guest, nour)
    devices = [await sign_in(lobby, written) for written in (nour, nour.upper(), nour.replace(" ", "."))]
    secrets = {guest.secret, *(device.refresh_secret for device in devices)}
    assert len(secrets) == 4
    for secret in secrets:
        assert (await renew(lobby, guest.account_id, secret)).account.username == nour
    other = await lobby.guest()
    assert await refusal(renew(lobby, other.account_id, devices[0].refresh_secret)) == "CREDENTIAL_INVALID"
    assert verifier(shared_world.folder, shared_world.clock, "table").verify(devices[0].token.jwt).named


async def test_so_many_devices_and_no_more_are_signed_in(world: LobbyWorld, nour: str) -> None:
    async with world.lobby(passwords_burst=100) as lobby:
        guest = await lobby.guest()
        await name(lobby, guest, nour)
        secrets = []
        for _ in range(MOST_DEVICES + 2):
            secrets.append((await sign_in(lobby, nour)).refresh_secret)
            world.clock.advance(1)
        for secret in secrets[:2]:
            assert await refusal(renew(lobby, guest.account_id, secret)) == "CREDENTIAL_INVALID"
        for secret in (guest.secret, *secrets[2:]):
            await renew(lobby, guest.account_id, secret)


async def test_a_wrong_password_and_a_wrong_name_are_answered_alike(lobby: RunningLobby, nour: str) -> None:
    await name(lobby, await lobby.guest(), nour)
    told = []
    for username, password in ((nour, "not the password"), ("nobody", PASSWORD)):
        with pytest.raises(ApiError) as refused:
            await sign_in(lobby, username, password)
        told.append((refused.value.code, refused.value.message, refused.value.status))
    assert told[0] == told[1]
    assert told[0][0] == "CREDENTIAL_INVALID"
    assert told[0][2] is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("is_there", [True, False])
async def test_guessing_at_a_name_is_limited_whether_there_is_such_a_name_or_not(
    world: LobbyWorld, nour: str, is_there: bool
) -> None:
    async with world.lobby(passwords_burst=3, passwords_per_hour=60) as lobby:
        if is_there:
            await name(lobby, await lobby.guest(), nour)
        codes = [await refusal(sign_in(lobby, nour, "not the password")) for _ in range(3)]
        assert codes == ["CREDENTIAL_INVALID"] * 3
        # Also with the right one, and however it is written.
        with pytest.raises(ApiError) as refused:
            await sign_in(lobby, nour.upper(), PASSWORD)
        assert (refused.value.code, refused.value.retry_after_ms) == ("RATE_LIMITED", 60_000)
        assert await refusal(sign_in(lobby, "another", PASSWORD)) == "CREDENTIAL_INVALID"


async def test_a_new_password_shuts_out_every_device_but_the_one_that_asks(lobby: RunningLobby, nour: str) -> None:
    guest = await lobby.guest()
    await name(lobby, guest, nour)
    device = await sign_in(lobby, nour)
    assert await refusal(change(lobby, guest, "not the password", "another long one")) == "CREDENTIAL_INVALID"
    changed = await change(lobby, guest, PASSWORD, "another long one")
    for secret in (guest.secret, device.refresh_secret):
        assert await refusal(renew(lobby, guest.account_id, secret)) == "CREDENTIAL_INVALID"
    await renew(lobby, guest.account_id, changed.refresh_secret)
    assert await refusal(sign_in(lobby, nour)) == "CREDENTIAL_INVALID"
    await sign_in(lobby, nour, password="another long one")


async def test_a_guest_has_no_password_to_change(lobby: RunningLobby) -> None:
    assert await refusal(change(lobby, await lobby.guest(), PASSWORD, "another long one")) == "CREDENTIAL_INVALID"


async def test_of_two_new_passwords_at_once_one_holds(lobby: RunningLobby, nour: str) -> None:
    guest = await lobby.guest()
    await name(lobby, guest, nour)
    wanted = ("another long one", "a third long one")
    outcomes = await asyncio.gather(*(change(lobby, guest, PASSWORD, new) for new in wanted), return_exceptions=True)
    done = [new for new, outcome in zip(wanted, outcomes, strict=True) if not isinstance(outcome, ApiError)]
    assert len(done) == 1
    await sign_in(lobby, nour, password=done[0])


async def test_a_name_outlives_the_process(world: LobbyWorld, nour: str) -> None:
    async with world.lobby() as lobby:
        guest = await lobby.guest()
        await name(lobby, guest, nour)
    async with world.lobby() as lobby:
        assert (await sign_in(lobby, nour)).account.account_id == guest.account_id
