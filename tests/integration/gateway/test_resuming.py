"""A socket that is cut, and cut again: what the page then knows is what one that never was cut knows, and the truth."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.rules.options import make_options
from shared.rules.views import view_of
from tests.support.gateway import Tab, World, open_world
from tests.support.truth import Seen, match_id, public, truth

SAHRAT = make_options({"preset": "sahrat", "target": 150, "turn_seconds": 300, "discard_seconds": 30})
FOUR = ("ada", "bea", "cem", "dia")
ENOUGH = 80
"""Cuts; then the rest of the match is played in peace, so that the test is soon over."""


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    monkeypatch.setattr("services.table.player_calls.COMINGS_AT_ONCE", 1_000)  # nobody waits to come back
    async with open_world(tmp_path) as world, world.tables(), world.gateway():
        yield world


class CutTab(Tab):
    """Its socket is cut after an update or an answer by this chance, and with an action on its way by half of it."""

    rng = random.Random()
    chance = 0.0
    cuts = 0

    async def step(self) -> dict[str, Any]:
        frame = await super().step()
        if frame["t"] != "welcome":  # else a chance of 1 would never let it see more
            self._perhaps_cut(self.chance)
        return frame

    async def send(self, kind: str, **fields: Any) -> None:
        await super().send(kind, **fields)
        if kind == "act":
            self._perhaps_cut(self.chance / 2)

    def _perhaps_cut(self, chance: float) -> None:
        if self.cuts < ENOUGH and self.rng.random() < chance and not self.sight.closed:
            self.cut()
            self.cuts += 1


@pytest.mark.parametrize("chance", [0.4, 1.0])
async def test_ux_36_a_socket_cut_at_50_moments_and_more_ends_with_the_same_view(
    world: World, rng: random.Random, chance: float
) -> None:
    table_id = await world.create(SAHRAT, *FOUR)
    cut = CutTab(world.web, table_id, world.token("ada"))
    cut.rng, cut.chance = rng, chance
    others = [world.tab(table_id, account) for account in FOUR[1:]]
    seen, whole = Seen(cut), Seen(others[0])
    async with asyncio.TaskGroup() as group:
        for tab in (cut, *others):
            group.create_task(tab.play(until=lambda sight: sight.closed))
    assert cut.cuts >= 50
    assert cut.sight.revision == others[0].sight.revision
    for revision, deal in seen.deals.items():
        assert public(deal) == public(whole.deals.get(revision, deal)), revision
    record = await world.record(match_id(others[0].texts))
    compared = 0
    for revision, (deal_no, moves) in whole.played.items():
        deal = seen.deals.get(revision)
        if deal is not None and deal.end is None and deal.stock_size:
            assert deal == view_of(truth(record, deal_no, moves), 0)
            compared += 1
    assert compared >= 10
