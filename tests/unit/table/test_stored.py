"""What the journal keeps comes back as it was: every event, every state between deals, whole series of random play."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.ceremony import Receipt
from services.table.events import (
    AttemptVoid,
    AwayChanged,
    CeremonyBegan,
    CeremonyClockSet,
    ClockSet,
    Closed,
    Committed,
    Created,
    CutAwaited,
    CutOver,
    Dealt,
    FundingBegan,
    GraceOver,
    MatchBegan,
    Moved,
    PauseAsked,
    PauseBegan,
    PauseOver,
    ResultShown,
    Revealed,
    SeatLeft,
    SeatsSwapped,
    SeatTaken,
    SetClosed,
    Settled,
    StakesHeld,
    StakesMissing,
    StandInTook,
    SwapAsked,
    SwapOpened,
    TableEvent,
)
from services.table.journal import StoredEntry, StoredTable
from services.table.replaying import replayed
from services.table.state import MissingStake, Obstacle, Occupant, Pause, Seat, Stage
from services.table.stored import read_event, read_state, write_event, write_state
from shared.rules import events as rules
from shared.rules.cards import codes
from shared.rules.melds import Meld
from shared.rules.options import CHOICES, NAMES, RANGES, Options, make_options
from shared.rules.refusal import RecordError
from tests.support.play import Temper
from tests.support.tables import PureTable, seated

texts = st.text(max_size=24)
seats = st.integers(0, 3)
ids = st.binary(min_size=16, max_size=16)
moments = st.none() | st.integers(0, 2**53)
faces = st.integers(0, 52)
hashes = st.binary(max_size=64)
parts = st.lists(hashes, max_size=4).map(tuple)
receipts = st.lists(st.builds(Receipt, seats, st.integers(0, 2**53), hashes), max_size=4).map(tuple)
table_seats = st.builds(
    Seat, texts, texts, st.sampled_from(Occupant), texts, st.booleans(), st.booleans(), texts, texts,
    st.integers(0, 2**53),
)  # fmt: skip
melds = st.builds(
    lambda number, owner, cards, start, suit: Meld(number, owner, bytes(cards), bytes(len(cards)), start, suit),
    st.integers(1, 35), seats, st.lists(faces, min_size=3, max_size=14), st.integers(0, 14), st.integers(0, 3),
)  # fmt: skip


@st.composite
def options(draw: st.DrawFn) -> Options:
    values: dict[str, object] = {"preset": draw(st.sampled_from(["sahrat", "banakil202"]))}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        if name in CHOICES:
            values[name] = draw(st.sampled_from(CHOICES[name]))
        elif name in RANGES:
            least, most = RANGES[name]
            step = 5 if name == "stake" else 1
            values[name] = draw(st.integers(least, most)) // step * step
        else:
            values[name] = draw(st.booleans())
    try:
        return make_options(values)
    except RecordError:
        return make_options({"preset": values["preset"]})


moved = st.one_of(
    st.builds(rules.Drew, seats),
    st.builds(rules.Took, seats, st.integers(1, 106)),
    st.builds(rules.Passed, seats),
    st.builds(rules.Laid, seats, st.lists(melds, min_size=1, max_size=3).map(tuple)),
    st.builds(rules.Amended, seats, melds, st.lists(faces, max_size=4).map(bytes), st.booleans()),
    st.builds(rules.Undone, seats),
    st.builds(rules.Discarded, seats, faces, st.booleans()),
    st.builds(rules.TimeRanOut, seats),
    st.builds(rules.DealEnded, st.sampled_from(["out", "dead"]), st.none() | seats, st.booleans()),
).map(Moved)
events = st.one_of(
    st.builds(Created, texts, options(), st.lists(table_seats, min_size=2, max_size=4).map(tuple), seats, ids, ids),
    st.builds(SeatTaken, seats, texts, texts, st.sampled_from(Occupant)),
    st.builds(AwayChanged, seats, st.booleans(), st.integers(0, 2**53)),
    st.builds(GraceOver, seats, texts),
    st.builds(PauseAsked, seats, st.booleans()),
    st.builds(PauseBegan, st.integers(0, 2**53)),
    st.just(PauseOver()),
    st.builds(SeatLeft, seats, texts),
    st.builds(StandInTook, seats, texts, texts),
    st.just(SwapOpened()),
    st.builds(SwapAsked, seats),
    st.builds(SeatsSwapped, st.integers(0, 1)),
    st.builds(MatchBegan, ids),
    st.builds(FundingBegan, st.none() | seats),
    st.just(StakesHeld()),
    st.builds(StakesMissing, st.lists(st.builds(MissingStake, seats, st.sampled_from(Obstacle))).map(tuple)),
    st.builds(CeremonyBegan, st.integers(1, 500), st.integers(0, 4), st.none() | seats),
    st.builds(Committed, hashes, texts, hashes, moments),
    st.builds(CutAwaited, parts, st.integers(0, 2**53)),
    st.builds(CutOver, st.integers(0, 105)),
    st.builds(SetClosed, hashes, hashes, receipts, moments),
    st.builds(Settled, hashes, hashes, parts, receipts, st.none() | seats, st.integers(0, 105)),
    st.builds(AttemptVoid, st.lists(seats, max_size=4).map(tuple)),
    st.builds(CeremonyClockSet, st.integers(0, 2**53)),
    st.just(ResultShown()),
    st.builds(Dealt, seats),
    st.builds(ClockSet, moments),
    st.builds(Revealed, ids, st.integers(1, 500), texts),
    st.just(Closed()),
    moved,
)


def through_json(value: object) -> object:
    return json.loads(json.dumps(value))


@given(events)
def test_every_event_comes_back(event: TableEvent) -> None:
    read = read_event(through_json(write_event(event)))
    assert (type(read), read) == (type(event), event)
    if isinstance(event, Moved) and isinstance(read, Moved):
        assert type(read.event) is type(event.event)


@given(st.lists(faces, max_size=90).map(bytes))
def test_a_new_stocks_order_is_not_in_its_event_and_comes_back_from_what_lay_sealed(stock: bytes) -> None:
    written = write_event(Moved(rules.Reshuffled(stock)))
    assert written == ["Reshuffled"]
    assert read_event(through_json(written), stock) == Moved(rules.Reshuffled(stock))


def test_an_event_that_nobody_knows_is_not_taken_for_another() -> None:
    with pytest.raises(KeyError):
        read_event(["Shuffled", 1])


TABLES: list[dict[str, object]] = [
    {"preset": "sahrat", "target": 50},
    {"preset": "banakil202", "format": "best_of_3", "target": 50},
    {"preset": "sahrat", "mode": "duel", "format": "best_of_3", "target": 50},
    {"preset": "banakil202", "mode": "duel", "scoring": "team", "pile_take": "top_must_meld", "target": 60},
]


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_a_table_replays_from_its_entries_to_the_same_state_at_every_revision(
    values: dict[str, object], rng: random.Random
) -> None:
    table = PureTable(make_options(values))
    table.clients = frozenset({0, 1})
    table.play_on(rng, Temper(meld=0.8, amend=0.8, take=0.5, undo=0.3, timeout=0.05, mischief=0.1))
    stored: list[StoredEntry] = []
    for step, entry in zip(table.steps, table.entries, strict=True):
        read = tuple(read_event(through_json(write_event(event)), entry.hidden) for event in entry.events)
        assert read == entry.events
        assert list(map(type, read)) == list(map(type, entry.events))
        stored.append(StoredEntry(entry.revision, entry.at_ms, read, entry.hidden))
        if rng.random() < 0.05 or step is table.steps[-1]:
            assert replayed(StoredTable(None, b"", tuple(stored), {}, 0)) == step.after


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_a_table_replays_from_the_last_deals_start_to_the_same_state(
    values: dict[str, object], rng: random.Random
) -> None:
    table = PureTable(make_options(values))
    table.clients = frozenset({0, 1})
    table.play_on(rng)
    start, deck = None, b""
    later: list[StoredEntry] = []
    for step, entry in zip(table.steps, table.entries, strict=True):
        if any(isinstance(event, Dealt) for event in entry.events):
            start, deck, later = read_state(through_json(write_state(entry.state))), entry.hidden, []
            assert replayed(StoredTable(start, deck, (), {}, 0)) == step.after
        else:
            later.append(StoredEntry(entry.revision, entry.at_ms, entry.events, entry.hidden))
        if start is not None and rng.random() < 0.1:
            assert replayed(StoredTable(start, deck, tuple(later), {}, 0)) == step.after
    assert replayed(StoredTable(start, deck, tuple(later), {}, 0)) == table.state


def test_a_state_between_deals_comes_back_but_for_the_deal_which_is_replayed(rng: random.Random) -> None:
    table = PureTable(make_options(TABLES[1]), seats=seated())
    table.clients = frozenset({0, 2})
    table.play_on(rng)
    for step in table.steps:
        pause = Pause((rng.randrange(4),), used=bool(rng.randrange(2)))
        state = step.after._replace(deal=None, next_fair=None, swap=(), private=True, pause=pause)
        assert read_state(through_json(write_state(state))) == state
    assert {step.after.stage for step in table.steps} == set(Stage) - {Stage.SEATING, Stage.FUNDING}


def test_no_event_and_no_state_that_is_kept_in_clear_names_a_hidden_card(rng: random.Random) -> None:
    """All that is written of two tables that differ only in what nobody sees is the same."""
    written = []
    for order in (1, -1):
        table = PureTable()
        table.settle()
        stock = table.deal.stock
        deck = table.entries[-1].hidden
        assert deck.endswith(stock)
        twin = PureTable()
        twin.shuffle.decks[1] = deck[: -len(stock)] + stock[::order]
        twin.settle()
        written.append([json.dumps([write_event(e) for e in entry.events]) for entry in twin.entries])
        written[-1].append(json.dumps(write_state(twin.state)))
        hidden = " ".join(codes(deck[:19]))
        assert not any(hidden in text for text in written[-1])
    assert written[0] == written[1]
