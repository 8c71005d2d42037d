"""Actions and cards on the wire: what goes out comes back, and what is none is refused by code."""

import pytest
from banakil.table.v1 import actions_pb2 as wire
from hypothesis import given
from hypothesis import strategies as st

from shared.codec.actions import MAX_MELDS, read_action, write_action
from shared.codec.cards import read_card, read_cards, write_card, write_cards
from shared.codec.errors import MalformedError
from shared.rules.actions import TIMEOUT, Action, Amend, Discard, Draw, Lay, Pass, Take, Timeout, Undo
from shared.rules.cards import FACES

seats = st.integers(0, 3)
faces = st.integers(0, FACES - 1)
layouts = st.lists(faces, max_size=20).map(bytes)
numbers = st.integers(0, 2**31 - 1)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Draw, seats),
    st.builds(Take, seats, numbers),
    st.builds(Pass, seats),
    st.builds(Lay, seats, st.lists(layouts, min_size=1, max_size=MAX_MELDS).map(tuple)),
    st.builds(Amend, seats, numbers, layouts),
    st.builds(Undo, seats),
    st.builds(Discard, seats, faces),
)


def refused(message: wire.Action) -> str:
    with pytest.raises(MalformedError) as refusal:
        read_action(message, 0)
    return refusal.value.code


@given(action=actions)
def test_an_action_comes_back_as_it_was_sent(action: Action) -> None:
    sent = write_action(action).SerializeToString()
    assert not isinstance(action, Timeout)
    assert read_action(wire.Action.FromString(sent), action.seat) == action


@given(cards=st.lists(faces, max_size=106).map(bytes))
def test_cards_come_back_as_they_were_sent(cards: bytes) -> None:
    assert read_cards(write_cards(cards).cards) == cards


def test_every_face_has_a_code_of_two_letters() -> None:
    assert [read_card(write_card(face)) for face in range(FACES)] == list(range(FACES))
    assert {len(write_card(face)) for face in range(FACES)} == {2}


@pytest.mark.parametrize("code", ["", "7", "7h", "10H", "1S", "JKR", "jk", " 7H", "7H ", "٧H", "7H 8H", "\x00\x00"])
def test_what_is_no_card_code_is_refused(code: str) -> None:
    assert refused(wire.Action(discard=wire.Action.Discard(card=code))) == "BAD_ACTION"
    assert refused(wire.Action(amend=wire.Action.Amend(meld_id=1, cards=["5H", code]))) == "BAD_ACTION"
    assert refused(wire.Action(meld=wire.Action.Lay(melds=[wire.Cards(cards=[code])]))) == "BAD_ACTION"


def test_no_action_no_meld_and_more_of_anything_than_there_is_are_refused() -> None:
    assert refused(wire.Action()) == "BAD_ACTION"
    assert refused(wire.Action(meld=wire.Action.Lay())) == "BAD_ACTION"
    assert refused(wire.Action(meld=wire.Action.Lay(melds=[wire.Cards()] * (MAX_MELDS + 1)))) == "BAD_ACTION"
    assert refused(wire.Action(amend=wire.Action.Amend(meld_id=1, cards=["5H"] * 107))) == "BAD_ACTION"
    assert refused(wire.Action(take=wire.Action.Take(count=2**31))) == "BAD_ACTION"


def test_an_action_that_a_newer_client_knows_is_refused() -> None:
    field_99 = bytes.fromhex("9a0600")
    assert refused(wire.Action.FromString(field_99)) == "BAD_ACTION"


def test_the_clocks_action_never_travels() -> None:
    with pytest.raises(ValueError, match="clock"):
        write_action(TIMEOUT)
