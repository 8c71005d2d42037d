"""Accepted actions a second inside one process: through actors and a journal that survives a power cut.

The moves are those that a bench has just had journalled, played once more by the same tables, each waiting for an
answer before its next move. Beside it, in turns on the same disk, stands what the database does by itself: on SQLite
commits of one row, on Postgres one fenced append after the other.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

from sqlalchemy import insert

from services.allinone.bench_parts import Move
from services.allinone.postgres_server import find_postgres, running_postgres
from services.table.actor import TableActor, World
from services.table.app import MIGRATIONS
from services.table.commands import Command, Play
from services.table.decide import decide
from services.table.due import Due
from services.table.journal import FIRST_EPOCH
from services.table.journal_rows import EntryRows, write_entry
from services.table.keeping import journal_in
from services.table.moment import Now
from services.table.postgres_writing import write_batch
from services.table.refusals import DrainingError
from services.table.schema import TABLES
from services.table.sqlite_writing import connect
from services.table.state import TableState
from services.table.stepping import entry_of, make_step
from shared.kit.clock import Pace, RealClock
from shared.kit.database import Database, open_database
from shared.kit.migrations import migrate
from shared.kit.sealing import SealingKeys

GOAL: Final = 1.0
ROUNDS: Final = 5
MOST_TABLES: Final = 120
MOVES: Final = 16
"""Of each table; one that has fewer is left out."""
BY_ITSELF_S: Final = 0.5
TURN_MS: Final = 600_000


class Script(NamedTuple):
    """A table, and the moves that it plays."""

    state: TableState
    plays: Sequence[Play]


def script_of(moves: Sequence[Move]) -> Script:
    """The moves of a table up to where something other than its players goes on with the deal."""
    plays: list[Play] = []
    deal = moves[0].before.deal
    for move in moves:
        if move.before.deal is not deal or len(plays) == MOVES:
            break
        plays.append(move.play)
        deal = move.step.after.deal
    return Script(moves[0].before._replace(revision=1, deadline_ms=RealClock().now_ms() + TURN_MS), plays)


async def journal_rates(moves: Sequence[Sequence[Move]], folder: Path) -> dict[str, Any]:
    """Figures for each database, with the moves of many tables. ``folder`` is on the disk that is measured."""
    scripts = [script for script in map(script_of, moves) if len(script.plays) == MOVES][:MOST_TABLES]
    bin_dir = find_postgres()
    figures: dict[str, Any] = {"tables": len(scripts), "sqlite": await _on_sqlite(scripts, folder)}
    if bin_dir is None:
        return {**figures, "postgres": "NOT MEASURED: no Postgres found on this machine"}
    with running_postgres(bin_dir) as server:
        return {**figures, "postgres": await _on_postgres(scripts, server.new_database("bench"))}


async def _on_sqlite(scripts: Sequence[Script], folder: Path) -> dict[str, Any]:
    payload = _rows(scripts[0])[0].entry[9].encode()
    bare = connect(folder / "bare.db")
    try:
        bare.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, entry BLOB NOT NULL)")

        def commit() -> None:
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO bare (entry) VALUES (?)", (payload,))
            bare.execute("COMMIT")

        async with open_database(f"sqlite:///{folder / 'actions.db'}") as database:
            return await _compared(scripts, database, "bare_commits_per_s", lambda: asyncio.to_thread(_rate, commit))
    finally:
        bare.close()


async def _on_postgres(scripts: Sequence[Script], url: str) -> dict[str, Any]:
    rows = [rows for step in zip(*map(_rows, scripts), strict=True) for rows in step]
    async with open_database(url) as database:

        async def appends() -> float:
            """One after the other, each of another table, so that none waits for a row."""
            await _begin(database, scripts)
            connection = await database.connect_driver()
            try:
                began, done = perf_counter(), 0
                while perf_counter() - began < BY_ITSELF_S and done < len(rows):
                    assert await write_batch(connection, [rows[done]]) == [None]
                    done += 1
                return done / (perf_counter() - began)
            finally:
                await connection.close()

        return await _compared(scripts, database, "single_appends_per_s", appends)


async def _compared(
    scripts: Sequence[Script], database: Database, name: str, by_itself: Callable[[], Awaitable[float]]
) -> dict[str, Any]:
    """Both in turns: the medians, and that of their ratios."""
    await migrate(database, MIGRATIONS)
    rounds: list[tuple[float, float]] = []
    await _actions(scripts, database)
    for _ in range(ROUNDS):
        before = await by_itself()
        actions = await _actions(scripts, database)
        rounds.append((actions, (before + await by_itself()) / 2))
    ratio = round(median(actions / alone for actions, alone in rounds), 3)
    return {
        "actions_per_s": round(median(actions for actions, _ in rounds), 1),
        name: round(median(alone for _, alone in rounds), 1),
        "ratio": ratio,
        "goal": {"least": GOAL, "holds": ratio >= GOAL},
    }


async def _actions(scripts: Sequence[Script], database: Database) -> float:
    """Accepted actions a second."""
    await _begin(database, scripts)
    async with journal_in(database, SealingKeys([bytes(32)]), lambda: None) as journal:
        world = World(journal, RealClock(), Pace(), _never, lambda: os.urandom(16))
        actors = [TableActor(script.state, world, FIRST_EPOCH) for script in scripts]
        began = perf_counter()
        await asyncio.gather(*(_play(actor, script.plays) for actor, script in zip(actors, scripts, strict=True)))
        took_s = perf_counter() - began
        await asyncio.gather(*(actor.stop(DrainingError()) for actor in actors))
    return sum(len(script.plays) for script in scripts) / took_s


async def _play(actor: TableActor, plays: Sequence[Play]) -> None:
    for number, play in enumerate(plays):
        await actor.submit(play, f"{play.account}:{number}", b"d" * 16)


async def _begin(database: Database, scripts: Sequence[Script]) -> None:
    """A database with these tables, and without an entry."""
    rows = [
        {"table_id": script.state.table_id, "epoch": FIRST_EPOCH, "revision": script.state.revision, "live": True}
        for script in scripts
    ]
    async with database.transaction() as connection:
        for table in ("entries", "tables", "outbox"):
            await connection.exec_driver_sql(f"DELETE FROM {table}")
        await connection.execute(insert(TABLES), rows)


def _rows(script: Script) -> list[EntryRows]:
    """What the journal writes of a script."""
    sealer, now, state, rows = SealingKeys([bytes(32)]), Now(RealClock().now_ms()), script.state, []
    for number, play in enumerate(script.plays):
        step = make_step(state, decide(state, play, now), play)
        state = step.after
        rows.append(write_entry(entry_of(step, play, f"{number}", b"d" * 16, now.ms, FIRST_EPOCH), sealer))
    return rows


def _rate(work: Callable[[], None]) -> float:
    """How often in a second."""
    began, done = perf_counter(), 0
    while perf_counter() - began < BY_ITSELF_S:
        work()
        done += 1
    return done / (perf_counter() - began)


async def _never(table: TableState, due: Due, epoch: int) -> Command:
    return await asyncio.Future[Command]()
