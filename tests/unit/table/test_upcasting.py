"""Journals that older versions wrote are read as if they had been written today."""

from typing import Any

import pytest

from services.table.commands import Resume
from services.table.decide import decide
from services.table.events import AwayChanged, Created
from services.table.journal import StoredEntry, StoredTable
from services.table.moment import Now
from services.table.replaying import replayed
from services.table.state import Occupant, Seat, Stage
from services.table.stepping import make_step
from services.table.stored import read_event, read_seat, read_state
from services.table.upcasting import up_to_date_events, up_to_date_state
from tests.support.old_journals import OLD, told
from tests.support.tables import PureTable


def stored(rows: list[dict[str, Any]], *, from_start: bool) -> StoredTable:
    """As the journal loads it: the whole of it, or from the last deal's start."""
    start, deck = None, b""
    entries: list[StoredEntry] = []
    for row in rows:
        hidden = bytes.fromhex(row["hidden"])
        if from_start and row["start"] is not None:
            start, deck, entries = read_state(up_to_date_state(1, row["start"])), hidden, []
        else:
            read = tuple(read_event(value, hidden) for value in up_to_date_events(1, row["events"]))
            entries.append(StoredEntry(row["revision"], row["at_ms"], read, hidden))
    return StoredTable(start, deck, tuple(entries), {}, 0)


@pytest.mark.parametrize("from_start", [False, True])
@pytest.mark.parametrize("name", OLD)
def test_a_table_of_version_1_is_what_it_was(name: str, from_start: bool) -> None:
    assert told(replayed(stored(OLD[name]["entries"], from_start=from_start))) == OLD[name]["after"]


@pytest.mark.parametrize("name", ["in the first ceremony", "in the second ceremony"])
def test_a_shuffle_that_version_1_began_goes_on(name: str) -> None:
    state = replayed(stored(OLD[name]["entries"], from_start=True))
    table = PureTable(state.options)
    events = decide(state, Resume(table.now_ms), Now(table.now_ms))
    table.steps = [make_step(state, events, Resume(table.now_ms))]
    table.clients = frozenset({0, 1})
    table.settle()
    assert (table.state.stage, table.state.deal_no) == (Stage.DEAL, OLD[name]["after"]["deal_no"])
    assert table.state.fair is not None
    assert [receipt.seat for receipt in table.state.fair.contribution_receipts] == [0, 1]


def test_a_seat_of_version_2_has_no_grace_and_nobody_in_its_players_place() -> None:
    seats = [["ada", "Ada", "person", "", True], ["house:one", "Kitt", "house_bot", "vacancy:1", False]]
    now = (Seat("ada", "Ada", Occupant.PERSON, away=True), Seat("house:one", "Kitt", Occupant.HOUSE_BOT, "vacancy:1"))
    created = ["Created", "t", {"preset": "sahrat", "mode": "duel"}, seats, 0, "00" * 16, "00" * 16]
    made, gone = map(read_event, up_to_date_events(2, [created, ["AwayChanged", 0, True]]))
    assert isinstance(made, Created)
    assert (made.seats, made.private) == (now, False)
    assert gone == AwayChanged(0, True, 0)
    assert tuple(map(read_seat, up_to_date_state(2, {"seats": seats})["seats"])) == now


def test_who_was_away_under_version_2_has_a_grace_once_the_table_goes_on() -> None:
    table = PureTable()
    without = tuple(seat._replace(grace_until_ms=0) for seat in table.state.seats)
    events = decide(table.state._replace(seats=without), Resume(table.now_ms), Now(table.now_ms))
    assert [event for event in events if isinstance(event, AwayChanged)] == [
        AwayChanged(seat, True, table.now_ms + 60_000) for seat in range(4)
    ]
