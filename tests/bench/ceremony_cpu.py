"""What a ceremony costs the shuffle service in processor time, without gRPC, on SQLite.

    python -m tests.bench.ceremony_cpu --deals 500 --people 4 --at_once 50

prints JSON: for each call, made by itself, the least and the median microseconds of this process on all its threads;
and the microseconds of a whole deal where so many go on at once, as on a busy server. Each deal is the first of its
match, which is the dearest to begin.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import grpc
import uvloop
from banakil.shuffle.v1 import shuffle_pb2 as wire

from services.shuffle.app import MIGRATIONS
from services.shuffle.limiting import PublicCalls
from services.shuffle.servicer import ShuffleServicer
from services.shuffle.store import Store
from shared.codec.fair import write_context
from shared.kit.app import settle_memory
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.migrations import migrate
from shared.kit.transactions import open_transactions
from tests.support.shuffle import CTX, DRAW, FOUR, all_c, ceremonies_of, promised

NO_CONTEXT = cast("grpc.aio.ServicerContext[Any, Any]", None)


class Costs:
    """Processor time by call."""

    def __init__(self) -> None:
        self.us: dict[str, list[float]] = {}

    async def of(self, call: Awaitable[Any]) -> None:
        began_ns = time.process_time_ns()
        name = type(await call).__name__.removesuffix("Response")
        self.us.setdefault(name, []).append((time.process_time_ns() - began_ns) / 1000)


async def one_deal(service: ShuffleServicer, people: int, costs: Costs) -> None:
    match = uuid.uuid4().bytes
    ctx = replace(CTX, match=match, series=match)
    asked = promised(ctx, replace(DRAW, seats=FOUR), *range(people))
    context, owner = write_context(ctx), wire.TableOwner(table_id=str(uuid.uuid4()), epoch=1)
    seats = [wire.CeremonySeat(account_id=seat.account, bot=seat.bot, h=seat.h) for seat in asked.seats]
    came = [wire.SeatContribution(seat=seat, c=c) for seat, c in all_c(ctx, *range(people)).items()]
    await costs.of(service.Begin(wire.BeginRequest(context=context, owner=owner), NO_CONTEXT))
    close = wire.CloseRequest(context=context, owner=owner, seats=seats, dealer_draw_due=True)
    await costs.of(service.Close(close, NO_CONTEXT))
    contribute = wire.ContributeRequest(context=context, owner=owner, contributions=came)
    await costs.of(service.Contribute(contribute, NO_CONTEXT))
    await costs.of(service.Deck(wire.DeckRequest(context=context, owner=owner), NO_CONTEXT))
    await costs.of(service.Reveal(wire.RevealRequest(context=context, owner=owner), NO_CONTEXT))


async def measure(deals: int, people: int, at_once: int, folder: Path) -> dict[str, object]:
    async with open_database(f"sqlite:///{folder / 'shuffle.db'}") as database:
        await migrate(database, MIGRATIONS)
        async with open_transactions(database) as transactions:
            clock = RealClock()
            ceremonies = ceremonies_of(transactions, clock=clock)
            service = ShuffleServicer(ceremonies, Store(transactions), PublicCalls(clock))
            for _ in range(deals // 10):
                await one_deal(service, people, Costs())
            settle_memory()
            costs = Costs()
            for _ in range(deals):
                await one_deal(service, people, costs)
            began_ns = time.process_time_ns()
            for _ in range(deals // at_once):
                await asyncio.gather(*(one_deal(service, people, Costs()) for _ in range(at_once)))
            together_us = (time.process_time_ns() - began_ns) / 1000 / (deals // at_once * at_once)
    alone = {name: {"least": min(each), "median": statistics.median(each)} for name, each in costs.us.items()}
    return {
        "alone_us": alone,
        "sum_us": {kind: sum(each[kind] for each in alone.values()) for kind in ("least", "median")},
        "together_us": together_us,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--people", type=int, default=4, choices=range(1, 5))
    parser.add_argument("--at_once", type=int, default=50)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:

        async def run() -> None:
            print(json.dumps(await measure(asked.deals, asked.people, asked.at_once, Path(folder)), indent=1))

        uvloop.run(run())


if __name__ == "__main__":
    main()
