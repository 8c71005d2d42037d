"""What a seat, its partner, the others and the public see of a deal (R5.9, R10.4)."""

import pytest

from shared.rules.action_text import parse_action
from shared.rules.cards import bag_of
from shared.rules.engine import apply
from shared.rules.events import Discarded, Laid, Reshuffled, TimeRanOut
from shared.rules.evolve import evolve
from shared.rules.scoring import score_deal
from shared.rules.state import DealState
from shared.rules.views import (
    UNKNOWN_CARD,
    SeenDealEnded,
    SeenDrew,
    SeenEvent,
    SeenReshuffled,
    SeenTook,
    SeenUndone,
    Viewer,
    seat_state,
    seen_event,
    view_of,
)
from tests.support.records import after, faces, options_of, state_at

SAHRAT = options_of()
EVERYBODY: tuple[Viewer, ...] = (0, 1, 2, 3, None)
START = state_at(
    SAHRAT, "5H 6H 9D", pile="4D 7H", stock="KS 8C", others=("QD QC", "JK", "2S"), melds=[(1, "TS JS QS")], phase="draw"
)  # fmt: skip


def seen(state: DealState, text: str, viewer: Viewer) -> list[SeenEvent]:
    found: list[SeenEvent] = []
    for event in apply(state, parse_action(text))[0]:
        following = evolve(state, event)
        found.append(seen_event(event, state, following, viewer))
        state = following
    return found


def test_a_view_has_ones_own_hand_and_how_many_cards_the_others_hold() -> None:
    for viewer in range(4):
        view = view_of(START, viewer)
        assert view.hand == START.hands[viewer]
        assert view.hand_sizes == (3, 2, 1, 1)
        assert view.stock_size == 2
        assert view.hands is None
    assert view_of(START, None).hand is None


def test_the_pile_and_the_melds_lie_open() -> None:
    for viewer in EVERYBODY:
        assert view_of(START, viewer).pile == faces("4D 7H")
        assert view_of(START, viewer).melds == START.melds


def test_only_who_draws_sees_the_card() -> None:
    king = faces("KS")[0]
    assert seen(START, "0 draw", 0) == [SeenDrew(0, king)]
    for viewer in EVERYBODY[1:]:
        assert seen(START, "0 draw", viewer) == [SeenDrew(0, None)]
        assert seen(START, "- timeout", viewer) == [SeenDrew(0, None), TimeRanOut(0)]


def test_all_see_what_is_taken_laid_and_thrown() -> None:
    taken = after(START, "0 take 1")
    for viewer in EVERYBODY:
        assert seen(START, "0 take 1", viewer) == [SeenTook(0, faces("7H"))]
        assert view_of(taken, viewer).duties == bag_of(faces("7H"))
        assert view_of(taken, viewer).undo_possible
        (laid,) = seen(taken, "0 meld 5H 6H 7H", viewer)
        assert isinstance(laid, Laid)
        (thrown, _) = seen(after(taken, "0 meld 5H 6H 7H"), "0 discard 9D", viewer)
        assert thrown == Discarded(0, faces("9D")[0], False)


def test_an_undo_brings_the_viewers_own_view_of_before() -> None:
    for viewer in EVERYBODY:
        assert seen(after(START, "0 take 1"), "0 undo", viewer) == [SeenUndone(0, view_of(START, viewer))]


def test_of_a_new_stock_only_the_size_is_seen() -> None:
    due = after(state_at(SAHRAT, "5H 9D", pile="4D 7H", stock=""), "0 discard 9D")
    event = Reshuffled(faces("7H 4D"))
    for viewer in EVERYBODY:
        assert seen_event(event, due, evolve(due, event), viewer) == SeenReshuffled(2)


def test_at_the_end_every_hand_is_shown() -> None:
    last = state_at(SAHRAT, "9D", others=("QD QC", "JK", "2S"))
    over = after(last, "0 discard 9D")
    assert over.end is not None
    for viewer in EVERYBODY:
        assert view_of(over, viewer).hands == over.hands
        assert seen(last, "0 discard 9D", viewer)[-1] == SeenDealEnded(over.end, over.hands, score_deal(over))


def test_a_seat_works_from_what_it_sees() -> None:
    taken = after(START, "0 take 1")
    state = seat_state(view_of(taken, 0))
    assert state.hands == (taken.hands[0], 0, 0, 0)
    assert set(state.stock) == {UNKNOWN_CARD}
    assert len(state.stock) == 2
    assert state.fallback is not None
    assert seat_state(view_of(START, 0)).fallback is None


def test_the_public_has_no_hand_to_work_from() -> None:
    with pytest.raises(ValueError, match="public"):
        seat_state(view_of(START, None))
