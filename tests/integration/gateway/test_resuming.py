"""A socket that is cut, and cut again: what the page then knows is what one that never was cut knows, and the truth."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from banakil.table.v1.table_pb2 import WatchResponse

from shared.rules.options import make_options
from shared.rules.record import read_record
from shared.rules.replay import replay
from shared.rules.state import DealState
from shared.rules.views import View, view_of
from tests.support.gateway import Tab, World, open_world

SAHRAT = make_options({"preset": "sahrat", "target": 50, "turn_seconds": 300, "discard_seconds": 30})
FOUR = ("ada", "bea", "cem", "dia")
ENOUGH = 80
"""Cuts; then the rest of the match is played in peace, so that the test is soon over."""
MOVES = {"drew", "took", "passed", "laid", "amended", "undone", "discarded", "time_ran_out"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
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


class Seen:
    """What a tab knew at each revision that it came to, and what had been played by then."""

    def __init__(self, tab: Tab) -> None:
        self.deals: dict[int, View | None] = {}
        self.played: dict[int, tuple[int, int]] = {}
        """After each move: the deal in its match, and the moves in it."""
        self._moves = 0
        tab.seen = self._note

    def _note(self, tab: Tab, update: WatchResponse) -> None:
        sight = tab.sight
        self.deals[sight.revision] = sight.deal
        kinds = {event.WhichOneof("event") for event in update.delta.events}
        if "deal_started" in kinds:
            self._moves = 0
        elif kinds & MOVES:
            self._moves += 1
            self.played[sight.revision] = (sight.deal_no, self._moves)


def public(deal: View | None) -> View | None:
    """What all seats see alike. Of a deal that is over a snapshot shows the result alone."""
    return None if deal is None or deal.end is not None else deal._replace(viewer=None, hand=None)


def truth(record: str, deal_no: int, moves: int) -> DealState:
    """The deal after so many moves, by the record that was published at its end."""
    match = json.loads(record)
    match["deals"] = match["deals"][:deal_no]
    match["deals"][-1]["actions"] = match["deals"][-1]["actions"][:moves]
    return replay(read_record(json.dumps(match).encode())).deals[-1]


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


def match_id(texts: list[str]) -> str:
    """The match's, as its end was told."""
    [ended] = [event for text in texts for event in events(text) if "matchEnded" in event]
    return str(ended["matchEnded"]["match"]["matchId"])


def events(text: str) -> list[dict[str, Any]]:
    """The events in a frame."""
    found: list[dict[str, Any]] = json.loads(text).get("delta", {}).get("events", [])
    return found
