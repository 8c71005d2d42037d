"""Kills processes, and says how to do it again where something did not hold.

python -m tests.chaos --kills 200 --seed 17 --on postgres
"""

import argparse
import asyncio
import random
import shutil
import sys
import time
from pathlib import Path

import grpc

from services.allinone.postgres_server import find_postgres
from tests.chaos.run import SYSTEMS, chaos

FOLDER = Path("build/chaos")


def main(arguments: list[str]) -> int:
    """1 where something did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="Kills processes under players.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(2**32)))
    parser.add_argument("--on", choices=[*SYSTEMS, "both"], default="both")
    given = parser.parse_args(arguments)
    grpc.aio.init_grpc_aio()
    return max([_run(on, given.kills, given.seed) for on in SYSTEMS if given.on in (on, "both")])


def _run(on: str, kills: int, seed: str) -> int:
    if on == "postgres" and find_postgres() is None:
        print("there is no Postgres here: nothing is killed on it", file=sys.stderr)
        return 0
    folder = (FOLDER / f"{on}-{seed}").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began_s = time.monotonic()
    print(f"{on}, seed {seed}: {kills} kills", flush=True)
    try:
        counts = asyncio.run(chaos(on, folder, kills, seed))
    except BaseException as fault:
        sys.excepthook(type(fault), fault, fault.__traceback__)
        return 1
    shutil.rmtree(folder)
    print(f"  {time.monotonic() - began_s:.0f} s: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
