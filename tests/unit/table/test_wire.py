"""Whoever applies deltas to a snapshot has what a fresh snapshot would say, at every revision, as every viewer."""

import random

import pytest
from banakil.table.v1 import table_pb2
from banakil.table.v1.views_pb2 import STAGE_CEREMONY, STAGE_DEAL, View

from services.table.commands import Presence, TakeVacancy
from services.table.ring import Step
from services.table.swapping import seat_after
from services.table.wire import seen_apart, write_delta, write_view
from shared.rules.actions import Discard
from shared.rules.cards import parse_card
from shared.rules.notation import parse_notation
from shared.rules.options import make_options
from shared.rules.views import Viewer
from tests.support.following import Client
from tests.support.play import Temper
from tests.support.tables import PEOPLE, PureTable, seated

TABLES: list[dict[str, object]] = [
    {"preset": "sahrat", "target": 50},
    {"preset": "banakil202", "format": "best_of_3", "target": 50},
    {"preset": "sahrat", "mode": "duel", "target": 50, "max_reshuffles": 1},
]
LIVELY = Temper(meld=0.7, amend=0.7, take=0.6, undo=0.4, timeout=0.05, mischief=0.0)


def played(values: dict[str, object], rng: random.Random) -> PureTable:
    options = make_options(values)
    names = ["ada", "", "cem", "dana"][: options.seats]
    table = PureTable(options, seats=seated(*names))
    table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    for seat in (0, 2)[: options.seats // 2]:
        table.apply(Presence(PEOPLE[seat], away=False))
    table.play_on(rng, LIVELY)
    return table


def delta(step: Step, viewer: Viewer) -> bytes:
    return table_pb2.WatchResponse(delta=write_delta(step, viewer)).SerializeToString()


def snapshot(step: Step, viewer: Viewer) -> bytes:
    return table_pb2.WatchResponse(snapshot=write_view(step.after, viewer)).SerializeToString()


def deltas_of(table: PureTable) -> list[Step]:
    """The steps that are told by deltas."""
    return [step for step in table.steps if not step.moves_players]


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_deltas_on_a_snapshot_are_what_a_fresh_snapshot_says(values: dict[str, object], rng: random.Random) -> None:
    table = played(values, rng)
    for seat in (None, *range(table.state.options.seats)):
        client, viewer = Client(), seat
        client.take(snapshot(table.steps[0], viewer))
        for step in table.steps[1:]:
            viewer = viewer if viewer is None else seat_after(step.events, viewer)
            client.take(snapshot(step, viewer) if step.moves_players else delta(step, viewer))
            assert client.view == write_view(step.after, viewer), step.events


@pytest.mark.parametrize("values", TABLES, ids=str)
def test_only_those_who_see_a_step_apart_get_bytes_of_their_own(values: dict[str, object], rng: random.Random) -> None:
    table = played(values, rng)
    for step in deltas_of(table):
        apart = seen_apart(step)
        for viewer in range(table.state.options.seats):
            if apart is not None and viewer not in apart:
                assert delta(step, viewer) == delta(step, None)


def test_a_house_bots_account_is_not_shown(rng: random.Random) -> None:
    table = played(TABLES[0], rng)
    assert table.state.seats[1].account == "house:one"
    for step in deltas_of(table):
        for viewer in (None, 0, 1):
            assert b"house:one" not in delta(step, viewer) + snapshot(step, viewer)


def test_a_deals_result_stays_that_deals_while_the_next_is_played(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.play(rng)
    shown = write_view(table.state, None).last_result
    table.ring()
    for stage in (STAGE_CEREMONY, STAGE_DEAL):
        view: View = write_view(table.state, None)
        assert view.stage == stage
        assert view.last_result == shown
        table.settle()
    assert (shown.deal_no, table.state.deal_no) == (1, 2)


def test_a_matchs_last_result_keeps_its_totals_in_the_next_match(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}))
    totals = table.state.match.totals
    while table.state.match.winner is None:
        table.play(rng)
        totals = table.state.match.totals
        table.ring()
    table.ring()
    table.settle()
    view = write_view(table.state, None)
    assert list(view.last_result.total_half_points) == list(totals)
    assert list(view.match.total_half_points) == [0, 0]


def test_a_deal_that_is_being_shuffled_is_not_counted_as_dealt(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    assert write_view(table.state, None).match.deal_no == 0
    table.settle()
    assert write_view(table.state, None).match.deal_no == 1
    table.play(rng)
    table.ring()
    assert write_view(table.state, None).match.deal_no == 1


def test_the_order_of_a_new_stock_is_nobodys_to_see(rng: random.Random) -> None:
    told, stocks = [], []
    for seed in ("one", "another"):
        table = PureTable()
        table.settle()
        table.shuffle.seed = seed
        table.put(parse_notation("sahrat 0 play r0 / 5H9D KC QC 8D / - / 7D2S3C3S4C4D / 0:5S6S7S"))
        table.act(Discard(0, parse_card("9D")))
        table.settle()
        views = [write_view(table.state, viewer).SerializeToString() for viewer in (None, 0, 1, 2, 3)]
        told.append((views, [delta(table.steps[-1], viewer) for viewer in (None, 0, 1, 2, 3)]))
        stocks.append(table.deal.stock)
    assert stocks[0] != stocks[1]
    assert told[0] == told[1]
