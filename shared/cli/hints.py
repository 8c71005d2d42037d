"""``banakil hints``: the hints (R12) of the seat to act at the end of records."""

from shared.cli.answers import Answer, answer_at_end, print_answers
from shared.cli.arguments import Files, PatienceSeconds
from shared.cli.patience import BEFORE_ANSWER_SECONDS, Patience
from shared.rules.hints import hints_for, hints_json
from shared.rules.state import DealState, Phase


def hints_command(files: Files, patience: PatienceSeconds = BEFORE_ANSWER_SECONDS) -> None:
    """Print the hints of the seat to act at the end of each record's last deal, one JSON object a line."""
    print_answers(files, hints_answer, patience)


def hints_answer(value: object, patience: Patience) -> Answer:
    """The answer about one record's JSON value. Raises ``RecordError`` or ``ReplayError``."""
    return answer_at_end(value, patience, hints_of)


def hints_of(state: DealState) -> Answer:
    """The hints as JSON; after the end of a deal, none of nobody."""
    return hints_json(hints_for(state), None if state.phase is Phase.OVER else state.turn)
