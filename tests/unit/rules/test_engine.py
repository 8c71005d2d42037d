"""`decide` and `evolve`: the events of each action, and who is asked when (R5, R6.1, R9.2)."""

import pytest

from shared.rules.action_text import parse_action
from shared.rules.actions import TIMEOUT, Discard, Draw
from shared.rules.cards import bag_of, parse_card
from shared.rules.engine import apply, decide, evolve
from shared.rules.events import (
    Amended,
    DealEnded,
    Discarded,
    Drew,
    Event,
    Laid,
    Passed,
    Reshuffled,
    TimeRanOut,
    Took,
    Undone,
)
from shared.rules.refusal import Code, RecordError, RefusedError
from shared.rules.state import LAST_TURN, DealState, Phase
from tests.support.records import after, faces, options_of, state_at

SAHRAT, OTHER = options_of(), options_of("banakil202")
NINE = parse_card("9D")


def events_of(state: DealState, text: str) -> list[type[Event]]:
    return [type(event) for event in decide(state, parse_action(text))]


def refused(state: DealState, text: str) -> Code:
    with pytest.raises(RefusedError) as refusal:
        decide(state, parse_action(text))
    return refusal.value.code


def test_each_action_has_its_event() -> None:
    draw = state_at(OTHER, "5H 6H 7H 8H 9D", pile="4D KS", phase="draw")
    assert decide(draw, Draw(0)) == (Drew(0),)
    assert events_of(draw, "0 take 2") == [Took]
    play = after(draw, "0 draw")
    assert events_of(play, "0 meld 5H 6H 7H") == [Laid]
    laid = after(play, "0 meld 5H 6H 7H")
    assert events_of(laid, "0 amend 1: 5H 6H 7H 8H") == [Amended]
    assert decide(laid, Discard(0, NINE)) == (Discarded(0, NINE, False),)


def test_going_out_ends_the_deal_with_the_same_action() -> None:
    state = state_at(SAHRAT, "8H", melds=[(0, "5H 6H 7H")])
    assert events_of(state, "0 amend 1: 5H 6H 7H 8H") == [Amended, DealEnded]
    assert decide(state_at(SAHRAT, "9D"), Discard(0, NINE)) == (Discarded(0, NINE, False), DealEnded("out", 0, True))
    assert events_of(state_at(SAHRAT, "5H 6H 7H"), "0 meld 5H 6H 7H") == [Laid, DealEnded]


def test_after_the_end_nothing_is_taken() -> None:
    over = after(state_at(SAHRAT, "9D"), "0 discard 9D")
    assert over.phase is Phase.OVER
    for text in ("1 draw", "0 draw", "- timeout", "0 undo", "1 discard 9C"):
        assert refused(over, text) is Code.DEAL_OVER


def test_only_the_seat_to_act_is_heard() -> None:
    state = state_at(SAHRAT, "9D", pile="4D", phase="draw")
    for text in ("1 draw", "2 take 1", "3 pass", "1 undo", "1 discard 9C", "1 meld 5H 6H 7H", "2 amend 1: 5H 6H 7H"):
        assert refused(state, text) is Code.NOT_YOUR_TURN


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0 meld 5H 6H 7H", Code.MUST_DRAW_FIRST),
        ("0 amend 1: 5H 6H 7H 8H", Code.MUST_DRAW_FIRST),
        ("0 discard 9D", Code.MUST_DRAW_FIRST),
        ("0 pass", Code.PASS_NOT_ALLOWED),
        ("0 undo", Code.NOTHING_TO_UNDO),
    ],
)
def test_before_the_draw(text: str, code: Code) -> None:
    state = state_at(SAHRAT, "5H 6H 7H 8H 9D", pile="4D", phase="draw")
    assert refused(state, text) is code


@pytest.mark.parametrize("text", ["0 draw", "0 take 1", "0 pass"])
def test_after_the_draw(text: str) -> None:
    assert refused(state_at(SAHRAT, "5H 9D", pile="4D"), text) is Code.ALREADY_DRAWN


def test_once_time_is_up_only_a_discard_is_taken() -> None:
    state = after(state_at(SAHRAT, "5H 6H 7H 8H 9D", melds=[(0, "TH JH QH")]), "- timeout")
    for text in ("0 draw", "0 take 1", "0 pass", "0 meld 5H 6H 7H", "0 amend 1: TH JH QH KH"):
        assert refused(state, text) is Code.TIME_IS_UP
    assert refused(state, "0 undo") in (Code.TIME_IS_UP, Code.NOTHING_TO_UNDO)
    assert events_of(state, "0 discard 9D") == [Discarded]


def test_the_clock_undoes_draws_and_then_throws() -> None:
    draw = state_at(SAHRAT, "5H 6H 9D", pile="4D 7H", phase="draw")
    assert decide(draw, TIMEOUT) == (Drew(0), TimeRanOut(0))
    taken = after(draw, "0 take 1")
    assert decide(taken, TIMEOUT) == (Undone(0), Drew(0), TimeRanOut(0))
    assert decide(after(draw, "0 draw"), TIMEOUT) == (TimeRanOut(0),)
    late = after(draw, "- timeout")
    (thrown,) = decide(late, TIMEOUT)
    assert isinstance(thrown, Discarded)
    assert thrown.by_clock


def test_the_last_card_of_the_pile_is_passed_by_the_clock_too() -> None:
    last = state_at(SAHRAT, "5H 6H 9D", pile="7H", stock="", phase="draw")
    dead = (Passed(0), DealEnded("dead", None, False))
    assert decide(last, parse_action("0 pass")) == dead
    assert decide(last, TIMEOUT) == dead
    assert decide(after(last, "0 take 1"), TIMEOUT) == (Undone(0), *dead)
    assert decide(after(last, "0 take 1", "0 meld 5H 6H 7H"), TIMEOUT) == (TimeRanOut(0),)


def test_nothing_is_asked_of_a_player_while_a_reshuffle_is_due() -> None:
    due = after(state_at(SAHRAT, "5H 9D", pile="4D 7H", stock=""), "0 discard 9D")
    assert due.reshuffle_due
    for action in (Draw(1), TIMEOUT):
        with pytest.raises(ValueError, match="reshuffle"):
            decide(due, action)
    shuffled = evolve(due, Reshuffled(faces("7H 4D")))
    assert (shuffled.stock, shuffled.pile, shuffled.reshuffles_used) == (faces("7H 4D"), faces("9D"), 1)


@pytest.mark.parametrize("stock", ["", "4D", "4D 7H 9D", "4D 7S", "9D 4D"])
def test_a_new_stock_is_the_pile_but_its_top_card(stock: str) -> None:
    due = after(state_at(SAHRAT, "5H 9D", pile="4D 7H", stock=""), "0 discard 9D")
    with pytest.raises(RecordError):
        evolve(due, Reshuffled(faces(stock)))


def test_no_new_stock_comes_before_it_is_due() -> None:
    with pytest.raises(RecordError):
        evolve(state_at(SAHRAT, "5H 9D", pile="4D 7H", phase="draw"), Reshuffled(faces("4D")))


def test_the_400th_turn_is_the_last_unless_somebody_goes_out_in_it() -> None:
    state = state_at(SAHRAT, "5H 9D", pile="4D")._replace(turn_no=LAST_TURN)
    assert decide(state, Discard(0, NINE))[1:] == (DealEnded("dead", None, False),)
    assert decide(state._replace(hands=(bag_of([NINE]), *state.hands[1:])), Discard(0, NINE))[1:] == (
        DealEnded("out", 0, True),
    )
    assert len(decide(state._replace(turn_no=LAST_TURN - 1), Discard(0, NINE))) == 1


def test_several_duties_are_met_one_by_one() -> None:
    state = state_at(SAHRAT, "6H TD JD KC KS", pile="4D 8H", melds=[(0, "5H JK 7H"), (0, "AS AH AD")], phase="draw")
    both = after(state, "0 take 1", "0 amend 1: 5H 6H 7H")
    assert both.duties == bag_of(faces("8H JK"))
    one = after(both, "0 amend 1: 5H 6H 7H 8H")
    assert one.duties == bag_of(faces("JK"))
    assert refused(one, "0 discard KC") is Code.DUTY_UNMET
    assert after(one, "0 undo") == state
    none = after(one, "0 meld TD JD JK")
    assert not none.duties
    assert none.fallback is None
    assert after(none, "0 discard KC").pile == faces("4D KC")


def test_an_undo_goes_back_no_further_than_the_last_moment_without_a_duty() -> None:
    state = state_at(SAHRAT, "6H TD JD KC KS", pile="4D 8H", melds=[(0, "5H JK 7H"), (2, "5H 6H 7H")], phase="draw")
    met = after(state, "0 take 1", "0 amend 2: 5H 6H 7H 8H")
    owing = after(met, "0 amend 1: 5H 6H 7H")
    assert after(owing, "0 undo") == met
    assert refused(met, "0 undo") is Code.NOTHING_TO_UNDO
    assert apply(owing, TIMEOUT)[1] == met._replace(time_up=True)
