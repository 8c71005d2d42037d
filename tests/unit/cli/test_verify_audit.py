"""`banakil verify` of audit exports: of whole matches, of matches that go on, and with one thing in them changed."""

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any, cast

import pytest
from banakil.shuffle.v1 import days_pb2, shuffle_pb2

from shared.cli.patience import Patience
from shared.cli.verify import verify_file
from shared.cli.verify_report import Evidence, Report
from shared.codec.fair_days import write_day_proof
from shared.fairness.checks import Check, Outcome
from shared.fairness.signing_keys import KeyBook
from shared.rules.refusal import RecordError
from tests.support.cli import banakil, saved
from tests.support.fair_audits import audit_of, begun, export, hidden
from tests.support.fair_days import day_of
from tests.support.fair_deals import HUMAN, Ceremony, Signer
from tests.support.fair_matches import SIGNER, fair_match

Path = tuple[str | int, ...]
MATCH = fair_match("audit", deals=2, last_steps=0)
MESSAGE = audit_of(MATCH.deals, SIGNER)
EXPORT = export(MESSAGE)
KEYS = KeyBook({SIGNER.key_id: SIGNER.public_bytes()})
EVIDENCE = Evidence(KEYS, (day_of(MATCH.deals, SIGNER),))
NEVER_SHOWN = {"rules", "cut_due", "starter", "deck", "reshuffles", "witness"}
"""What an export has neither options, nor play, nor a player for."""


def report_of(value: object, evidence: Evidence = EVIDENCE) -> Report:
    return verify_file(json.dumps(value).encode(), evidence, Patience(0))


def all_checks(report: Report) -> list[Check]:
    return [*report.checks, *(check for deal in report.deals for check in deal.checks)]


def names(report: Report, outcome: Outcome) -> set[str]:
    return {check.name for check in all_checks(report) if check.outcome is outcome}


def first(report: Report) -> tuple[int, str, Outcome] | None:
    verdict = report.verdict()
    return verdict and (verdict[0].deal, verdict[1].name, verdict[1].outcome)


def changed(**of_message: Any) -> shuffle_pb2.AuditResponse:
    message: Any = shuffle_pb2.AuditResponse.FromString(MESSAGE.SerializeToString())
    for name, value in of_message.items():
        message.ClearField(name)
        if isinstance(value, list):
            getattr(message, name).extend(value)
        elif value is not None:
            setattr(message, name, value)
    return cast(shuffle_pb2.AuditResponse, message)


def test_a_whole_match_holds_and_shows_all_but_the_play() -> None:
    report = report_of(EXPORT)
    assert first(report) is None
    assert [deal.deal for deal in report.deals] == [1, 2]
    assert names(report, Outcome.CANNOT_CHECK) == NEVER_SHOWN | {"void[0].failed_sent", "void[1].failed_sent"}
    assert {check.name for check in report.checks} == {
        "keys", "order", "withheld", "account_voids", "match_end", "signature.match-end",
    }  # fmt: skip


def test_the_command_answers_about_it_as_about_a_record(tmp_path: FilePath) -> None:
    ran = banakil("verify", "--json", *saved(tmp_path, EXPORT))
    assert (ran.code, ran.answer["kind"], ran.answer["holds"]) == (0, "audit", True)
    assert {check["check"]: check["outcome"] for check in ran.answer["checks"]}["keys"] == "cannot_check"
    lines = banakil("verify", *saved(tmp_path, EXPORT)).out.splitlines()
    assert "  order: holds" in lines
    assert lines[-1].startswith("nothing fails: ")


def test_the_apis_answer_about_days_is_a_file_of_days(tmp_path: FilePath) -> None:
    (day,) = EVIDENCE.days
    answer = export(days_pb2.GetProofResponse(proofs=[write_day_proof(day)]))
    path = tmp_path / "proofs.json"
    path.write_text(json.dumps(answer))
    ran = banakil("verify", "--json", "--day", path, *saved(tmp_path, EXPORT))
    assert ran.code == 0
    said = {check["check"]: check["outcome"] for check in ran.answer["deals"][0]["checks"]}
    assert (said["root"], said["void[1].root"], said["signature.root"]) == ("holds", "holds", "cannot_check")
    wrong: Any
    for wrong in ({**answer, "more": 1}, {"proofs": [{}]}, {"proofs": {}}, {"proofs": [{"day": {"date": "20250602"}}]}):
        path.write_text(json.dumps(wrong))
        ran = banakil("verify", "--day", path, *saved(tmp_path, EXPORT))
        assert (ran.code, ran.out) == (2, "")


def test_without_the_published_keys_no_signature_is_said_to_hold() -> None:
    report = report_of(EXPORT, Evidence(KeyBook()))
    assert first(report) is None
    assert not [name for name in names(report, Outcome.HOLDS) if "signature" in name or name == "keys"]
    other = Evidence(KeyBook({"00" * 32: bytes(32)}))
    assert first(report_of(EXPORT, other)) == (0, "keys", Outcome.FAILS)


def test_a_deal_that_is_played_still_is_not_said_to_hold() -> None:
    second = MATCH.deals[1]
    for last in (begun(second.played), hidden(second.played), hidden(second.played, second.transcript)):
        report = report_of(export(changed(deals=[*MESSAGE.deals[:-1], last], match_end=None)))
        assert first(report) == (2, "commitment", Outcome.CANNOT_CHECK)
        assert not names(report, Outcome.FAILS)
        assert {check.name: check.outcome for check in report.checks}["withheld"] is Outcome.CANNOT_CHECK
        said = {check.name: check.outcome for check in report.deals[1].checks}
        assert said["signature.commit"] is Outcome.HOLDS
        assert (said["transcript"] is Outcome.HOLDS) == bool(last.transcript)
        assert (said["closed_set"] is Outcome.HOLDS) == bool(last.seats)


def test_a_match_that_stopped_after_a_void_attempt_is_checked_as_far_as_it_came() -> None:
    report = report_of(export(changed(deals=MESSAGE.deals[:2], match_end=None, account_voids=MESSAGE.account_voids[:])))
    assert first(report) is None
    held = names(report, Outcome.HOLDS)
    assert held >= {"void_attempts", "void[0].commitment", "void[1].commitment", "void[1].closed", "void[0].failed"}


def test_more_withheld_than_hidden_fails() -> None:
    assert first(report_of(export(changed(withheld_count=1)))) == (0, "withheld", Outcome.FAILS)


def test_an_account_whose_void_attempts_are_not_counted_fails() -> None:
    assert first(report_of(export(changed(account_voids=MESSAGE.account_voids[1:])))) == (
        0, "account_voids", Outcome.FAILS,
    )  # fmt: skip


@pytest.mark.parametrize(
    "order",
    [(1, 2, 3), (0, 2, 3), (0, 1, 3), (1, 0, 2, 3), (0, 1, 2, 2, 3), (3, 0, 1, 2), (0, 1, 3, 2), (3,)],
)
def test_an_attempt_that_is_missing_double_or_out_of_place_fails(order: tuple[int, ...]) -> None:
    report = report_of(export(changed(deals=[MESSAGE.deals[at] for at in order])))
    assert first(report) == (0, "order", Outcome.FAILS)


def test_the_last_deal_cannot_be_left_out() -> None:
    report = report_of(export(changed(deals=MESSAGE.deals[:-1])))
    assert first(report) == (0, "match_end", Outcome.FAILS)
    report = report_of(export(changed(deals=MESSAGE.deals[:-1], match_end=None)))
    assert {check.name: check.outcome for check in report.checks}["match_end"] is Outcome.CANNOT_CHECK


def test_a_deal_of_another_match_fails() -> None:
    other = fair_match("another match", deals=2, last_steps=0)
    report = report_of(export(changed(deals=[*MESSAGE.deals[:-1], audit_of(other.deals, SIGNER).deals[-1]])))
    assert first(report) == (0, "order", Outcome.FAILS)


def test_a_void_attempt_that_is_not_revealed_or_has_a_transcript_fails() -> None:
    message = changed()
    message.deals[0].ClearField("secret")
    assert first(report_of(export(message))) == (1, "fair", Outcome.FAILS)
    message = changed()
    message.deals[0].transcript = bytes(64)
    assert first(report_of(export(message))) == (0, "order", Outcome.FAILS)


def test_an_export_signed_by_a_key_of_the_forgers_own_fails_against_the_published_ones() -> None:
    forger = Signer("forger", named=False)
    deals = [Ceremony("forged", (HUMAN,) * 4, deal_no=number, signer=forger).deal() for number in (1, 2)]
    forged = export(audit_of(deals, forger))
    assert first(report_of(forged, Evidence(KEYS))) == (0, "keys", Outcome.FAILS)
    report = report_of(forged, Evidence(KeyBook()))
    assert first(report) is None
    assert names(report, Outcome.CANNOT_CHECK) >= {"keys", "signature.closed", "signature.match-end", "root"}


def leaves(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value that is itself no object and no list."""
    if isinstance(node, dict | list):
        steps: Any = node.items() if isinstance(node, dict) else enumerate(node)
        for step, child in steps:
            yield from leaves(child, (*path, step))
    else:
        yield path, node


def put(path: Path, value: object) -> Any:
    fields = copy.deepcopy(EXPORT)
    at: Any = fields
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return fields


def bytes_changed(value: object) -> Iterator[object]:
    """The value with one byte of what it means another: the first, a middle one, the last."""
    if isinstance(value, int):
        yield from (value ^ 1, value ^ 2, value ^ 128)
        return
    assert isinstance(value, str)
    try:
        data = base64.b64decode(value, validate=True)
    except ValueError:
        data = b""
    for at in sorted({0, len(data) // 2, len(data) - 1} & set(range(len(data)))):
        yield base64.b64encode(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]).decode()
    for at in sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value)))):
        yield value[:at] + ("1" if value[at] == "0" else "0") + value[at + 1 :]


def test_one_byte_of_any_field_fails_or_cannot_be_read() -> None:
    fields = list(leaves(EXPORT))
    assert len(fields) > 120
    for path, value in fields:
        for other in bytes_changed(value):
            try:
                verdict = first(report_of(put(path, other)))
            except RecordError:
                continue
            if path[0] == "accountVoids" and path[-1] == "voidCount":
                # More than this match shows may well be true: the count is of all matches.
                assert verdict is None or verdict[1] == "account_voids"
                continue
            assert verdict is not None, (path, value, other)
            assert verdict[2] is Outcome.FAILS, (path, value, other)


def test_a_field_that_is_taken_away_never_leaves_more_said_to_hold() -> None:
    parts = {path[:end] for path, _ in leaves(EXPORT) for end in range(1, len(path) + 1)}
    everything = [(check.name, check.outcome) for check in all_checks(report_of(EXPORT))]
    held = {each for each in everything if each[1] is Outcome.HOLDS}
    for part in parts:
        fields = copy.deepcopy(EXPORT)
        at: Any = fields
        for step in part[:-1]:
            at = at[step]
        taken = at.pop(part[-1])
        try:
            report = report_of(fields)
        except RecordError:
            continue
        left = {(check.name, check.outcome) for check in all_checks(report) if check.outcome is Outcome.HOLDS}
        assert left <= held | {("void_attempts", Outcome.HOLDS)}, (part, taken)
        lost = len([check for check in all_checks(report) if check.outcome is Outcome.HOLDS])
        assert lost < len([1 for _, outcome in everything if outcome is Outcome.HOLDS]), (part, taken)


@pytest.mark.parametrize(
    "wrong",
    [
        {"deals": []},
        {"deals": {}},
        {"deals": [{}]},
        {"deals": [None]},
        {**EXPORT, "more": 1},
        {**EXPORT, "withheld_count": 0},
        {**EXPORT, "withheldCount": 0},
        {**EXPORT, "withheldCount": "1"},
        {**EXPORT, "withheldCount": 1.0},
        {**EXPORT, "withheldCount": -1},
        {**EXPORT, "deals": [{**EXPORT["deals"][0], "cutKind": 3}]},
        {**EXPORT, "deals": [{**EXPORT["deals"][0], "commitment": EXPORT["deals"][0]["commitment"].rstrip("=")}]},
    ],
)
def test_what_is_no_export_or_not_written_as_one_is_refused(wrong: object) -> None:
    with pytest.raises(RecordError):
        report_of(wrong)


def test_bits_of_base64_that_mean_nothing_may_not_be_set() -> None:
    commitment = EXPORT["deals"][0]["commitment"]
    assert commitment.endswith("==")
    same = commitment[:-3] + chr(ord(commitment[-3]) + 1) + "=="
    assert base64.b64decode(same) == base64.b64decode(commitment)
    with pytest.raises(RecordError):
        report_of(put(("deals", 0, "commitment"), same))
