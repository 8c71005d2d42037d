"""A run: tables with their players, faults until so many processes were killed, and then all is played to its end."""

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

import grpc
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.gateway.relay import Relay
from services.table.state import Stage
from shared.kit.clients import Channels
from shared.kit.clock import RealClock
from shared.kit.identity import ServiceCredentials, TokenIssuer
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait
from shared.rules.options import Options, make_options
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.chaos import plan
from tests.chaos.alone import alone
from tests.chaos.checks import Checks, fail
from tests.chaos.cluster import cluster
from tests.chaos.journals import AWAY, PostgresJournal, SqliteJournal
from tests.chaos.player import Player
from tests.chaos.relayed import RelayedPlayer
from tests.support import roaming
from tests.support.books import Books
from tests.support.results import whole_record

PACE: Final = 8.0
"""A turn of 30 s then lasts 3.75 s."""
TABLES: Final = 3
SHORT: Final = {"target": 50, "turn_seconds": 30}
GAP_MS: Final = 1_500
"""The longest between two faults."""
READ_MS: Final = 150
END_S: Final = 300.0
"""A match that is played without a pause is over within it, however busy the machine."""
CLOCK: Final = RealClock()


class System(Protocol):
    """What is played on."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What can go wrong with it."""

    @property
    def at_once(self) -> int:
        """The most faults from which something has not recovered yet."""

    @property
    def journal(self) -> SqliteJournal | PostgresJournal:
        """Its tables' journal."""

    @property
    def checks(self) -> Checks:
        """Of its tables."""

    @property
    def address(self) -> str:
        """Of whoever answers."""

    def channel(self) -> grpc.aio.Channel:
        """To it."""

    def issuer(self, name: str) -> TokenIssuer:
        """Signs tokens as this service does."""

    async def strike(self, kind: str, rng: random.Random) -> None:
        """Have something go wrong; returns once what was struck is at work again."""


class Game:
    """A table from its first match to its end."""

    def __init__(self, table_id: str, players: list[Player]) -> None:
        self.table_id = table_id
        self.players = players
        self._tasks = [asyncio.ensure_future(player.play()) for player in players]

    @property
    def is_over(self) -> bool:
        """Whether all its players have seen it close. Raises what one of them came to grief with."""
        for task in self._tasks:
            if task.done():
                task.result()
        return all(task.done() for task in self._tasks)

    async def leave(self) -> None:
        """Nobody plays or watches any more."""
        for task in self._tasks:
            await cancel_and_wait(task)
        for player in self.players:
            await player.leave()


class Run:
    """Raises ``ChaosError``, or what a player could not make out."""

    def __init__(self, system: System, channel: grpc.aio.Channel, relay: Relay, seed: str, log: TextIO) -> None:
        """``log``: is told when what happened."""
        self.counts: Counter[str] = Counter()
        self._log = log
        self._system = system
        self._channel = channel
        self._relay = relay
        self._seed = seed
        self._games: list[Game] = []
        self._made = 0
        self._is_ending = False

    async def go(self, kills: int) -> None:
        """All of it."""
        try:
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(self._keep_reading())
                playing = group.create_task(self._keep_playing())
                await self._strike(kills)
                self._is_ending = True
                self._note("no more faults")
                async with asyncio.timeout(END_S):
                    await playing
                    await self._told_others()
                reading.cancel()
        finally:
            for game in self._games:
                await game.leave()
        checks = self._system.checks
        self.counts += Counter({"clocks that ran out": checks.rung, "outages given back": checks.credited})

    async def _strike(self, kills: int) -> None:
        rng, at_once = random.Random(f"{self._seed}/faults"), asyncio.Semaphore(self._system.at_once)

        async def strike(kind: str, number: int) -> None:
            self._note(f"fault {number}, {kind}, begins")
            await self._system.strike(kind, random.Random(f"{self._seed}/fault {number}"))
            at_once.release()
            self._note(f"fault {number}, {kind}, is over")
            await self._check()

        async with asyncio.TaskGroup() as group:
            for number, kind in enumerate(plan.faults(rng, self._system.kinds, kills)):
                await at_once.acquire()
                await CLOCK.sleep_ms(rng.randrange(GAP_MS))
                self.counts[kind] += 1
                group.create_task(strike(kind, number))

    async def _keep_playing(self) -> None:
        """So many tables, a new one in the place of each that is over."""
        while self._games or not self._is_ending:
            while len(self._games) < TABLES and not self._is_ending:
                self._games.append(await self._new_game())
            for game in self._games:
                for player in game.players:
                    player.hurries = self._is_ending
                if game.is_over:
                    await self._end(game)
            self._games = [game for game in self._games if not game.is_over]
            await CLOCK.sleep_ms(100)

    async def _new_game(self) -> Game:
        number, self._made = self._made, self._made + 1
        options = make_options({"preset": ("sahrat", "banakil202")[number % 2], **SHORT})
        lobby, names = self._system.issuer("lobby"), [f"{self._seed}-{number}-{seat}" for seat in range(4)]
        rng = random.Random(f"{self._seed}/table {number}")
        table_id = await self._make(lobby, options, names, rng)
        self._note(f"table {table_id} is made")
        players = [
            self._player(number, table_id, name, lobby.for_account(name).text, random.Random(f"{rng.random()}"))
            for number, name in enumerate(names)
        ]
        return Game(table_id, players)

    def _player(self, number: int, table_id: str, name: str, token: str, rng: random.Random) -> Player:
        """Every second one comes through a gateway."""
        if number % 2:
            return RelayedPlayer(self._relay, self._channel, table_id, name, token, rng)
        return Player(self._channel, table_id, name, token, rng)

    async def _make(self, lobby: TokenIssuer, options: Options, names: list[str], rng: random.Random) -> str:
        table_id = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        while True:
            try:
                return await roaming.make_table(self._channel, lobby, options, *names, table_id=table_id)
            except ApiError as fault:
                if fault.status not in roaming.AWAY:
                    raise
                await CLOCK.sleep_ms(100)

    async def _keep_reading(self) -> None:
        while True:
            for game in self._games:
                await self._read(game)
            await CLOCK.sleep_ms(READ_MS)

    async def _read(self, game: Game) -> bool:
        """Take in what is new in its journal; whether it could be asked."""
        try:
            await self._system.journal.read(self._system.checks.books, game.table_id)
        except AWAY:
            return False
        return True

    async def _check(self) -> None:
        """What all players were told until now."""
        for game in list(self._games):
            notes = [(player, player.take_notes()) for player in game.players]
            while not await self._read(game):
                await CLOCK.sleep_ms(READ_MS)
            for player, told in notes:
                self._system.checks.told(player, told)

    async def _end(self, game: Game) -> None:
        """A table that is closed: all of it is still in the journal, and nothing else."""
        await self._check()
        checks, again = self._system.checks, Books(self._system.checks.seal, fail)
        book = checks.books.books[game.table_id]
        async with asyncio.timeout(END_S):
            while not await self._read(game) or book.state.stage is not Stage.CLOSED or book.state.unrevealed:
                await CLOCK.sleep_ms(READ_MS)
        await self._system.journal.read(again, game.table_id)
        if again.books[game.table_id].commands != book.commands:
            fail(f"the journal of {game.table_id} is another than it was")
        for player in game.players:
            await player.leave()
            self.counts["moves"] += sum(answer.revision is not None for answer in player.answers)
            self.counts["refused"] += sum(answer.revision is None for answer in player.answers)
            self.counts["sent again"] += player.resent
            self.counts["watches"] += len(player.first_updates)
        self._note(f"table {game.table_id} is over")
        self.counts["deals"] += book.deals
        self.counts["matches"] += 1
        self.counts["entries"] += book.head

    async def _told_others(self) -> None:
        """Every fact was told, and every match's record replays to what came of it."""
        while await self._system.journal.untold():
            await CLOCK.sleep_ms(READ_MS)
        reader = self._system.issuer("lobby").for_account("reader").text
        for book in self._system.checks.books.books.values():
            record = await whole_record(self._channel, reader, book.state.match_id.hex())
            if replay(read_record(record.encode())).match != book.state.match:
                fail(f"the record of the match at {book.table_id} replays to another result")

    def _note(self, what: str) -> None:
        self._log.write(f"{CLOCK.now_ms()} {what}\n")


SYSTEMS: Final[dict[str, Callable[[Path, float], AbstractAsyncContextManager[System]]]] = {
    "sqlite": alone,
    "postgres": cluster,
}


@asynccontextmanager
async def _relay_to(system: System) -> AsyncIterator[Relay]:
    """As a gateway has it."""
    credentials = ServiceCredentials(system.issuer("gateway"), CLOCK)
    async with Channels(credentials) as channels:

        def stub_at(address: str) -> Any:
            return TableServiceStub(channels.to(address, "table"))

        relay = Relay(stub_at(system.address), stub_at)
        yield relay
        await relay.close()


async def chaos(on: str, folder: Path, kills: int, seed: str) -> Counter[str]:
    """A whole run on ``sqlite`` or ``postgres``, with its files in a folder; what happened in it, counted."""
    async with AsyncExitStack() as stack:
        log = stack.enter_context((folder / "run.log").open("w", buffering=1))
        system = await stack.enter_async_context(SYSTEMS[on](folder, PACE))
        channel = await stack.enter_async_context(system.channel())
        relay = await stack.enter_async_context(_relay_to(system))
        run = Run(system, channel, relay, seed, log)
        try:
            await run.go(kills)
        except BaseException as fault:
            with suppress(*AWAY):
                await system.journal.save(folder)
            fault.add_note(f"{dict(run.counts)}; its folder: {folder}")
            fault.add_note(f"again: make chaos ON={on} KILLS={kills} SEED={seed}")
            raise
    return run.counts
