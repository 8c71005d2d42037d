"""``banakil replay``: what comes of records by the rules."""

from functools import partial

from shared.cli.answers import Answer, error_answer, print_answers
from shared.cli.arguments import Files, Lenient, PatienceSeconds
from shared.cli.patience import REPLAY_SECONDS, Patience
from shared.rules.record import record_of
from shared.rules.replay import replay, replay_json
from shared.rules.series_record import is_series, series_of
from shared.rules.series_replay import SeriesReplayError, replay_series, series_json


def replay_command(files: Files, lenient: Lenient = False, patience: PatienceSeconds = REPLAY_SECONDS) -> None:
    """Replay records and print what came of each, one JSON object a line.

    Exit code 2 if a file can't be read or has a refused action; the others are replayed all the same.
    """
    print_answers(files, partial(replay_answer, lenient=lenient), patience)


def replay_answer(value: object, patience: Patience, *, lenient: bool) -> Answer:
    """The answer about one file's JSON value. Raises ``RecordError``, ``ReplayError``."""
    if not is_series(value):
        return replay_json(replay(record_of(value), lenient=lenient, watch=patience))
    try:
        return series_json(replay_series(series_of(value), lenient=lenient, watch=patience))
    except SeriesReplayError as stopped:
        error = stopped.error
        return error_answer(error.deal, error.action, error.code, str(error), match=stopped.match)
