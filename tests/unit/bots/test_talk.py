"""What house bots say: seldom, at fitting moments, one at a time."""

import pytest
from banakil.table.v1 import events_pb2, results_pb2, views_pb2
from banakil.table.v1 import table_pb2 as wire

from services.bots.sight import Sight
from services.bots.talk import MOST_IN_DEAL, Moment, Remark, Talk
from shared.codec.options import write_options
from shared.codec.phrases import PHRASES
from shared.rules.options import SAHRAT

Event, Delta = events_pb2.Event, events_pb2.Delta
TABLES = [f"table {number}" for number in range(40)]
GOOD = ("7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS")


def seen(seat: int, *, away: bool = False, persons: int = 1) -> Sight:
    """What a house bot sees at a table whose first seats are persons'."""
    seats = [
        views_pb2.SeatView(seat=number, account_id=f"p{number}", occupant=views_pb2.OCCUPANT_PERSON, away=away)
        if number < persons
        else views_pb2.SeatView(seat=number, occupant=views_pb2.OCCUPANT_HOUSE_BOT)
        for number in range(SAHRAT.seats)
    ]
    view = views_pb2.View(revision=1, options=write_options(SAHRAT), viewer_seat=seat, seats=seats)
    sight = Sight()
    sight.take_in(wire.WatchResponse(snapshot=view))
    return sight


def deal(number: int) -> events_pb2.Event:
    return Event(deal_started=Event.DealStarted(deal=views_pb2.DealView(deal_no=number)))


def laid(seat: int, *cards: str) -> events_pb2.Event:
    return Event(laid=Event.Laid(seat=seat, melds=[views_pb2.Meld(id=1, owner=seat, cards=cards)]))


def out(seat: int | None) -> events_pb2.Event:
    return Event(deal_ended=Event.DealEnded(result=results_pb2.DealResult(finisher=seat)))


def won(team: int) -> events_pb2.Event:
    return Event(match_ended=Event.MatchEnded(match=results_pb2.MatchState(winner_team=team)))


def said(*events: events_pb2.Event, often: float = 1.0) -> dict[int, list[Remark]]:
    """By seat, what is said at many tables."""
    remarks: dict[int, list[Remark]] = {seat: [] for seat in (1, 2, 3)}
    for table_id in TABLES:
        delta = Delta(revision=9, events=events)
        heard = {seat: Talk(table_id, often).hear(seen(seat), delta) for seat in remarks}
        spoken = {seat: remark for seat, remark in heard.items() if remark is not None}
        assert len(spoken) <= 1
        for seat, remark in spoken.items():
            remarks[seat].append(remark)
    return remarks


def phrases(*remarks: list[Remark]) -> set[str]:
    return {remark.phrase_id for some in remarks for remark in some}


def test_every_phrase_is_of_the_list() -> None:
    for moment in Moment:
        assert {phrase for side in moment.value for phrase in side} <= PHRASES.keys()


def test_a_match_begins_with_one_greeting() -> None:
    remarks = said(deal(1))
    assert sum(map(len, remarks.values())) == len(TABLES)
    assert phrases(*remarks.values()) == {"hello", "good_luck"}
    assert all(remarks.values())
    assert not any(said(deal(2)).values())


def test_a_good_meld_is_remarked_upon_by_others_than_who_laid_it() -> None:
    remarks = said(laid(2, *GOOD))
    assert not remarks[2]
    assert phrases(*remarks.values()) <= set(Moment.LAID.value[1])
    assert not any(said(laid(2, "4S", "5S", "6S")).values())
    assert phrases(said(laid(0, *GOOD))[2]) <= set(Moment.LAID.value[0])


def test_who_goes_out_and_who_wins_is_told_so() -> None:
    remarks = said(out(0))
    assert phrases(remarks[2]) <= set(Moment.OUT.value[0])
    assert phrases(remarks[1], remarks[3]) <= set(Moment.OUT.value[1])
    remarks = said(out(0), won(1))
    assert phrases(remarks[1], remarks[3]) <= set(Moment.WON.value[0])
    assert phrases(remarks[2]) <= set(Moment.WON.value[1])
    assert phrases(*said(out(None)).values()) == set(Moment.DEAD.value[0])


def test_the_less_talkative_are_often_silent() -> None:
    assert 5 < sum(map(len, said(deal(1), often=0.5).values())) < 35
    assert not any(said(deal(1), often=0.0).values())


def test_in_a_deal_one_says_no_more_than_so_much() -> None:
    talk, sight = Talk("table", 1.0), seen(1)
    sight.house_seats -= {2, 3}
    heard = [talk.hear(sight, Delta(revision=number, events=[laid(0, *GOOD)])) for number in range(2, 9)]
    assert sum(remark is not None for remark in heard) == MOST_IN_DEAL
    assert talk.hear(sight, Delta(revision=9, events=[deal(1)])) is not None


@pytest.mark.parametrize(("away", "persons"), [(True, 1), (False, 0)])
def test_where_nobody_hears_it_nothing_is_said(away: bool, persons: int) -> None:
    for table_id in TABLES:
        for seat in (1, 2, 3):
            sight = seen(seat, away=away, persons=persons)
            assert Talk(table_id, 1.0).hear(sight, Delta(revision=9, events=[deal(1)])) is None
