"""What a live table costs in memory: state, ring, remembered commands and actor, in a process that has many.

    python -m tests.bench.table_memory --tables 10000 --moves 40

prints JSON: bytes of resident memory for each table, once its cards are dealt, and once it has been played for so many
moves (the ring and the memory of commands are full then), and again with four watchers who have read all.

Then this process's processor time for a move that four watch, made at tables drawn from all of them: with a hundred
tables, and with as many as are asked for. It is the least of several rounds, which other work on the machine disturbs
least.
"""

import argparse
import asyncio
import gc
import json
import random
import resource
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import structlog

from services.table.actor import REMEMBERED_COMMANDS
from services.table.commands import Play
from services.table.ring import KEPT_STEPS
from services.table.watching import StreamWatcher
from shared.kit.app import settle_memory
from shared.rules.actions import Timeout
from shared.rules.options import make_options
from tests.support.journals import Kept, copy_of, make_database
from tests.support.play import Temper, next_action
from tests.support.table_process import TableProcess, sent, watch
from tests.support.tables import creation, match_of, seated, table_id_of

GOAL_MIB = 1_024
"""Of ten thousand tables."""
GOAL_COST = 1.2
"""Of a move in a process with so many tables, to one in a process with a hundred."""
ROUNDS = 20
"""Few: of a hundred tables each is a move later in all their deals, and not every moment costs the same."""
SAMPLE = 100
PLAYED = Temper(meld=0.5, amend=0.5, take=0.3, undo=0.0, timeout=0.0, mischief=0.0)


def resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def measure(tables: int, moves: int, seed: int, folder: Path) -> dict[str, object]:
    rng = random.Random(seed)
    await make_database(folder / "made.db")
    settle_memory()  # as a process that serves does before its first table
    few = await costs(SAMPLE, moves, rng, folder)
    many = await costs(tables, moves, rng, folder)
    ratio = many.move_us / few.move_us
    return {
        "tables": tables,
        "moves": moves,
        "seed": seed,
        "kept_steps": KEPT_STEPS,
        "remembered_commands": REMEMBERED_COMMANDS,
        "bytes_each": many.bytes_each,
        "resident_mib": round(many.resident_bytes / 2**20, 1),
        "move_us": {f"of_{SAMPLE}_tables": round(few.move_us, 1), f"of_{tables}_tables": round(many.move_us, 1)},
        "goals": {
            "resident_mib": {"most": GOAL_MIB, "holds": many.resident_bytes <= GOAL_MIB * 2**20},
            "move_to_one_of_a_hundred_tables": {"most": GOAL_COST, "is": round(ratio, 2), "holds": ratio <= GOAL_COST},
        },
    }


class Costs(NamedTuple):
    """What so many tables cost."""

    bytes_each: dict[str, int]
    resident_bytes: int
    move_us: float


async def costs(tables: int, moves: int, rng: random.Random, folder: Path) -> Costs:
    """Of so many tables in a process of their own, each of which is played for so many moves first."""
    options = make_options({"preset": "sahrat", "target": 1000})
    async with copy_of(folder / "made.db", folder) as database, TableProcess(Kept(database)) as process:
        ids = [table_id_of(number) for number in range(tables)]
        before = resident_bytes()
        for table_id in ids:
            create = creation(options, seated(options=options), match_of(table_id))
            await process.tables.create(table_id, create, b"made")
        await process.settle()
        dealt = resident_bytes()
        for _ in range(moves):
            await asyncio.gather(*(move(process, table_id, rng) for table_id in ids))
            await process.settle()
        played = resident_bytes()
        watching = {}
        for table_id in ids:
            table = await process.live(table_id)
            watching[table_id] = [watch(table, seat) for seat in range(4)]
            for watcher in watching[table_id]:
                await sent(watcher)
        await process.settle()
        watched = resident_bytes()
        cost_us = min([await move_us(process, ids, watching, rng) for _ in range(ROUNDS)])
    marks = {"dealt": dealt, "played": played, "watched_by_four": watched}
    return Costs({name: (mark - before) // tables for name, mark in marks.items()}, watched, cost_us)


async def move_us(
    process: TableProcess, ids: list[str], watching: dict[str, list[StreamWatcher]], rng: random.Random
) -> float:
    """Processor time of a move, of a hundred that are asked for at once, from the command to what four are sent."""
    moves = []
    for table_id in rng.sample(ids, min(SAMPLE, len(ids))):
        table = await process.live(table_id)
        deal = table.state.deal
        if deal is not None and deal.end is None and not deal.reshuffle_due:
            action = next_action(rng, deal, PLAYED)
            assert not isinstance(action, Timeout)
            account = table.state.seats[action.seat].account
            moves.append((table, Play(account, table.state.deal_no, deal.turn_no, action)))
    began_ns = time.process_time_ns()
    await asyncio.gather(*(table.actor.submit(play, f"move:{uuid.uuid4()}", b"") for table, play in moves))
    took_ns = time.process_time_ns() - began_ns
    for table, _ in moves:
        for watcher in watching[table.state.table_id]:
            await sent(watcher)
    await process.settle()
    return took_ns / 1_000 / len(moves)


async def move(process: TableProcess, table_id: str, rng: random.Random) -> None:
    """A move, if the table's deal goes on."""
    deal = (await process.state(table_id)).deal
    if deal is None or deal.end is not None or deal.reshuffle_due:
        return
    action = next_action(rng, deal, PLAYED)
    assert not isinstance(action, Timeout)
    await process.act(action, table_id=table_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1_000)
    parser.add_argument("--moves", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(asked.tables, asked.moves, asked.seed, Path(folder))), indent=2))


if __name__ == "__main__":
    main()
