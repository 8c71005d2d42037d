import random

import pytest
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1 import views_pb2
from banakil.table.v1.events_pb2 import Delta, Event, Heartbeat

from services.bots.sight import LostSightError, Sight
from shared.codec.cards import write_hand
from shared.codec.events import write_event
from shared.codec.options import write_options
from shared.codec.results import Standing
from shared.codec.views import write_deal_view
from shared.rules.evolve import evolve
from shared.rules.match import MatchState
from shared.rules.options import Options, make_options, preset_options
from shared.rules.state import DealState
from shared.rules.views import seen_event, view_of
from tests.support.play import Step, play, random_start
from tests.support.positions import random_options

SEAT = 1
HOUSE_BOT, PERSON = views_pb2.OCCUPANT_HOUSE_BOT, views_pb2.OCCUPANT_PERSON


def seat_view(occupant: views_pb2.Occupant.ValueType, seat: int = SEAT) -> views_pb2.SeatView:
    return views_pb2.SeatView(seat=seat, display_name="Hana", occupant=occupant)


def snapshot(options: Options, state: DealState | None, revision: int = 1) -> wire.WatchResponse:
    view = views_pb2.View(
        revision=revision,
        stage=views_pb2.STAGE_DEAL,
        options=write_options(options),
        viewer_seat=SEAT,
        seats=[seat_view(HOUSE_BOT, seat) for seat in range(options.seats)],
    )
    if state is not None:
        view.deal.CopyFrom(write_deal_view(view_of(state, SEAT), 1))
    return wire.WatchResponse(snapshot=view)


def delta(step: Step, revision: int, options: Options) -> wire.WatchResponse:
    standing = Standing("00" * 16, "00" * 16, 1, 1, MatchState(options), (0, 0))
    state, events = step.before, []
    for event in step.events:
        after = evolve(state, event)
        events.append(write_event(seen_event(event, state, after, SEAT), standing))
        state = after
    return wire.WatchResponse(
        delta=Delta(revision=revision, turn_no=state.turn_no, duties=write_hand(state.duties), events=events)
    )


def news(revision: int, *events: Event, turn_no: int = 0) -> wire.WatchResponse:
    return wire.WatchResponse(delta=Delta(revision=revision, turn_no=turn_no, events=events))


@pytest.fixture
def start(rng: random.Random) -> DealState:
    return random_start(rng, preset_options("sahrat"))[0]


@pytest.fixture
def sight(start: DealState) -> Sight:
    sight = Sight()
    sight.take_in(snapshot(start.options, start))
    return sight


def test_what_is_followed_is_what_a_snapshot_would_say(rng: random.Random) -> None:
    for _ in range(8):
        options = random_options(rng)
        state, _ = random_start(rng, options)
        sight = Sight()
        sight.take_in(snapshot(options, state))
        for revision, step in enumerate((step for step in play(rng, state, most_steps=400) if not step.refused), 2):
            sight.take_in(delta(step, revision, options))
            assert sight.deal == view_of(step.after, SEAT)
            waits = step.after.end is not None or step.after.reshuffle_due
            assert (sight.to_act is not None) == (step.after.turn == SEAT and not waits)


def test_an_update_that_was_missed_is_noticed(sight: Sight) -> None:
    with pytest.raises(LostSightError, match="missed"):
        sight.take_in(news(3))
    with pytest.raises(LostSightError, match="missed"):
        sight.take_in(wire.WatchResponse(heartbeat=Heartbeat(head_revision=2)))
    assert sight.revision == 1


def test_an_update_that_comes_again_changes_nothing(sight: Sight) -> None:
    before = sight.deal
    sight.take_in(news(1, Event(drew=Event.Drew(seat=SEAT, card="7H"))))
    sight.take_in(wire.WatchResponse(heartbeat=Heartbeat(head_revision=1)))
    assert (sight.deal, sight.revision) == (before, 1)


@pytest.mark.parametrize(
    "event",
    [
        Event(drew=Event.Drew(seat=SEAT, card="no card")),
        Event(drew=Event.Drew(seat=7, card="7H")),
        Event(amended=Event.Amended(seat=SEAT, meld=views_pb2.Meld(id=9, cards=["4H", "5H", "6H"], layers=[1, 1, 1]))),
        Event(discarded=Event.Discarded(seat=0, card="7H")),
    ],
)
def test_what_cannot_follow_is_noticed(sight: Sight, event: Event) -> None:
    with pytest.raises(LostSightError):
        sight.take_in(news(2, event, turn_no=99))


def test_the_seat_is_not_ours_once_its_person_is_back(sight: Sight) -> None:
    ours = []
    for revision, seat in ((2, 0), (3, SEAT)):
        sight.take_in(news(revision, Event(seat_changed=Event.SeatChanged(seat=seat_view(PERSON, seat))), turn_no=1))
        ours.append(sight.ours)
    assert ours == [True, False]
    assert sight.to_act is None


def test_no_seat_at_a_coin_table_is_ours_to_play(start: DealState) -> None:
    sight = Sight()
    sight.take_in(snapshot(make_options({"preset": "sahrat", "stake": 100}), None))
    assert not sight.ours
    sight.take_in(snapshot(start.options, start))
    assert sight.ours


def test_a_table_that_closes_is_seen_to_be_closed(sight: Sight) -> None:
    sight.take_in(news(2, Event(match_started=Event.MatchStarted())))
    assert sight.deal is None
    sight.take_in(news(3, Event(table_closed=Event.TableClosed())))
    assert sight.closed


def test_the_next_deal_replaces_the_last(sight: Sight, start: DealState) -> None:
    deal = write_deal_view(view_of(start, SEAT), 2)
    sight.take_in(news(2, Event(deal_started=Event.DealStarted(deal=deal)), turn_no=1))
    assert (sight.deal, sight.deal_no) == (view_of(start, SEAT), 2)


def test_nothing_is_seen_before_the_first_snapshot() -> None:
    with pytest.raises(LostSightError, match="before any view"):
        Sight().take_in(news(1, Event(drew=Event.Drew(seat=SEAT))))
    with pytest.raises(LostSightError, match="no seat"):
        Sight().take_in(wire.WatchResponse(snapshot=views_pb2.View(options=write_options(preset_options("sahrat")))))


def test_how_much_time_is_left_is_kept(sight: Sight, start: DealState) -> None:
    update = snapshot(start.options, start)
    update.remaining_ms = 700
    sight.take_in(update)
    assert sight.remaining_ms == 700


def test_a_table_is_deserted_while_all_its_players_are_gone_and_never_where_it_has_none(start: DealState) -> None:
    sight, deserted = Sight(), []
    update = snapshot(start.options, start)
    people = [views_pb2.SeatView(seat=seat, account_id=f"p{seat}", away=seat > 0) for seat in (0, 2)]

    def see(update: wire.WatchResponse) -> None:
        sight.take_in(update)
        deserted.append(sight.is_deserted)

    see(update)  # bots of the house among themselves, for whoever looks on
    for person in people:
        update.snapshot.seats[person.seat].CopyFrom(person)
    see(update)
    people[0].away, people[1].away = True, False
    for number, person in enumerate(people):
        see(news(2 + number, Event(seat_changed=Event.SeatChanged(seat=person)), turn_no=start.turn_no))
    assert deserted == [False, False, True, False]
