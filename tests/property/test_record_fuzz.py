"""Whatever the bytes of a file are, the commands answer: with what came of it, or with an error that has a code."""

import json
import random
from contextlib import suppress
from functools import partial

from shared.cli.answers import Answer, answer_about, json_line
from shared.cli.hints import hints_answer, hints_of
from shared.cli.legal import legal_answer, legal_json
from shared.cli.patience import Patience
from shared.cli.replay import replay_answer
from shared.cli.verify_record import check_file
from shared.cli.verify_report import Evidence
from shared.fairness.signing_keys import KeyBook
from shared.rules.cards import ThirdCopyError
from shared.rules.record import Record, read_record
from shared.rules.refusal import Code, RecordError
from shared.rules.replay import Replay, ReplayError, replay, replay_json
from tests.support.fuzzing import fuzzed, valid_records

FILES = 2000
VALID = 60
STEPS = 40


def test_the_files_that_are_changed_are_valid_before(rng: random.Random) -> None:
    ended = 0
    for data in valid_records(rng, 30, STEPS):
        result = replay(read_record(data), lenient=True)
        ended += sum(deal.end is not None for deal in result.deals)
    assert ended


def test_2000_files_with_something_wrong_are_answered(rng: random.Random) -> None:
    files = valid_records(rng, VALID, STEPS)
    outcomes = {True: 0, False: 0}
    for _ in range(FILES):
        data = fuzzed(rng, files)
        try:
            outcomes[_answered(data)] += 1
        except Exception:
            print(f"the file: {data!r}")
            raise
    # Changes that all broke the JSON, or none, would test little.
    assert min(outcomes.values()) > FILES // 10


def _answered(data: bytes) -> bool:
    """Look at a file in every way; whether it could be replayed, refused actions aside."""
    record = _read(data)
    if record is None:
        return False
    strict, lenient = _replayed(record, lenient=False), _replayed(record, lenient=True)
    if isinstance(lenient, ReplayError):
        assert isinstance(strict, ReplayError)
        assert lenient.code in (Code.BAD_RECORD, Code.BAD_ACTION, Code.MATCH_OVER)
        return False
    answers = [replay_json(lenient)]
    if isinstance(strict, Replay):
        assert replay_json(strict) == answers[0]
    else:
        assert strict.code == lenient.refused[0].code
    if lenient.deals:
        with suppress(ThirdCopyError):
            answers += [legal_json(lenient.deals[-1]), hints_of(lenient.deals[-1])]
    for answer in answers:
        assert json.loads(json_line(answer)) == answer
    return True


def _read(data: bytes) -> Record | None:
    try:
        return read_record(data)
    except RecordError:
        return None


def _replayed(record: Record, *, lenient: bool) -> Replay | ReplayError:
    try:
        return replay(record, lenient=lenient)
    except ReplayError as error:
        return error


def verify_answer(value: object, patience: Patience) -> Answer:
    return check_file(value, Evidence(KeyBook()), patience).json()


def test_the_commands_answer_in_one_line_that_any_terminal_can_show(rng: random.Random) -> None:
    answerers = (
        partial(replay_answer, lenient=True),
        partial(replay_answer, lenient=False),
        legal_answer,
        hints_answer,
        verify_answer,
    )
    files = valid_records(rng, 20, STEPS)
    for _ in range(100):
        data = fuzzed(rng, files)
        for answerer in answerers:
            answer = answer_about(data, answerer, 0)
            line = json_line(answer)
            assert line.isascii()
            assert "\n" not in line
            if "error" in answer:
                error = json.loads(line)["error"]
                assert set(error) == {"deal", "action", "code", "message"}
                assert error["code"] in list(Code)
