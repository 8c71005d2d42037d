"""Whole deals of random play as each viewer gets them: what travels is enough to follow the deal, and small."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from banakil.table.v1 import events_pb2, table_pb2, views_pb2
from google.protobuf.json_format import MessageToJson

from shared.codec.actions import read_action, write_action
from shared.codec.events import read_event, write_event
from shared.codec.options import write_options
from shared.codec.results import Standing, read_result, write_result
from shared.codec.views import read_deal_view, write_deal_view
from shared.rules.actions import TIMEOUT, Action, Amend, Discard, Draw, Lay, Pass, Take, Timeout, Undo
from shared.rules.cards import FULL_DECK, codes
from shared.rules.engine import decide, evolve
from shared.rules.events import Event, Reshuffled
from shared.rules.follow import follow
from shared.rules.legal import legal_actions
from shared.rules.match import MatchState, after_deal
from shared.rules.options import make_options
from shared.rules.scoring import score_deal
from shared.rules.state import DealState, Phase, start_deal
from shared.rules.views import SeenDealEnded, View, Viewer, seen_event, view_of

TABLES: list[dict[str, Any]] = [
    {"preset": "sahrat"},
    {"preset": "banakil202"},
    {"preset": "sahrat", "mode": "duel"},
    {"preset": "banakil202", "mode": "duel", "scoring": "team", "one_turn_bonus": True},
    {"preset": "sahrat", "pile_take": "any_depth", "two_move": "free", "scoring": "personal"},
    {"preset": "banakil202", "pile_take": "top_must_meld", "released_joker_must_be_laid": True},
]
TIMEOUTS = 0.05
"""Share of moves that the clock makes."""
MOVES_OF_A_TWO = 0.02
"""Share of the chances to move a two without adding a card that are taken."""


NOW_MS = 1_764_537_600_000


class Step(NamedTuple):
    """One event, with the states around it and the action that led to it (none for a new stock)."""

    before: DealState
    event: Event
    after: DealState
    action: Action | None


def worth_doing(state: DealState, meld_id: int, layout: bytes, rng: random.Random) -> bool:
    """A two could be moved to and fro for ever: players do it now and then."""
    return sorted(layout) != sorted(state.melds[meld_id - 1].cards) or rng.random() < MOVES_OF_A_TWO


def a_move(state: DealState, rng: random.Random) -> Action:
    """What a player who lays whatever it can might do."""
    seat = state.turn
    legal = legal_actions(state)
    if rng.random() < TIMEOUTS:
        return TIMEOUT
    if state.phase is Phase.DRAW:
        if legal.take and rng.random() < 0.4:
            return Take(seat, rng.choice(legal.take))
        return Draw(seat) if legal.draw else Pass(seat)
    choices: list[Action] = [Lay(seat, (meld,)) for meld in legal.melds]
    choices += [
        Amend(seat, meld_id, layout) for meld_id, layout in legal.amends if worth_doing(state, meld_id, layout, rng)
    ]
    if choices and rng.random() < 0.8:
        return rng.choice(choices)
    if legal.undo:
        return Undo(seat)
    return Discard(seat, rng.choice(legal.discards)) if legal.discards else TIMEOUT


def a_deal(values: dict[str, Any], rng: random.Random) -> Iterator[Step]:
    """The events of a deal from its start to its end."""
    options = make_options(values)
    deck = bytes(rng.sample(FULL_DECK, len(FULL_DECK)))
    state = start_deal(options, rng.randrange(options.seats), deck)
    while state.phase is not Phase.OVER:
        action = None
        events: tuple[Event, ...]
        if state.reshuffle_due:
            events = (Reshuffled(bytes(rng.sample(state.pile[:-1], len(state.pile) - 1))),)
        else:
            action = a_move(state, rng)
            events = decide(state, action)
        for event in events:
            before, state = state, evolve(state, event)
            yield Step(before, event, state, action)


def standing(state: DealState) -> Standing:
    match = MatchState(state.options, (20, -7))
    if state.end is not None:
        match = after_deal(match, score_deal(state).teams)
    return Standing("ab" * 16, "cd" * 16, 2, 7, match, (1, 0))


def over_the_wire(step: Step, viewer: Viewer) -> events_pb2.Event:
    seen = seen_event(step.event, step.before, step.after, viewer)
    return events_pb2.Event.FromString(write_event(seen, standing(step.after)).SerializeToString())


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_a_viewer_that_follows_the_events_has_what_a_fresh_view_would_say(
    values: dict[str, Any], rng: random.Random
) -> None:
    options = make_options(values)
    viewers: list[Viewer] = [None, *range(options.seats)]
    followed: dict[Viewer, View] = {}
    for step in a_deal(values, rng):
        for viewer in viewers:
            before = followed.get(viewer) or view_of(step.before, viewer)
            event = read_event(over_the_wire(step, viewer), options, viewer)
            assert event == seen_event(step.event, step.before, step.after, viewer)
            assert event is not None
            followed[viewer] = follow(before, event)
            assert followed[viewer] == view_of(step.after, viewer)


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_a_view_comes_back_as_it_was_sent_at_every_moment(values: dict[str, Any], rng: random.Random) -> None:
    options = make_options(values)
    for step in a_deal(values, rng):
        if step.after.phase is Phase.OVER:
            continue
        viewer = rng.choice([None, *range(options.seats)])
        sent = write_deal_view(view_of(step.after, viewer), 7).SerializeToString()
        assert read_deal_view(views_pb2.DealView.FromString(sent), options, viewer) == view_of(step.after, viewer)


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_every_action_and_the_result_come_back_as_they_were_sent(values: dict[str, Any], rng: random.Random) -> None:
    step = None
    for step in a_deal(values, rng):
        if step.action is not None and not isinstance(step.action, Timeout):
            assert read_action(write_action(step.action), step.action.seat) == step.action
    assert step is not None
    ended = seen_event(step.event, step.before, step.after, None)
    assert isinstance(ended, SeenDealEnded)
    result = write_result(ended, standing(step.after))
    assert read_result(result) == ended
    assert list(result.total_half_points) == list(standing(step.after).match.totals)


@pytest.mark.parametrize("values", TABLES[:2], ids=str)
def test_no_event_names_a_hidden_card_to_another_seat(values: dict[str, Any], rng: random.Random) -> None:
    for step in a_deal(values, rng):
        for viewer in (None, *range(4)):
            drew = over_the_wire(step, viewer).drew
            assert not drew.card or (viewer == drew.seat and drew.card in codes(step.before.stock[:1]))


@pytest.mark.parametrize("values", TABLES[:3], ids=str)
def test_ux_5_what_a_seat_receives_of_a_whole_deal_in_json_leaves_a_quarter_of_60_kb_for_the_rest(
    values: dict[str, Any], rng: random.Random
) -> None:
    """UX 5, for the middle one of nine deals: a snapshot, and a message with the clocks for each event."""
    sizes = sorted(received_bytes(values, rng) for _ in range(9))
    assert sizes[4] <= 45_000


def received_bytes(values: dict[str, Any], rng: random.Random) -> int:
    steps = list(a_deal(values, rng))
    dealt = write_deal_view(view_of(steps[0].before, 0), 7)
    options = write_options(make_options(values))
    updates = [table_pb2.WatchResponse(snapshot=views_pb2.View(deal=dealt, options=options))]
    for revision, step in enumerate(steps, start=100):
        delta = events_pb2.Delta(revision=revision, turn_no=step.after.turn_no, events=[over_the_wire(step, 0)])
        updates.append(table_pb2.WatchResponse(delta=delta))
    for update in updates:
        update.server_now_ms, update.remaining_ms = NOW_MS, 20_000
    return sum(len(MessageToJson(update, indent=None).encode()) for update in updates)
