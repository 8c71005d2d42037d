"""Answers about record files: one JSON object a line, in the files' order, whatever the files hold."""

import json
from collections.abc import Callable, Iterable

import typer

from shared.cli.files import read_file
from shared.cli.patience import Patience
from shared.rules.cards import ThirdCopyError
from shared.rules.record import read_json, record_of
from shared.rules.refusal import Code, RecordError
from shared.rules.replay import ReplayError, replay
from shared.rules.state import DealState

BAD_FILE: int = 2
"""Exit code where any file can't be read or has a refused action."""
LONGEST_MESSAGE: int = 200

Answer = dict[str, object]
Answerer = Callable[[object, Patience], Answer]
"""Gets a file's JSON value. Raises ``RecordError``, ``ReplayError``."""


def print_answers(names: Iterable[str], answerer: Answerer, patience_seconds: float) -> None:
    """Print the answer about each file, and exit with ``BAD_FILE`` if one of them is an error."""
    failed = False
    for name in names:
        answer = answer_for(name, answerer, patience_seconds)
        failed = failed or "error" in answer
        print(json_line(answer))
    if failed:
        raise typer.Exit(BAD_FILE)


def answer_for(name: str, answerer: Answerer, patience_seconds: float) -> Answer:
    """The answer about one file, an error's where there is one."""
    try:
        return answer_about(read_file(name), answerer, patience_seconds)
    except RecordError as error:
        return error_answer(0, 0, error.code, str(error))


def answer_about(data: bytes, answerer: Answerer, patience_seconds: float) -> Answer:
    """The answer about a file's bytes."""
    try:
        return answerer(read_json(data), Patience(patience_seconds))
    except RecordError as error:
        return error_answer(0, 0, error.code, str(error))
    except ReplayError as error:
        return error_answer(error.deal, error.action, error.code, str(error))


def answer_at_end(value: object, patience: Patience, tell: Callable[[DealState], Answer]) -> Answer:
    """What ``tell`` says of the position at the end of a file's last deal; refused actions are skipped.

    Raises ``RecordError`` for a record without a deal, ``ReplayError`` for one that can't be replayed.
    """
    deals = replay(record_of(value), lenient=True, watch=patience).deals
    if not deals:
        raise RecordError("the record has no deal")
    try:
        return tell(deals[-1])
    except ThirdCopyError as error:
        # The position gives a hand a card that it may take, and that the deck does not have a third time.
        raise ReplayError(len(deals), 0, Code.BAD_RECORD, str(error)) from None


def error_answer(deal: int, action: int, code: Code, message: str, *, match: int | None = None) -> Answer:
    """The line of a file with an error (docs/record.md); ``match`` in a series' record."""
    place = {} if match is None else {"match": match}
    return {
        "error": {**place, "deal": deal, "action": action, "code": code.value, "message": message[:LONGEST_MESSAGE]}
    }


def json_line(value: object) -> str:
    """JSON in ASCII on one line."""
    return json.dumps(value, allow_nan=False)
