"""Nothing that is hidden from a player comes down its socket (SCENARIOS 12 and 13)."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bots.sight import Sight
from shared.rules.cards import CODES, bag_cards
from shared.rules.options import make_options
from shared.rules.views import view_of
from tests.support.gateway import Tab, World, open_world
from tests.support.truth import Seen, match_id, truth

QUICK = {"target": 100, "turn_seconds": 300, "discard_seconds": 30}
FOUR = ("ada", "bea", "cem", "dia")
OWN = {"snapshot.deal.hand", "delta.events.dealStarted.deal.hand", "delta.events.undone.deal.hand"}
"""Where the own hand stands. Nobody else's is anywhere before the deal's end."""
OPEN = {
    f"{deal}.{part}"
    for deal in ("snapshot.deal", "delta.events.undone.deal", "delta.events.dealStarted.deal")
    for part in ("pile", "melds.cards", "duties")
} | {
    "delta.duties",
    "delta.events.took.cards",
    "delta.events.laid.melds.cards",
    "delta.events.amended.meld.cards",
    "delta.events.amended.added",
    "delta.events.discarded.card",
}
"""Where cards stand that lie open on the table."""
OVER = {"snapshot.lastResult.hands.cards", "delta.events.dealEnded.result.hands.cards"}
"""The hands that were left, shown once a deal is over (R10.4)."""


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    monkeypatch.setattr("services.table.player_calls.COMINGS_AT_ONCE", 1_000)  # nobody waits to come back
    async with open_world(tmp_path) as world, world.tables(), world.gateway():
        yield world


class AskingTab(Tab):
    """Asks for hints now and then, and loses its socket now and then, so that every kind of frame comes."""

    rng = random.Random()
    asked = 0

    async def step(self) -> dict[str, Any]:
        frame = await super().step()
        if self.rng.random() < 0.1:
            self.cut()
            self.sight.forget()  # so that a whole view comes, and not what was missed
        elif self.turn is not None and self.rng.random() < 0.2:
            self.asked += 1
            await self.send("hints", tableId=self.table_id, n=self.asked)
        if frame["t"] == "hints" and frame["revision"] == self.sight.revision:
            check_hints(frame, self.sight)
        return frame


def check_hints(frame: dict[str, Any], sight: Sight) -> None:
    """Hints are made of the own hand and of what lies open."""
    deal = sight.deal
    assert deal is not None
    assert deal.hand is not None
    known = Counter(bag_cards(deal.hand)) + Counter(b"".join(meld.cards for meld in deal.melds)) + Counter(deal.pile)
    assert {code for _, code, _ in cards_in(frame)} <= {CODES[card] for card in known}


def cards_in(value: object, path: str = "", holder: object = None) -> Iterator[tuple[str, str, Any]]:
    """Every card anywhere in a frame: where it stands, its code, and the object that it stands in."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from cards_in(item, f"{path}.{name}" if path else name, value)
    elif isinstance(value, list):
        for item in value:
            yield from cards_in(item, path, holder)
    elif isinstance(value, str) and value in CODES:
        yield path, value, holder


def long_hex(value: object) -> set[str]:
    """Every secret-like text anywhere in a JSON value."""
    text = json.dumps(value)
    return set(re.findall(r'"([0-9a-f]{32,})"', text))


def check_frame(text: str, seat: int, hidden: set[str]) -> Iterator[str]:
    """Where cards stand in a frame that a seat received: nowhere but where it may see them."""
    frame = json.loads(text)
    assert not hidden & long_hex(frame)
    if frame["t"] == "hints":
        yield "hints"
        return
    for path, code, holder in cards_in(frame):
        yield path
        if path == "delta.events.drew.card":
            assert holder.get("seat", 0) == seat, f"seat {seat} was shown the {code} that another drew"
        else:
            assert path in OWN | OPEN | OVER, f"a card where none should be: {path}"


@pytest.mark.parametrize("preset", ["sahrat", "banakil202"])
async def test_ux_44_no_frame_before_a_deals_end_holds_anothers_card_the_stock_or_a_secret(
    world: World, rng: random.Random, preset: str
) -> None:
    options = make_options({"preset": preset, **QUICK})
    table_id = await world.create(options, *FOUR)
    asking = [AskingTab(world.web, table_id, world.token(account)) for account in FOUR[:3]]
    for tab in asking:
        tab.rng = rng
    tabs: list[Tab] = [*asking, world.tab(table_id, FOUR[3])]
    seen = [Seen(tab) for tab in tabs]
    async with asyncio.TaskGroup() as group:
        for player in tabs:
            group.create_task(player.play(until=lambda sight: sight.closed))
    record = await world.record(match_id(tabs[3].texts))
    hidden = {
        text
        for deal in json.loads(record)["deals"]
        for text in (deal["fair"]["secret"], *(seat.get("c", "") for seat in deal["fair"]["seats"]))
        if text
    }
    kinds = {kind for seat, tab in enumerate(tabs) for text in tab.texts for kind in check_frame(text, seat, hidden)}
    assert {
        "hints",
        "delta.events.drew.card",
        "snapshot.deal.hand",
        "delta.events.dealEnded.result.hands.cards",
    } <= kinds
    assert sum(check_views(record, seat, its, seen[3].played) for seat, its in enumerate(seen)) >= 20


def check_views(record: str, seat: int, its: Seen, played: dict[int, tuple[int, int]]) -> int:
    """What a seat was shown, its own hand among it, is the truth as that seat may see it. How often that was asked."""
    compared = 0
    for revision, deal in its.deals.items():
        if deal is not None and deal.end is None and deal.stock_size and revision in played:
            assert deal == view_of(truth(record, *played[revision]), seat)
            compared += 1
    return compared
