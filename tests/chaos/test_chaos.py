"""Processes are killed under four players who play on: nothing accepted is lost, nothing is done twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import TypeAlias

import pytest

from services.allinone.postgres_server import find_postgres
from tests.chaos.plan import killed
from tests.chaos.run import SYSTEMS, chaos
from tests.conftest import RUN_SEED

KILLS = {"sqlite": 6, "postgres": 14}
Begun: TypeAlias = dict[str, asyncio.Task[Counter[str]]]


@pytest.fixture(scope="module")
async def begun(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Begun]:
    """A run on each database that there is, at the same time: they mostly wait."""
    there = [on for on in SYSTEMS if on == "sqlite" or find_postgres() is not None]
    tasks = {on: asyncio.create_task(chaos(on, tmp_path_factory.mktemp(on), KILLS[on], RUN_SEED)) for on in there}
    yield tasks
    for task in tasks.values():
        task.cancel()
    await asyncio.wait(tasks.values())


@pytest.mark.parametrize("on", ["sqlite", pytest.param("postgres", marks=pytest.mark.needs_postgres)])
async def test_whatever_is_killed_what_was_acknowledged_is_there_once_and_everybody_has_the_same_view(
    on: str, begun: Begun
) -> None:
    counts = await begun[on]
    assert killed(counts) == KILLS[on]
    assert counts["outages given back"] > 0
    assert counts["moves"] > 0
