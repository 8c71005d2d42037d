"""`banakil verify`: what it says of records, how it says it, and that forgeries fail where they must."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.fairness import signing
from shared.fairness.closed import ClosedSet, CutKind, SeatKind
from shared.fairness.day_json import write_day_proof
from shared.fairness.fair_deal import FairDeal, Signatures
from shared.fairness.fair_json import write_fair
from tests.support.cli import Ran, banakil, saved
from tests.support.fair_days import day_of
from tests.support.fair_deals import Signer, remade
from tests.support.fair_matches import OPTIONS, SIGNER, WITNESS, fair_match
from tests.support.records import options_of, position, record

MATCH = fair_match("verify", deals=2, last_steps=8)
RECORD = MATCH.record()
DAY = write_day_proof(day_of(MATCH.deals, SIGNER))


def keys_of(*signers: Signer) -> dict[str, Any]:
    keys = [{"keyId": each.key_id, "publicKey": base64.b64encode(each.public_bytes()).decode()} for each in signers]
    return {"keys": keys}


def verified(folder: Path, value: object, *options: str | Path) -> Ran:
    return banakil("verify", "--json", *options, *saved(folder, value))


def outcomes(ran: Ran, deal: int = 1) -> dict[str, str]:
    checks = ran.answer["deals"][deal - 1]["checks"]
    assert len({check["check"] for check in checks}) == len(checks), "a name twice"
    return {check["check"]: check["outcome"] for check in checks}


def first(ran: Ran) -> tuple[int, str, str] | None:
    found = ran.answer["first"]
    assert (found is None) == (ran.code == 0) == ran.answer["holds"]
    return found and (found["deal"], found["check"], found["outcome"])


@pytest.fixture
def proofs(tmp_path: Path) -> list[str | Path]:
    """The options that bring the published keys and the day's proof."""
    keys, day = tmp_path / "keys.json", tmp_path / "day.json"
    keys.write_text(json.dumps(keys_of(SIGNER)))
    day.write_text(json.dumps(DAY))
    return ["--keys", keys, "--day", day]


def test_an_honest_record_holds_with_all_that_it_can_show(tmp_path: Path, proofs: list[str | Path]) -> None:
    ran = verified(tmp_path, RECORD, *proofs)
    assert first(ran) is None
    assert ran.answer["kind"] == "record"
    said = outcomes(ran)
    assert {name for name, outcome in said.items() if outcome != "holds"} == {
        "void[0].failed_sent",
        "void[1].failed_sent",
    }
    assert said.keys() >= {"commitment", "client_commitments", "transcript", "starter", "deck", "draws", "reshuffles"}
    assert "chain" not in said
    assert outcomes(ran, 2)["chain"] == "holds"


def test_people_are_told_line_by_line_and_the_last_line_is_the_verdict(tmp_path: Path) -> None:
    [path] = saved(tmp_path, RECORD)
    lines = banakil("verify", path).out.splitlines()
    assert lines[0] == str(path)
    assert lines[1] == "deal 1"
    assert "  commitment: holds" in lines
    assert "  root: cannot be checked from this file (the day's proof is not in this file)" in lines
    assert lines[-1].startswith("nothing fails: ")
    wrong = json.loads(json.dumps(RECORD))
    wrong["deals"][1]["fair"]["transcript"] = "00" * 64
    ran = banakil("verify", *saved(tmp_path, wrong))
    assert ran.code == 2
    lines = ran.out.splitlines()
    assert "  transcript: FAILS (it is not that of the closed set and the contributions)" in lines
    assert lines[-1] == "FAILS: deal 2, transcript"


def test_every_file_is_answered_whatever_is_wrong_with_others(tmp_path: Path) -> None:
    [good, bad] = saved(tmp_path, RECORD, b"{}")
    ran = banakil("verify", "--json", good, bad, tmp_path / "missing", good)
    assert ran.code == 2
    assert ["error" in answer for answer in ran.answers] == [False, True, True, False]
    assert {answer["error"]["code"] for answer in ran.answers if "error" in answer} == {"BAD_RECORD"}
    ran = banakil("verify", bad, good)
    assert (ran.code, ran.out.splitlines()[1]) == (2, "  BAD_RECORD: format is 'banakil-record'")


def test_standard_input_is_a_file_too() -> None:
    ran = banakil("verify", "--json", "-", stdin=json.dumps(RECORD).encode())
    assert (ran.code, ran.answer["file"]) == (0, "-")


def test_no_file_can_write_to_the_terminal_but_plain_text(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(RECORD))
    wrong["deals"][0]["fair"]["rules"] = "\x1b[2J\u202e" + "x" * 5000
    ran = banakil("verify", *saved(tmp_path, wrong))
    assert ran.code == 2
    assert all(line.isascii() and line.isprintable() and len(line) < 300 for line in ran.out.splitlines())


@pytest.mark.parametrize("told", ["deck", "position"])
def test_a_deal_without_fair_values_is_not_said_to_be_fair(tmp_path: Path, told: str) -> None:
    deal: dict[str, Any] = {"position": position("5H 6H 7H 9D"), "actions": []}
    if told == "deck":
        deal = {"deck": MATCH.record(told_twice=True)["deals"][0]["deck"], "actions": []}
    assert first(verified(tmp_path, record(options_of(), [deal]))) == (1, "fair", "cannot_check")


def test_a_deal_between_without_fair_values_leaves_the_others_to_be_checked(tmp_path: Path) -> None:
    told = MATCH.record(told_twice=True)
    del told["deals"][0]["fair"]
    ran = verified(tmp_path, told)
    assert first(ran) == (1, "fair", "cannot_check")
    said = outcomes(ran, 2)
    assert said["earlier_deals"] == "cannot_check"
    assert {said[name] for name in ("starter", "deck", "draws")} == {"holds"}


def test_a_record_without_deals_shows_nothing(tmp_path: Path) -> None:
    ran = verified(tmp_path, record(OPTIONS, []))
    assert (ran.code, ran.answer["error"]["message"]) == (2, "the record has no deal")


def test_a_deal_that_cannot_be_read_fails_by_name_and_does_not_hide_the_next(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(RECORD))
    wrong["deals"][0]["fair"]["secret"] = "XY"
    ran = verified(tmp_path, wrong)
    assert first(ran) == (1, "fair", "fails")
    said = outcomes(ran, 2)
    assert said["commitment"] == "holds"
    assert said["draws"] == "cannot_check"
    broken: Any
    for broken in ([], {"fair": RECORD["deals"][0]["fair"]}, {**RECORD["deals"][0], "starter": 9}):
        assert first(verified(tmp_path, {**RECORD, "deals": [broken]})) == (1, "deal", "fails")


def test_a_deal_after_the_match_is_won_fails(tmp_path: Path) -> None:
    won = json.loads(json.dumps(RECORD))
    won["totals"] = [2000, 0]
    assert first(verified(tmp_path, won)) == (2, "draws", "fails")


def test_a_record_that_takes_too_long_is_given_up_and_says_nothing(tmp_path: Path) -> None:
    ran = verified(tmp_path, RECORD, "--patience", "0.000001")
    assert (ran.code, ran.answer["error"]["code"]) == (2, "BAD_RECORD")
    assert "given up" in ran.answer["error"]["message"]


@pytest.mark.parametrize("option", ["--keys", "--day"])
@pytest.mark.parametrize("content", [b"", b"[]", b'{"keys": [{}]}', b'{"keys": [{"keyId": "a", "publicKey": "AA=="}]}'])
def test_evidence_that_cannot_be_read_is_not_left_out(tmp_path: Path, option: str, content: bytes) -> None:
    evidence = tmp_path / "evidence.json"
    evidence.write_bytes(content)
    [path] = saved(tmp_path, RECORD)
    ran = banakil("verify", option, evidence, path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(str(evidence))


def test_two_roots_of_one_day_fail_whatever_else_holds(tmp_path: Path, proofs: list[str | Path]) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(write_day_proof(day_of(MATCH.deals[1:], SIGNER))))
    assert first(verified(tmp_path, RECORD, *proofs, "--day", other)) == (0, "days", "fails")


def test_the_list_of_all_keys_is_a_file_of_keys(tmp_path: Path) -> None:
    keys = tmp_path / "all.json"
    listed = [
        {"key": key, "sinceMs": "1", "untilMs": "2"} for key in keys_of(Signer("old", named=False), SIGNER)["keys"]
    ]
    keys.write_text(json.dumps({"keys": listed}))
    said = outcomes(verified(tmp_path, RECORD, "--keys", keys))
    assert {said[f"signature.{what}"] for what in ("commit", "closed", "transcript", "reveal")} == {"holds"}


# Forgeries: the operator has every secret and every c, exchanges something afterwards, and makes all of it fit again.


def swapped_cut(closed: ClosedSet) -> ClosedSet:
    return replace(closed, cut=45)


def swapped_host(closed: ClosedSet) -> ClosedSet:
    """To a seat that was shut out, so that the automatic cut stands for the host's."""
    return replace(closed, host=0, cut_kind=CutKind.AUTOMATIC, cut=0)


def swapped_account(closed: ClosedSet) -> ClosedSet:
    return replace(closed, seats=(replace(closed.seats[0], account="another"), *closed.seats[1:]))


def dropped_beacon(closed: ClosedSet) -> ClosedSet:
    return replace(closed, beacon=b"")


SWAPS = [swapped_cut, swapped_host, swapped_account, dropped_beacon]
Swap = Callable[[ClosedSet], ClosedSet]


def forged(swap: Swap) -> FairDeal:
    """The match's first deal with another closed set, without a fault in itself: no signature, no void attempt."""
    bare = replace(MATCH.deals[0], void=(), witness=None)
    return remade(bare, swap(bare.closed))


def told(deal: FairDeal) -> dict[str, Any]:
    """A record of the deal alone, without any play: the cards are others now."""
    return record(OPTIONS, [{"fair": write_fair(deal), "actions": []}])


@pytest.mark.parametrize("swap", SWAPS)
def test_a_consistent_forgery_passes_as_a_bare_record_which_shows_nothing_else(tmp_path: Path, swap: Swap) -> None:
    ran = verified(tmp_path, told(forged(swap)))
    assert first(ran) is None
    said = outcomes(ran)
    for name in ("signature.closed", "signature.transcript", "witness", "root", "void_attempts"):
        assert said[name] == "cannot_check"


@pytest.mark.parametrize("swap", SWAPS)
def test_a_consistent_forgery_fails_against_the_signatures(
    tmp_path: Path, proofs: list[str | Path], swap: Swap
) -> None:
    deal = forged(swap)
    kept = replace(deal, played=replace(deal.played, signatures=MATCH.deals[0].played.signatures))
    for options in ([], proofs[:2]):
        assert first(verified(tmp_path, told(kept), *options)) == (1, "signature.closed", "fails")


@pytest.mark.parametrize("swap", SWAPS)
def test_a_consistent_forgery_signed_by_another_key_fails_against_the_published_ones(
    tmp_path: Path, proofs: list[str | Path], swap: Swap
) -> None:
    deal = forged(swap)
    forger = Signer("forger", named=False)
    payloads = {signing.CLOSED: deal.closed.encode(), signing.TRANSCRIPT: deal.transcript}
    signatures = Signatures(forger.key_id, {what: forger.sign(what, payload) for what, payload in payloads.items()})
    signed = told(replace(deal, played=replace(deal.played, signatures=signatures)))
    assert first(verified(tmp_path, signed, *proofs[:2])) == (1, "signature.closed", "fails")
    assert outcomes(verified(tmp_path, signed))["signature.closed"] == "cannot_check", "of whose key nothing is known"


@pytest.mark.parametrize("swap", SWAPS)
def test_a_consistent_forgery_fails_against_the_witness_of_a_player(tmp_path: Path, swap: Swap) -> None:
    ran = verified(tmp_path, told(replace(forged(swap), witness=MATCH.deals[0].witness)))
    assert first(ran) == (1, "witness.closed", "fails")
    said = outcomes(ran)
    assert said["witness.contribution"] == "holds", "the player's own part was left alone"
    assert {said["witness.transcript"], said["witness.hand"]} == {"fails"}


@pytest.mark.parametrize("swap", SWAPS)
def test_a_consistent_forgery_fails_against_the_days_root(tmp_path: Path, proofs: list[str | Path], swap: Swap) -> None:
    assert first(verified(tmp_path, told(forged(swap)), *proofs[2:])) == (1, "root", "fails")


def test_a_forged_contribution_fails_against_the_witness_of_its_player_alone(tmp_path: Path) -> None:
    deal = fair_match("another's numbers", deals=1, last_steps=0).deals[0]
    witness = deal.witness
    assert witness is not None
    assert witness.seat == WITNESS
    other = replace(witness, c=bytes(32), receipt_h=None, receipt_c=None)
    ran = verified(tmp_path, told(replace(deal, witness=other)))
    assert first(ran) == (1, "witness.contribution", "fails")


def test_a_player_said_to_be_absent_shows_the_receipt(tmp_path: Path, proofs: list[str | Path]) -> None:
    deal = MATCH.deals[1]
    seats = list(deal.closed.seats)
    seats[WITNESS] = replace(seats[WITNESS], kind=SeatKind.ABSENT, h=b"")
    contributions = [b"" if at == WITNESS else c for at, c in enumerate(deal.played.contributions)]
    played = replace(deal.played, contributions=tuple(contributions))
    wrong = remade(replace(deal, played=played), replace(deal.closed, seats=tuple(seats)))
    wrong = replace(wrong, played=replace(wrong.played, signatures=Signatures(SIGNER.key_id)))
    value = record(OPTIONS, [{"starter": 0, "fair": write_fair(wrong), "actions": []}])
    said = outcomes(verified(tmp_path, value, *proofs[:2]))
    assert {said[f"witness.{name}"] for name in ("contribution", "closed", "receipt-h", "receipt-c")} == {"fails"}
