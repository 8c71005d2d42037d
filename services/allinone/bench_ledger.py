"""Transfers a second through the ledger of coins, by 64 writers at once, each waiting for its answer.

In one turn they move coins between 1,000 accounts, in the next all to one. Beside it, in turns on the same disk,
stands what the database does by itself: on SQLite commits of one row that survive a power cut, on Postgres
`pgbench`'s tpcb-like transactions, by 64 clients on as many branches.
"""

import asyncio
import itertools
import os
import random
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from services.allinone.postgres_server import PostgresServer, find_postgres, running_postgres
from services.table.sqlite_writing import connect
from services.wallet.app import MIGRATIONS
from services.wallet.books import Cause, Transfer, Verdict, player_account
from services.wallet.checking import Checker
from services.wallet.ledger import Ledger, open_ledger
from services.wallet.schema import MINT
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.metrics import Metrics
from shared.kit.migrations import migrate

WRITERS: Final = 64
ACCOUNTS: Final = 1_000
BRANCHES: Final = 64
GOALS: Final = {"spread": 1.0, "one_account": 0.5}
COINS: Final = 10**9

Rate = Callable[[], Awaitable[float]]


async def measure(seconds: float, rounds: int) -> dict[str, Any]:
    """Figures for both databases, each turn of so many seconds."""
    with TemporaryDirectory(prefix="banakil-bench-ledger-") as folder:
        figures: dict[str, Any] = {"writers": WRITERS, "accounts": ACCOUNTS, "load_before": os.getloadavg()[0]}
        figures["sqlite"] = await _on_sqlite(Path(folder), seconds, rounds)
    bin_dir = find_postgres()
    if bin_dir is None:
        return {**figures, "postgres": "NOT MEASURED: no Postgres found on this machine"}
    with running_postgres(bin_dir) as server:
        return {**figures, "postgres": await _on_postgres(server, seconds, rounds)}


async def _on_sqlite(folder: Path, seconds: float, rounds: int) -> dict[str, Any]:
    bare = connect(folder / "bare.db")
    try:
        bare.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)")

        def commits() -> float:
            began, done = perf_counter(), 0
            while perf_counter() - began < seconds:
                bare.execute("BEGIN IMMEDIATE")
                bare.execute("INSERT INTO bare (amount) VALUES (1)")
                bare.execute("COMMIT")
                done += 1
            return done / (perf_counter() - began)

        address = f"sqlite:///{folder / 'wallet.db'}"
        return await _compared(address, "bare_commits", lambda: asyncio.to_thread(commits), seconds, rounds)
    finally:
        bare.close()


async def _on_postgres(server: PostgresServer, seconds: float, rounds: int) -> dict[str, Any]:
    server.new_database("pgbench")
    await asyncio.to_thread(_pgbench, server, "-i", "-q", "-s", str(BRANCHES))

    async def tpcb() -> float:
        clients = ("-n", "-b", "tpcb-like", "-c", str(WRITERS), "-j", "2", "-T", str(max(1, round(seconds))))
        told = await asyncio.to_thread(_pgbench, server, *clients)
        found = re.search(r"tps = ([\d.]+) \(without initial", told)
        assert found is not None, told
        return float(found[1])

    return await _compared(server.new_database("wallet"), "pgbench_tpcb_like", tpcb, seconds, rounds)


def _pgbench(server: PostgresServer, *arguments: str) -> str:
    """What it says. Raises ``CalledProcessError``."""
    command = [str(server.bin_dir / "pgbench"), "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres"]
    told: str = subprocess.run([*command, *arguments, "pgbench"], check=True, capture_output=True, text=True).stdout
    return told


async def _compared(address: str, name: str, by_itself: Rate, seconds: float, rounds: int) -> dict[str, Any]:
    """All in turns: the medians, and those of the ratios to what stands beside."""
    kinds: dict[str, Callable[[random.Random], tuple[int, int]]] = {
        "spread": lambda rng: (rng.randrange(ACCOUNTS), rng.randrange(1, ACCOUNTS)),
        "one_account": lambda rng: (rng.randrange(1, ACCOUNTS), 0),
    }
    rates: dict[str, list[float]] = {kind: [] for kind in kinds}
    ratios: dict[str, list[float]] = {kind: [] for kind in kinds}
    alone: list[float] = []
    async with _ledger(address) as (ledger, check):
        turns = itertools.count()
        for _ in range(rounds):
            alone.append(await by_itself())
            for kind, pick in kinds.items():
                rates[kind].append(await _transfers(ledger, pick, seconds, f"{kind}{next(turns)}"))
                ratios[kind].append(rates[kind][-1] / alone[-1])
        whole = await check()
    return {
        f"{name}_per_s": round(median(alone), 1),
        **{
            kind: {
                "transfers_per_s": round(median(rates[kind]), 1),
                "ratio": round(median(ratios[kind]), 3),
                "goal": {"least": goal, "holds": median(ratios[kind]) >= goal},
            }
            for kind, goal in GOALS.items()
        },
        **whole,
    }


@asynccontextmanager
async def _ledger(address: str) -> AsyncIterator[tuple[Ledger, Callable[[], Awaitable[dict[str, int]]]]]:
    """A ledger with rich accounts, and its check, whose report is of nothing but numbers."""
    clock = RealClock()
    async with open_database(address) as database:
        await migrate(database, MIGRATIONS)
        async with open_ledger(database, clock) as ledger:
            async with database.transaction() as connection:
                accounts = ", ".join(f"('{player_account(str(number))}', 0, 0)" for number in range(ACCOUNTS))
                await connection.exec_driver_sql(f"INSERT INTO accounts VALUES {accounts}")
            grants = (
                Transfer(f"given:{number}", MINT, player_account(str(number)), COINS, Cause.WELCOME)
                for number in range(ACCOUNTS)
            )
            await asyncio.gather(*map(ledger.post, grants))

            async def check() -> dict[str, int]:
                report = await Checker(database, clock, Metrics(), 5_000).check()
                return {"transfers": report.transfers, "breaches": len(report.breaches)}

            yield ledger, check


async def _transfers(
    ledger: Ledger, pick: Callable[[random.Random], tuple[int, int]], seconds: float, turn: str
) -> float:
    """Transfers a second, each of them created."""
    done, began = itertools.count(), perf_counter()

    async def write(writer: int) -> None:
        rng = random.Random(f"{turn}{writer}")
        while perf_counter() - began < seconds:
            debit, credit = pick(rng)
            credit = credit if credit != debit else (credit + 1) % ACCOUNTS
            key = f"{turn}:{next(done)}"
            answer = await ledger.post(
                Transfer(key, player_account(str(debit)), player_account(str(credit)), 1, Cause.PRIZE)
            )
            assert answer.verdict is Verdict.CREATED

    await asyncio.gather(*map(write, range(WRITERS)))
    return next(done) / (perf_counter() - began)
