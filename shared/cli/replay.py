"""``banakil replay``: what comes of records by the rules."""

from functools import partial

from shared.cli.answers import Answer, print_answers
from shared.cli.arguments import Files, Lenient, PatienceSeconds
from shared.cli.patience import REPLAY_SECONDS, Patience
from shared.rules.record import Record
from shared.rules.replay import replay, replay_json


def replay_command(files: Files, lenient: Lenient = False, patience: PatienceSeconds = REPLAY_SECONDS) -> None:
    """Replay records and print what came of each, one JSON object a line.

    Exit code 2 if a file can't be read or has a refused action; the others are replayed all the same.
    """
    print_answers(files, partial(replay_answer, lenient=lenient), patience)


def replay_answer(record: Record, patience: Patience, *, lenient: bool) -> Answer:
    """The answer about one record. Raises ``ReplayError``."""
    return replay_json(replay(record, lenient=lenient, watch=patience))
