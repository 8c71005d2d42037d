"""The tables' Postgres dies in the midst of play, and comes back: what was acknowledged is there once."""

import asyncio

import grpc
import pytest

from shared.rules.options import make_options
from tests.support.kit import PATIENCE_S
from tests.support.postgres import PostgresServer
from tests.support.roaming import Played, Roamer, mover, plain, seated
from tests.support.table_cluster import TableCluster

pytestmark = pytest.mark.needs_postgres
DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 60})


class Game:
    """A table whose players play plain moves, one after the other."""

    def __init__(self, players: list[Roamer]) -> None:
        self.players = players
        self.acted: list[Played] = []
        self._more = asyncio.Event()
        self._task = asyncio.create_task(self._play())

    async def goes_on(self, moves: int) -> None:
        """Returns once so many more moves were acknowledged, and seen by both."""
        until = len(self.acted) + moves
        async with asyncio.timeout(PATIENCE_S):
            while len(self.acted) < until:
                self._more.clear()
                more = asyncio.create_task(self._more.wait())
                await asyncio.wait([more, self._task], return_when=asyncio.FIRST_COMPLETED)
                if self._task.done():
                    self._task.result()

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _play(self) -> None:
        while True:
            player, state = mover(self.players)
            played = await player.act(plain(state))
            for one in self.players:
                await one.reach(played.revision)
            self.acted.append(played)
            self._more.set()


async def test_no_acknowledged_move_is_lost_with_a_postgres_that_dies(
    cluster: TableCluster, channel: grpc.aio.Channel, postgres: PostgresServer
) -> None:
    async with (
        seated(channel, cluster.issuer("lobby"), DUEL, "dies-ada", "dies-bea") as one,
        seated(channel, cluster.issuer("lobby"), DUEL, "dies-cem", "dies-dana") as other,
    ):
        games = [Game(one), Game(other)]
        try:
            await asyncio.gather(*(game.goes_on(4) for game in games))
            await asyncio.to_thread(postgres.stop, "immediate")
            await asyncio.to_thread(postgres.start)
            await asyncio.gather(*(game.goes_on(4) for game in games))
        finally:
            await asyncio.gather(*(game.end() for game in games))
        for game in games:
            rows = await cluster.rows(
                f"SELECT revision, command_id FROM entries WHERE table_id = '{game.players[0].table_id}'"
            )
            assert sorted(row["revision"] for row in rows) == list(range(1, len(rows) + 1))
            for played in game.acted:
                assert [row["revision"] for row in rows if played.command_id in row["command_id"]] == [played.revision]
