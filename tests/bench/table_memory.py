"""What a live table costs in memory: state, ring, remembered commands and actor, in a process that has many.

    python -m tests.bench.table_memory --tables 1000 --moves 80

prints JSON: bytes of resident memory for each table, once its cards are dealt, and once it has been played for so many
moves (the ring and the memory of commands are full then), and again with four watchers who have read all.
"""

import argparse
import asyncio
import gc
import json
import random
import resource
import tempfile
from pathlib import Path

import structlog

from services.table.actor import REMEMBERED_COMMANDS
from services.table.ring import KEPT_STEPS
from shared.rules.actions import Timeout
from shared.rules.options import make_options
from tests.support.journals import Kept, copy_of, make_database
from tests.support.play import Temper, next_action
from tests.support.table_process import TableProcess, sent, watch
from tests.support.tables import creation, match_of, seated, table_id_of

PLAYED = Temper(meld=0.5, amend=0.5, take=0.3, undo=0.0, timeout=0.0, mischief=0.0)


def resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def measure(tables: int, moves: int, seed: int, folder: Path) -> dict[str, object]:
    rng = random.Random(seed)
    options = make_options({"preset": "sahrat", "target": 1000})
    await make_database(folder / "made.db")
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
        for table_id in ids:
            table = await process.live(table_id)
            for seat in range(4):
                await sent(watch(table, seat))
        await process.settle()
        watched = resident_bytes()
    return {
        "tables": tables,
        "moves": moves,
        "seed": seed,
        "kept_steps": KEPT_STEPS,
        "remembered_commands": REMEMBERED_COMMANDS,
        "bytes_each": {
            "dealt": (dealt - before) // tables,
            "played": (played - before) // tables,
            "watched_by_four": (watched - before) // tables,
        },
        "resident_mib": round(watched / 2**20, 1),
    }


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
