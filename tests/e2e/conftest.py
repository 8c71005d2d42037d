"""Platforms that the end-to-end tests share: each is `banakil up` in a process of its own."""

import asyncio
import random
from collections.abc import AsyncIterator
from itertools import product
from typing import TypeAlias

import grpc
import pytest
from banakil.common.v1.rule_options_pb2 import Preset, RuleOptions

from tests.conftest import RUN_SEED
from tests.support.ear import Ear, open_ear
from tests.support.foursome import Foursome, open_foursome
from tests.support.minimal_bot import Played, play_match
from tests.support.noted_deal import NotedDeal
from tests.support.up import Up, open_up

Kind: TypeAlias = tuple[str, str]
"""A preset and a mode."""
Begun: TypeAlias = dict[Kind, asyncio.Task[Played]]
QUICK_PACE = 100.0
"""A turn of 20 s then lasts 200 ms."""


@pytest.fixture(scope="session")
async def quick(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Up]:
    """Whole matches are played here."""
    async with open_up(tmp_path_factory.mktemp("quick"), QUICK_PACE) as up:
        yield up
    assert up.faults() == []


@pytest.fixture(scope="session")
async def calm(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Up]:
    """As people play; it logs all that it can."""
    async with open_up(tmp_path_factory.mktemp("calm"), log_level="debug") as up:
        yield up
    assert up.faults() == []


@pytest.fixture(scope="session")
async def quick_channel(quick: Up) -> AsyncIterator[grpc.aio.Channel]:
    async with quick.channel() as channel:
        yield channel


@pytest.fixture(scope="session")
async def calm_channel(calm: Up) -> AsyncIterator[grpc.aio.Channel]:
    async with calm.channel() as channel:
        yield channel


@pytest.fixture(scope="session")
async def ear(quick: Up) -> AsyncIterator[Ear]:
    """Hears the quick platform's bus from the start."""
    async with open_ear(quick) as ear:
        yield ear


@pytest.fixture(scope="session")
async def begun(quick: Up, ear: Ear) -> AsyncIterator[Begun]:
    """The minimal bot's matches, each preset with partners and as a duel, all begun at once. ``ear`` hears them."""
    kinds = [*product(("sahrat", "banakil202"), ("partners", "duel"))]
    tasks = {kind: asyncio.create_task(play_match(quick, *kind)) for kind in kinds}
    yield tasks
    for task in tasks.values():
        task.cancel()


@pytest.fixture(scope="session")
async def matches(begun: Begun) -> dict[Kind, Played]:
    """Those matches, played to the end."""
    return {kind: await task for kind, task in begun.items()}


@pytest.fixture(scope="session", autouse=True)
def begin_early(request: pytest.FixtureRequest) -> None:
    """Has the matches go on, which mostly wait, while all else is tested."""
    if any("matches" in getattr(item, "fixturenames", ()) for item in request.session.items):
        request.getfixturevalue("begun")


@pytest.fixture(scope="session")
async def deals(calm: Up, calm_channel: grpc.aio.Channel) -> dict[str, NotedDeal]:
    """A whole deal of each preset with four seats watched, and everything about it noted."""
    rules = ("sahrat", "banakil202")
    found = [NotedDeal(preset, calm_channel, calm, random.Random(f"{RUN_SEED}/deal of {preset}")) for preset in rules]
    await asyncio.gather(*(deal.run() for deal in found))
    return {deal.preset: deal for deal in found}


@pytest.fixture(params=["sahrat", "banakil202"])
def deal(deals: dict[str, NotedDeal], request: pytest.FixtureRequest) -> NotedDeal:
    """One of them."""
    return deals[request.param]


@pytest.fixture(scope="session")
async def foursome(calm: Up, calm_channel: grpc.aio.Channel) -> AsyncIterator[Foursome]:
    """A table in the first turn of its first deal, for tests that do nothing to it."""
    options = RuleOptions(preset=Preset.PRESET_SAHRAT, turn_seconds=300)
    async with open_foursome(calm, calm_channel, options) as table:
        yield table
