"""``banakil legal``: what the seat to act may do at the end of records."""

from shared.cli.answers import Answer, answer_at_end, print_answers
from shared.cli.arguments import Files, PatienceSeconds
from shared.cli.patience import BEFORE_ANSWER_SECONDS, Patience
from shared.rules.cards import codes
from shared.rules.legal import legal_actions
from shared.rules.state import DealState, Phase


def legal_command(files: Files, patience: PatienceSeconds = BEFORE_ANSWER_SECONDS) -> None:
    """Print what the seat to act may do at the end of each record's last deal, one JSON object a line."""
    print_answers(files, legal_answer, patience)


def legal_answer(value: object, patience: Patience) -> Answer:
    """The answer about one record's JSON value. Raises ``RecordError`` or ``ReplayError``."""
    return answer_at_end(value, patience, legal_json)


def legal_json(state: DealState) -> Answer:
    """Every legal action as JSON; after the end of a deal, none of nobody."""
    legal = legal_actions(state)
    return {
        "turn": None if state.phase is Phase.OVER else state.turn,
        "phase": state.phase.value,
        "draw": legal.draw,
        "take": list(legal.take),
        "pass": legal.passing,
        "undo": legal.undo,
        "melds": [codes(cards) for cards in legal.melds],
        "amends": [{"id": number, "cards": codes(cards)} for number, cards in legal.amends],
        "discards": codes(legal.discards),
    }
