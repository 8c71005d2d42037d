"""What a client reads: views, events and results that make no sense are refused, newer events are passed over."""

from collections.abc import Callable

import pytest
from banakil.table.v1 import events_pb2, results_pb2, views_pb2

from shared.codec.errors import MalformedError
from shared.codec.events import read_event, write_event
from shared.codec.results import Standing, read_result, write_result, write_standing
from shared.codec.views import read_deal_view, read_meld, write_deal_view, write_meld
from shared.rules.cards import FULL_DECK, parse_card
from shared.rules.events import DealEnded
from shared.rules.match import MatchState
from shared.rules.melds import Meld
from shared.rules.options import SAHRAT
from shared.rules.scoring import DealScore
from shared.rules.state import Phase, start_deal
from shared.rules.views import SeenDealEnded, SeenDrew, view_of

STANDING = Standing("ab" * 16, "cd" * 16, 1, 3, MatchState(SAHRAT, (444, 75), 3, False, 0), (1, 0))
DEAL = start_deal(SAHRAT, 2, FULL_DECK)
RUN = Meld(1, 0, bytes(map(parse_card, ("5H", "6H", "JK"))), bytes([0, 0, 2]), 5, 1)
ENDED = SeenDealEnded(
    DealEnded("out", 1, False), (0, 0, 0, 0), DealScore((-3, 75), None, (1, 0, 2, 0), (10, 20, 30, 40), 40)
)


def test_a_match_says_who_has_won_it_only_once_somebody_has() -> None:
    assert write_standing(STANDING).winner_team == 0
    assert write_standing(STANDING).HasField("winner_team")
    assert not write_standing(STANDING._replace(match=MatchState(SAHRAT))).HasField("winner_team")


def test_the_seat_that_starts_has_nineteen_cards_and_sees_no_others() -> None:
    view = write_deal_view(view_of(DEAL, 2), 3)
    assert list(view.hand_counts) == [18, 18, 19, 18]
    assert len(view.hand) == 19
    assert write_deal_view(view_of(DEAL, None), 3).hand == []


def test_a_deal_that_has_ended_is_no_view() -> None:
    ended = DEAL._replace(end=DealEnded("dead", None, False), phase=Phase.OVER)
    with pytest.raises(ValueError, match="result"):
        write_deal_view(view_of(ended, 0), 3)


def test_a_card_drawn_by_another_seat_is_left_empty() -> None:
    event = write_event(SeenDrew(1, None), STANDING)
    assert event.drew.card == ""
    assert read_event(event, SAHRAT, 0) == SeenDrew(1, None)


def test_events_of_the_table_and_of_newer_servers_are_passed_over() -> None:
    assert read_event(events_pb2.Event(table_closed=events_pb2.Event.TableClosed()), SAHRAT, 0) is None
    assert read_event(events_pb2.Event.FromString(bytes.fromhex("9a0600")), SAHRAT, 0) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda meld: meld.ClearField("id"),
        lambda meld: meld.cards.pop(),
        lambda meld: meld.layers.pop(),
        lambda meld: meld.layers.__setitem__(0, 4),
        lambda meld: setattr(meld, "owner", 4),
        lambda meld: meld.cards.__setitem__(1, "KH"),
        lambda meld: meld.cards.__setitem__(1, "KX"),
    ],
)
def test_a_meld_that_cannot_be_on_the_table_is_refused(spoil: Callable[[views_pb2.Meld], None]) -> None:
    message = write_meld(RUN)
    assert read_meld(message, SAHRAT) == RUN
    spoil(message)
    with pytest.raises(MalformedError):
        read_meld(message, SAHRAT)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda view: view.ClearField("phase"),
        lambda view: setattr(view, "phase", 9),
        lambda view: setattr(view, "turn_seat", 4),
        lambda view: view.hand_counts.pop(),
        lambda view: view.opened.append(False),
        lambda view: view.hand.extend(["7H", "7H", "7H"]),
        lambda view: view.pile.append("7"),
    ],
)
def test_a_view_that_makes_no_sense_is_refused(spoil: Callable[[views_pb2.DealView], None]) -> None:
    message = write_deal_view(view_of(DEAL, 2), 3)
    spoil(message)
    with pytest.raises(MalformedError):
        read_deal_view(message, SAHRAT, 2)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda result: result.ClearField("end"),
        lambda result: result.ClearField("finisher"),
        lambda result: setattr(result, "finisher", 4),
        lambda result: setattr(result, "end", results_pb2.DEAL_END_DEAD),
        lambda result: result.team_half_points.pop(),
        lambda result: result.seat_half_points.append(1),
        lambda result: result.hands.pop(),
        lambda result: result.laid_half_points.append(1),
    ],
)
def test_a_result_that_makes_no_sense_is_refused(spoil: Callable[[results_pb2.DealResult], None]) -> None:
    message = write_result(ENDED, STANDING)
    assert read_result(message) == ENDED
    spoil(message)
    with pytest.raises(MalformedError):
        read_result(message)


def test_an_event_of_a_seat_that_the_table_does_not_have_is_refused() -> None:
    with pytest.raises(MalformedError):
        read_event(write_event(SeenDrew(4, None), STANDING), SAHRAT, 0)
