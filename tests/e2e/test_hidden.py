"""What nobody may see is not in the bytes: of a Watch, an onlooker's view, a hint, an error, or a log line."""

from shared.codec.cards import read_hand
from shared.rules.cards import bag_of
from shared.rules.state import DealState
from tests.support.card_scan import cards_listed, codes_in, codes_sent, tokens_in
from tests.support.following import Client
from tests.support.noted_deal import NotedDeal
from tests.support.revealed import course, followed, known
from tests.support.up import Up


def at_revision(deal: NotedDeal, states: list[DealState]) -> dict[int, list[DealState]]:
    """The states before and after each revision of the table."""
    found: dict[int, list[DealState]] = {}
    for update, between in followed(deal.seats[0].client.updates, states):
        found[update.delta.revision or update.snapshot.revision] = between
    return found


def test_no_seats_watch_ever_holds_a_card_of_another_before_it_is_public(deal: NotedDeal) -> None:
    states = course(deal.record)
    for seat in deal.seats:
        hidden = 0
        for update, between in followed(seat.client.updates, states):
            allowed = known(between, seat.number)
            assert codes_sent(update) <= allowed, update
            hidden += len(set().union(*(known(between, other) for other in range(4))) - allowed)
        assert hidden > 300, "there was little to hide"


def test_a_seat_follows_its_own_hand_card_by_card(deal: NotedDeal) -> None:
    states = course(deal.record)
    for seat in deal.seats:
        client = Client()
        for update, between in followed(seat.client.updates, states):
            client.take(update.SerializeToString())
            state = between[-1]
            if client.view.HasField("deal"):
                assert read_hand(client.view.deal.hand) == state.hands[seat.number], update
                assert list(client.view.deal.hand_counts) == [hand.bit_count() for hand in state.hands]


def test_scenario_12_onlookers_and_hints_show_no_hand_that_is_not_ones_own(deal: NotedDeal) -> None:
    at = at_revision(deal, course(deal.record))
    assert deal.frames
    for frame in deal.frames:
        assert not frame.view.deal.hand
        assert not frame.view.HasField("viewer_seat")
        assert codes_sent(frame) <= known(at[frame.view.revision], None)
    assert deal.hints
    for seat, hints in deal.hints:
        assert codes_sent(hints) <= known(at[hints.revision], seat)


def test_scenario_12_an_error_names_no_card_that_its_reader_did_not_know(deal: NotedDeal) -> None:
    at = at_revision(deal, course(deal.record))
    for tried in deal.tried:
        own = codes_sent(tried.request) | known(at[tried.revision], tried.seat)
        assert codes_in(tried.answer.sent) <= own


def test_scenario_13_a_drawn_card_is_shown_to_its_seat_alone(deal: NotedDeal) -> None:
    states = course(deal.record)
    for seat in deal.seats:
        draws = 0
        for update, (before, *_) in followed(seat.client.updates, states):
            for event in update.delta.events:
                if event.WhichOneof("event") == "drew":
                    draws += 1
                    shown = read_hand([event.drew.card]) if event.drew.card else 0
                    assert shown == (bag_of(before.stock[:1]) if event.drew.seat == seat.number else 0)
        assert draws


async def test_scenario_12_the_log_at_its_most_talkative_holds_no_card_secret_or_token(
    calm: Up, deals: dict[str, NotedDeal]
) -> None:
    log = calm.log_path.read_bytes()
    assert calm.log("step.applied")
    assert codes_in(log) == set()
    assert cards_listed(log) == []
    assert tokens_in(log) == []
    for deal in deals.values():
        for guest in deal.guests:
            assert guest.secret.encode() not in log
        assert deal.record["deals"][0]["fair"]["secret"].encode() not in log
