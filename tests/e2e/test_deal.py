"""A deal over the wire in which much is sent that should do nothing: it is played as if none of that had come."""

import json

from banakil.table.v1 import table_pb2

from shared.cli.patience import Patience
from shared.cli.verify import verify_file
from shared.cli.verify_report import Evidence
from shared.codec.actions import read_action
from shared.fairness.checks import Outcome
from shared.fairness.signing_keys import KeyBook
from shared.rules.action_text import action_text
from tests.support.calls import Refusal
from tests.support.noted_deal import NotedDeal, verb_of
from tests.support.revealed import course, followed

ALWAYS_TRIED = {"NOT_YOUR_TURN", "CARD_NOT_IN_HAND", "MELD_TOO_SHORT", "RUN_SUITS_DIFFER", "RUN_NOT_CONSECUTIVE"}
"""What is tried in every deal, whatever the cards are."""
CARDS = 106


def test_a_move_against_the_rules_is_refused_with_their_code(deal: NotedDeal) -> None:
    for tried in deal.tried:
        assert isinstance(tried.answer, Refusal), tried
        assert tried.answer.code == tried.expected, tried
    assert {tried.expected for tried in deal.tried} >= ALWAYS_TRIED


def test_the_record_holds_each_accepted_move_once_and_nothing_else(deal: NotedDeal) -> None:
    accepted = [action_text(read_action(request.action, seat.number)) for seat, request, _ in deal.played]
    assert deal.record["deals"][0]["actions"] == accepted


def test_the_record_verifies_by_itself_and_no_signature_in_it_is_wrong(deal: NotedDeal) -> None:
    report = verify_file(json.dumps(deal.record).encode(), Evidence(KeyBook()), Patience(0))
    assert report.verdict() is None
    held = {check.name for check in report.deals[0].checks if check.outcome is Outcome.HOLDS}
    assert held >= {"commitment", "client_commitments", "transcript", "starter", "deck", "draws", "reshuffles"}


def test_each_accepted_move_made_one_revision(deal: NotedDeal) -> None:
    made = [answer.revision for _, _, answer in deal.played]
    assert made == sorted(set(made))


def test_a_command_sent_twice_at_once_has_one_answer(deal: NotedDeal) -> None:
    for sent in deal.doubles:
        first, second = sent.answers
        assert isinstance(first, table_pb2.ActResponse), sent
        assert first == second


def test_every_kind_of_command_was_sent_twice(deals: dict[str, NotedDeal]) -> None:
    verbs = deals["sahrat"].verbs_doubled() + deals["banakil202"].verbs_doubled()
    assert set(verbs) >= {"draw", "take", "meld", "amend", "discard"}
    assert verbs["undo"] or not any(verb_of(request) == "take" for _, request, _ in deals["sahrat"].played)


def test_a_command_sent_again_long_after_has_its_first_answer(deal: NotedDeal) -> None:
    assert deal.resends
    for sent in deal.resends:
        first, again = sent.answers
        assert first == again


def test_an_id_that_was_used_is_refused_to_another_command(deal: NotedDeal) -> None:
    assert {answer.code for answer in deal.reused} == {"DUPLICATE_COMMAND_BODY"}


def test_scenario_4_a_double_click_draws_melds_and_throws_once_and_106_cards_remain(deal: NotedDeal) -> None:
    assert deal.clicks
    for sent in deal.clicks:
        refused = [answer.code for answer in sent.answers if isinstance(answer, Refusal)]
        assert len(refused) == len(sent.answers) - 1
        assert refused[0] in {"ALREADY_DRAWN", "STALE_TURN", "DEAL_OVER"}
    states = course(deal.record)
    for seat in deal.seats:
        for _, between in followed(seat.client.updates, states):
            for state in between:
                laid = sum(len(meld.cards) for meld in state.melds)
                held = sum(hand.bit_count() for hand in state.hands)
                assert held + len(state.stock) + len(state.pile) + laid == CARDS
