"""Several processes of the table service on a Postgres of their own, and what befalls them."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import asyncpg
import grpc
from sqlalchemy import make_url

from services.table.ceremony import CeremonyStep
from shared.kit.clock import RealClock
from shared.kit.identity import TokenIssuer
from shared.kit.pod_lease import LEASE_MS
from shared.kit.sealing import SealingKeys
from tests.chaos import plan
from tests.chaos.again import start_twice
from tests.chaos.checks import Checks
from tests.chaos.journals import AWAY, PostgresJournal
from tests.support.books import Book
from tests.support.cut_line import Line
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.table_cluster import Pod, TableCluster, opened

PODS: Final = 3
AWAY_MS: Final = 1_500
"""The longest that something is away before it is started again."""
SHUFFLED_S: Final = 5.0
DESERTED: Final = 0.3
"""How often it is the process alone that notices a cut: its lock is held until its lease runs out."""
CLOCK: Final = RealClock()


class LinedCluster(TableCluster):
    """Each of its processes has a line to Postgres, and a name there, of its own."""

    lines: list[Line]

    async def add(self) -> Pod:
        """See ``TableCluster``."""
        url, number = make_url(self.url), len(self.pods)
        if not self.pods:
            self.lines = []
        self.lines.append(Line(f"{url.host}:{url.port}"))
        self.pods.append(pod := Pod("table", self._settings, self.folder / f"table-{number}.log"))
        line = self.lines[number]
        await line.open()
        name = f"pod{number}"
        admin = await asyncpg.connect(self.url)  # type: ignore[no-untyped-call]  # the library has few types
        await admin.execute(f"CREATE ROLE {name} SUPERUSER LOGIN")
        await admin.close()
        host, _, port = line.address.rpartition(":")
        mine = url.set(username=name, host=host, port=int(port))
        pod.set(DATABASE_URL=mine.render_as_string(hide_password=False))
        await pod.start()
        return pod


class Cluster:
    """The system that is played on."""

    at_once = 2
    kinds = plan.SEVERAL

    def __init__(
        self, cluster: LinedCluster, postgres: PostgresServer, journal: PostgresJournal, checks: Checks
    ) -> None:
        self.journal = journal
        self.checks = checks
        self._cluster = cluster
        self._postgres = postgres
        self._struck: set[Pod] = set()
        self._freed = asyncio.Event()
        self._postgres_ended = 0
        self._do: dict[str, Callable[[random.Random], Awaitable[None]]] = {
            plan.KILL: lambda rng: self._kill(rng, 1),
            plan.KILL_AGAIN: self._kill_again,
            plan.KILL_TWO: lambda rng: self._kill(rng, 2),
            plan.STOP: self._stop,
            plan.TERM: self._term,
            plan.CUT: self._cut,
            plan.POSTGRES: self._restart_postgres,
            plan.NATS: self._kill_nats,
            plan.SHUFFLE: self._kill_shuffle,
        }

    @property
    def address(self) -> str:
        return self._cluster.address

    def channel(self) -> grpc.aio.Channel:
        return self._cluster.channel()

    def issuer(self, name: str) -> TokenIssuer:
        return self._cluster.issuer(name)

    async def strike(self, kind: str, rng: random.Random) -> None:
        """Returns once what was struck is at work again."""
        await self._do[kind](rng)

    async def _kill(self, rng: random.Random, count: int) -> None:
        async with self._picked(rng, count) as pods:
            for pod in pods:
                await self._stand_still(pod)
            await asyncio.gather(*(pod.kill() for pod in pods))
            await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
            await asyncio.gather(*map(self._start, pods))

    async def _kill_again(self, rng: random.Random) -> None:
        async with self._picked(rng, 1) as [pod]:
            await self._stand_still(pod)
            await pod.kill()
            await start_twice(lambda: self._start(pod), pod.kill, rng)

    async def _stop(self, rng: random.Random) -> None:
        """Past its lease: others have its tables when it goes on."""
        async with self._picked(rng, 1) as [pod]:
            await self._stand_still(pod)
            pod.send(signal.SIGSTOP)
            await CLOCK.sleep_ms(LEASE_MS + 500 + rng.randrange(2_000))
            pod.send(signal.SIGCONT)

    async def _term(self, rng: random.Random) -> None:
        async with self._picked(rng, 1) as [pod]:
            await pod.end()
            await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
            await self._start(pod)

    async def _cut(self, rng: random.Random) -> None:
        """What it asks the database for is done, and it does not hear of it."""
        async with self._picked(rng, 1) as [pod]:
            line = self._cluster.lines[self._cluster.pods.index(pod)]
            line.lose_answers()
            await CLOCK.sleep_ms(50 + rng.randrange(500))
            if rng.random() < DESERTED:
                line.hang_up()
            else:
                line.break_off()
            line.pass_answers()

    async def _restart_postgres(self, rng: random.Random) -> None:
        self._postgres_ended += 1
        await asyncio.to_thread(self._postgres.stop, rng.choice(("immediate", "fast")))
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await asyncio.to_thread(self._postgres.start)

    async def _kill_nats(self, rng: random.Random) -> None:
        nats = self._cluster.nats
        assert nats.process is not None
        nats.process.kill()
        await nats.process.wait()
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await nats.start(CLOCK)

    async def _kill_shuffle(self, rng: random.Random) -> None:
        """While it is asked for something, as a rule."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUFFLED_S):
                while not any(_is_shuffled(book) for book in self.checks.books.books.values()):
                    await CLOCK.sleep_ms(20)
        await self._cluster.shuffle.kill()
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await self._cluster.shuffle.start()

    async def _start(self, pod: Pod) -> None:
        """Starts it, and again where it gave up because Postgres went away meanwhile, as a cluster would."""
        while True:
            ended = self._postgres_ended
            try:
                return await pod.start()
            except AssertionError:
                if ended == self._postgres_ended:
                    raise

    async def _stand_still(self, pod: Pod) -> None:
        while True:
            try:
                self.checks.stands_still(*await self.journal.owned_by(pod.address))
            except AWAY:
                await CLOCK.sleep_ms(100)
            else:
                return

    @asynccontextmanager
    async def _picked(self, rng: random.Random, count: int) -> AsyncIterator[list[Pod]]:
        """Processes that nothing befalls at this moment; the last one of all is left alone."""
        while len(free := [pod for pod in self._cluster.pods if pod not in self._struck]) <= count - 1:
            self._freed.clear()
            await self._freed.wait()
        pods = rng.sample(free, count)
        self._struck.update(pods)
        try:
            yield pods
        finally:
            self._struck.difference_update(pods)
            self._freed.set()


def _is_shuffled(book: Book) -> bool:
    ceremony = book.state.next_fair
    return ceremony is not None and ceremony.step is not CeremonyStep.SETTLED


@asynccontextmanager
async def cluster(folder: Path, pace: float) -> AsyncIterator[Cluster]:
    """At work."""
    with running_postgres() as postgres:
        async with opened(folder, postgres, LinedCluster, pods=PODS, pace=pace) as made:
            checks = Checks(SealingKeys.load(folder / "keys" / "table-seal"), pace)
            journal = PostgresJournal(made.url)
            await journal.watch()
            try:
                yield Cluster(made, postgres, journal, checks)
            finally:
                await journal.close()
                for line in made.lines:
                    await line.cut()
