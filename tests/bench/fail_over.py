"""How long a table is without an owner: from kill -9 of its process to the next move that is accepted elsewhere, and
from SIGTERM to the same.

    python -m tests.bench.fail_over [--kills 20] [--tables 12]

Three processes on a Postgres that was started for this; at each kill one of them ends, and every table that it ran has
a player who sends a move at that moment, and again as a client does. Prints JSON.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles
from typing import Any

import grpc

from services.allinone.postgres_server import find_postgres
from shared.rules.options import make_options
from tests.support.postgres import running_postgres
from tests.support.roaming import Roamer, mover, plain, seated
from tests.support.table_cluster import Pod, TableCluster, table_cluster

DUEL = make_options({"preset": "sahrat", "mode": "duel", "turn_seconds": 300, "target": 1000})


async def measure(folder: Path, kills: int, tables: int) -> dict[str, Any]:
    """Milliseconds, over every table of every process that was ended."""
    with running_postgres() as postgres:
        async with (
            table_cluster(folder, postgres) as cluster,
            cluster.channel() as channel,
            AsyncExitStack() as stack,
        ):
            lobby = cluster.issuer("lobby")
            made = [
                await stack.enter_async_context(seated(channel, lobby, DUEL, f"{number}-a", f"{number}-b"))
                for number in range(tables)
            ]
            killed = [await _round(cluster, made, number, Pod.kill) for number in range(kills)]
            handed = [await _round(cluster, made, number, Pod.end) for number in range(kills)]
    return {
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kills": kills,
        "kill_to_move": _figures(killed),
        "sigterm_to_move": _figures(handed),
    }


async def _round(cluster: TableCluster, tables: list[list[Roamer]], number: int, end: Any) -> list[tuple[float, int]]:
    pod = cluster.pods[number % len(cluster.pods)]
    mine = [players for players in tables if await cluster.owner_of(players[0].table_id) is pod]
    began_s = time.monotonic()
    ending = asyncio.ensure_future(end(pod))
    taken = await asyncio.gather(*(_next_move(players, began_s) for players in mine))
    await ending
    await pod.start()
    return list(taken)


async def _next_move(players: list[Roamer], began_s: float) -> tuple[float, int]:
    player, state = mover(players)
    played = await player.act(plain(state))
    for one in players:
        await one.reach(played.revision)
    return (played.answered_s - began_s) * 1_000, played.retries


def _figures(rounds: list[list[tuple[float, int]]]) -> dict[str, Any]:
    waits = sorted(wait for taken in rounds for wait, _ in taken)
    cuts = quantiles(waits, n=100)
    return {
        "moves": len(waits),
        "median_ms": round(cuts[49]),
        "p95_ms": round(cuts[94]),
        "max_ms": round(waits[-1]),
        "most_retries": max(retries for taken in rounds for _, retries in taken),
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--tables", type=int, default=12)
    given = parser.parse_args()
    if find_postgres() is None:
        print("there is no Postgres here: fail-over is not measured", file=sys.stderr)
        return
    grpc.aio.init_grpc_aio()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(Path(folder), given.kills, given.tables)), indent=2))


if __name__ == "__main__":
    main()
