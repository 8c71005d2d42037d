"""Nothing of the lobby's stays for ever: quiet tables are asked, and what is long over is forgotten."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from banakil.lobby.v1.lobby_pb2 import ROOM_STATE_STARTED

from services.lobby.housekeeping import QUIET_MS, Housekeeping, Keep
from services.lobby.tables import Tables
from shared.kit.clients import Channels
from shared.kit.database import open_database
from shared.kit.identity import ServiceCredentials, TokenIssuer
from shared.kit.keys import SigningKey
from tests.support.lobby import LobbyWorld, refusal
from tests.support.lobby_facts import ended, knows

DAY_MS = 86_400_000


@asynccontextmanager
async def housekeeping(world: LobbyWorld) -> AsyncIterator[Housekeeping]:
    """A lobby's housekeeping while nobody serves."""
    issuer = TokenIssuer("lobby", SigningKey.load(world.folder / "keys" / "private" / "lobby.jwk"), world.clock)
    async with (
        open_database(world.database_url) as database,
        Channels(ServiceCredentials(issuer, world.clock)) as channels,
    ):
        yield Housekeeping(database, world.clock, Tables(channels, world.table_address), Keep(DAY_MS, 9 * DAY_MS))


async def test_a_table_that_nothing_is_heard_of_is_asked_whether_it_is_over(world: LobbyWorld) -> None:
    async with world.lobby() as lobby:
        first, second = await lobby.guests(2)
        over, lives = await first.quick(bots=True), await second.quick(bots=True)
    world.peer.close(over.table_id)
    world.clock.advance(QUIET_MS + 1)
    async with housekeeping(world) as keeper:
        await keeper.ask_quiet_tables()
    async with world.lobby() as lobby:
        first, second = await lobby.refreshed(first), await lobby.refreshed(second)
        assert not (await first.tables()).tables
        assert [table.table_id for table in (await second.tables()).tables] == [lives.table_id]


async def test_what_has_been_over_for_long_is_forgotten_and_nothing_else(world: LobbyWorld) -> None:
    async with world.lobby() as lobby, world.facts() as publish:
        guest, host = await lobby.guests(2)
        lives, given_up = await guest.quick(bots=True), await host.create()
        await host.leave(given_up.room_id)
        for days_ago in (1, 8):
            await publish(ended(lives, at_ms=world.clock.now_ms() - days_ago * DAY_MS))
        await knows(guest, 2)
    world.clock.advance(DAY_MS + 1)
    async with housekeeping(world) as keeper:
        await keeper.forget()
    async with world.lobby() as lobby:
        guest, host = await lobby.refreshed(guest), await lobby.refreshed(host)
        assert await refusal(host.leave(given_up.room_id)) == "NO_SUCH_ROOM"
        assert len((await guest.tables()).tables) == 1
        assert len((await guest.history()).matches) == 1
        assert (await host.quick(bots=True)).state == ROOM_STATE_STARTED
