"""What a table refuses, and that a refusal leaves it as it was."""

import random

import pytest

from services.table.commands import (
    ClosedSet,
    Commitment,
    Create,
    Deal,
    NewStock,
    Play,
    Presence,
    Reveal,
    TakeVacancy,
)
from services.table.decide import decide
from services.table.due import NeedsClosedSet, NeedsCommitment, NeedsDeck, what_is_due
from services.table.events import AwayChanged
from services.table.evolve import ceremony_of
from services.table.moment import Now
from services.table.refusals import NothingToDoError, NotSeatedError, StaleTurnError, TableClosedError
from services.table.state import Stage
from services.table.stepping import make_step
from shared.rules.actions import Discard, Draw
from shared.rules.cards import FULL_DECK, bag_faces
from shared.rules.options import make_options
from shared.rules.refusal import Code, RecordError, RefusedError
from tests.support.local_shuffle import NOW_MS
from tests.support.play import Temper
from tests.support.tables import PureTable, creation, seated


def playing() -> PureTable:
    table = PureTable()
    table.settle()
    return table


def discard(table: PureTable, seat: int = 0) -> Discard:
    return Discard(seat, bag_faces(table.deal.hands[seat])[0])


def test_only_who_has_a_seat_plays() -> None:
    table = playing()
    for account in ("eve", "", "Ada"):
        with pytest.raises(NotSeatedError):
            table.apply(Play(account, 1, 1, discard(table)))


def test_the_seat_is_the_accounts_whatever_seat_the_action_names() -> None:
    table = playing()
    with pytest.raises(RefusedError) as refused:
        table.apply(Play("bayan", 1, 1, discard(table)))
    assert refused.value.code is Code.NOT_YOUR_TURN
    table.apply(Play("ada", 1, 1, discard(table)._replace(seat=3)))
    assert table.deal.turn == 1


@pytest.mark.parametrize(("deal_no", "turn_no"), [(0, 1), (2, 1), (1, 0), (1, 2), (2**31, 2**31)])
def test_a_move_for_another_turn_or_deal_is_stale(deal_no: int, turn_no: int) -> None:
    table = playing()
    with pytest.raises(StaleTurnError):
        table.apply(Play("ada", deal_no, turn_no, discard(table)))


def test_a_move_for_a_turn_that_has_passed_is_stale_though_it_would_be_legal_now() -> None:
    table = playing()
    for seat in range(4):
        if seat:
            table.act(Draw(seat))
        table.act(discard(table, seat))
    assert table.deal.turn == 0
    with pytest.raises(StaleTurnError):
        table.apply(Play("ada", 1, 1, Draw(0)))
    table.apply(Play("ada", 1, 5, Draw(0)))


def test_before_the_cards_are_dealt_every_move_is_stale() -> None:
    for table in (PureTable(), PureTable(seats=seated("ada", "", "cem", "dana"))):
        for moment in ((0, 0), (1, 1)):
            with pytest.raises(StaleTurnError):
                table.apply(Play("ada", *moment, Draw(0)))


def test_after_the_end_of_a_deal_its_moves_are_too_late_and_all_others_stale(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.play(rng)
    assert table.state.stage is Stage.RESULT
    with pytest.raises(RefusedError) as refused:
        table.apply(Play("ada", 1, table.deal.turn_no, Draw(0)))
    assert refused.value.code is Code.DEAL_OVER
    with pytest.raises(StaleTurnError):
        table.apply(Play("ada", 2, 1, Draw(0)))


def test_a_closed_table_says_so_to_who_sits_there_only(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 50}))
    table.play_on(rng)
    with pytest.raises(TableClosedError):
        table.apply(Play("ada", 1, 1, Draw(0)))
    with pytest.raises(NotSeatedError):
        table.apply(Play("eve", 1, 1, Draw(0)))


def test_mischief_of_every_kind_changes_nothing(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.play(rng, Temper(mischief=0.9), most=600)
    revisions = [step.revision for step in table.steps]
    assert revisions == list(range(1, len(revisions) + 1))


def test_an_answer_for_another_deal_is_overtaken() -> None:
    table = PureTable()
    ctx = ceremony_of(table.state).context
    other = ceremony_of(PureTable(make_options({"preset": "banakil202"})).state).context
    for kind in (NeedsCommitment, NeedsClosedSet, NeedsDeck):
        due = what_is_due(table.state, table.gathered())
        assert isinstance(due, kind)
        assert due.context == ctx
        answer = table.shuffle.answer(table.state, due)
        assert isinstance(answer, Commitment | ClosedSet | Deal)
        with pytest.raises(NothingToDoError):
            table.apply(answer._replace(context=other))
        table.apply(answer)
        with pytest.raises(NothingToDoError):
            table.apply(answer)
    with pytest.raises(NothingToDoError):
        table.apply(NewStock(ctx, 1, b""))
    with pytest.raises(NothingToDoError):
        table.apply(Reveal(ctx.match, 1, "{}"))


def test_a_deck_that_is_none_is_refused_before_it_is_dealt() -> None:
    table = PureTable()
    table.withheld = (NeedsDeck,)
    table.settle()
    for deck in (b"", FULL_DECK[:-1], FULL_DECK[:-1] + FULL_DECK[:1]):
        command = Deal(ceremony_of(table.state).context, deck)
        events = decide(table.state, command, Now(NOW_MS))
        with pytest.raises(RecordError):
            make_step(table.state, events, command)


def test_a_deal_whose_starter_nobody_drew_cannot_begin() -> None:
    table = PureTable()
    table.withheld = (NeedsClosedSet,)
    table.settle()
    closed = table.shuffle.answer(table.state, NeedsClosedSet(ceremony_of(table.state).context, (b"",) * 4))
    assert isinstance(closed, ClosedSet)
    assert closed.transcript is not None
    table.apply(closed._replace(transcript=closed.transcript._replace(starter=None)))
    with pytest.raises(ValueError, match="nobody has drawn"):
        table.apply(Deal(closed.context, FULL_DECK))


def test_presence_is_noted_where_it_changes() -> None:
    table = PureTable()
    assert table.apply(Presence("bayan", away=False)) == (AwayChanged(1, False, 0),)
    with pytest.raises(NothingToDoError):
        table.apply(Presence("bayan", away=False))
    assert table.apply(Presence("bayan", away=True)) == (AwayChanged(1, True, NOW_MS + 60_000),)


def test_presence_and_a_vacancy_make_no_move_stale() -> None:
    table = playing()
    table.apply(Presence("ada", away=False))
    table.act(discard(table))


def test_a_table_is_not_made_twice() -> None:
    table = PureTable()
    create: Create = creation()
    with pytest.raises(ValueError, match="made by create"):
        table.apply(create)
    with pytest.raises(Exception, match="no such vacancy"):
        table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
