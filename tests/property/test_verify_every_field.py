"""`banakil verify` over every field of a record: a byte changed is found and named, a part taken away is missed."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shared.cli.patience import Patience
from shared.cli.verify import verify_file
from shared.cli.verify_report import Evidence, Report
from shared.fairness.checks import Outcome
from shared.fairness.day_json import read_day_proof, write_day_proof
from shared.fairness.errors import FairnessError
from shared.fairness.signing_keys import KeyBook
from tests.support.fair_days import day_of
from tests.support.fair_matches import SIGNER, WITNESS, fair_match

Path = tuple[str | int, ...]

MATCH = fair_match("every field", deals=2, last_steps=6)
RECORD: dict[str, Any] = MATCH.record(told_twice=True)
DAY: dict[str, Any] = write_day_proof(day_of(MATCH.deals, SIGNER))
KEYS = KeyBook({SIGNER.key_id: SIGNER.public_bytes()})
FAIR = ("deals", 0, "fair")
SEATS = range(4)


def report_of(record: object, day: object = DAY, keys: KeyBook = KEYS) -> Report:
    days = () if day is None else (read_day_proof(day),)
    return verify_file(json.dumps(record).encode(), Evidence(keys, days), Patience(0))


def failing(report: Report) -> set[str]:
    checks = [*report.checks, *(check for deal in report.deals for check in deal.checks)]
    return {check.name for check in checks if check.outcome is Outcome.FAILS}


def first_failed(report: Report) -> str | None:
    verdict = report.verdict()
    assert verdict is None or verdict[1].outcome is Outcome.FAILS
    return verdict and verdict[1].name


def holding(report: Report) -> set[tuple[int, str]]:
    return {(deal.deal, check.name) for deal in report.deals for check in deal.checks if check.outcome is Outcome.HOLDS}


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def put(value: Any, path: Path, new: object) -> Any:
    changed = copy.deepcopy(value)
    at(changed, path[:-1])[path[-1]] = new
    return changed


def without(value: Any, path: Path) -> Any:
    changed = copy.deepcopy(value)
    del at(changed, path[:-1])[path[-1]]
    return changed


def leaves(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value that is itself no object and no list."""
    if isinstance(node, dict | list):
        steps: Any = node.items() if isinstance(node, dict) else enumerate(node)
        for step, child in steps:
            yield from leaves(child, (*path, step))
    else:
        yield path, node


def bytes_changed(value: object) -> Iterator[object]:
    """The value with its first, a middle or its last byte another; a number with each of its low bits another."""
    if isinstance(value, int):
        yield from (value ^ 1, value ^ 2, value ^ 128)
        return
    assert isinstance(value, str)
    for place in sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value)))):
        yield value[:place] + ("1" if value[place] == "0" else "0") + value[place + 1 :]
    if not value:
        yield "00"


def test_the_record_as_it_is_holds_and_shows_everything() -> None:
    report = report_of(RECORD)
    assert report.verdict() is None
    names = {check.name for deal in report.deals for check in deal.checks if check.outcome is Outcome.CANNOT_CHECK}
    # What a seat that failed really sent, only its own witness shows.
    assert names == {"void[0].failed_sent", "void[1].failed_sent"}
    assert MATCH.played[0].stocks, "no reshuffle to be changed"


FOUND_BY: dict[str, set[str]] = {
    "series": {"commitment"},
    "match_no": {"commitment", "fair"},
    "match": {"commitment"},
    "deal_no": {"commitment", "fair"},
    "attempt": {"commitment", "fair"},
    "rules": {"commitment", "fair"},
    "secret": {"commitment"},
    "commitment": {"commitment"},
    "host": {"closed_set", "transcript", "fair"},
    "cut_kind": {"closed_set", "fair"},
    "cut": {"transcript", "closed_set"},
    "beacon": {"transcript"},
    "kind": {"client_commitments", "closed_set", "transcript", "fair"},
    "account": {"transcript", "closed_set"},
    "h": {"client_commitments", "fair"},
    "c": {"client_commitments", "fair"},
    "transcript": {"transcript"},
}
"""The check that is the first to fail when a field of the deal that was played has another byte."""

VOID_FOUND_BY: dict[str, set[str]] = {
    **FOUND_BY,
    "attempt": {"void_attempts"},
    "host": {"void_attempts", "closed_set", "signature.closed", "fair"},
    "cut": {"signature.closed", "closed_set"},
    "beacon": {"signature.closed"},
    "kind": {"void_attempts", "closed_set", "client_commitments", "failed", "fair"},
    "account": {"void_attempts", "closed_set"},
    "h": {"client_commitments", "signature.closed", "closed_set", "fair"},
    "c": {"client_commitments", "failed", "fair"},
}
"""The same for a void attempt: where it has no transcript to bind it, its signed closed set does."""


def may_find(path: Path) -> set[str]:
    """The checks that may be the first to fail where this field of `fair` has another byte."""
    field = str(path[-1])
    if path[0] == "signatures":
        return {f"signature.{name}" for name in SIGNED} if field == "key" else {f"signature.{field}"}
    if path[0] == "witness":
        return {"witness.contribution", "fair"} if field == "seat" else witness_finds(path)
    if path[0] != "void":
        return FOUND_BY[field]
    prefix = f"void[{path[1]}]."
    if path[2] == "failed":
        return {"void_attempts", prefix + "failed", prefix + "client_commitments", "fair"}
    if path[2] == "signatures":
        return {f"{prefix}signature.{name}" for name in SIGNED} if field == "key" else {f"{prefix}signature.{field}"}
    return {name if name in ("fair", "void_attempts") else prefix + name for name in VOID_FOUND_BY[field]}


SIGNED = ("commit", "closed", "transcript", "reveal")


def witness_finds(path: Path) -> set[str]:
    if path[1] == "receipts":
        return {f"witness.receipt-{path[2]}", "fair"}
    part = "contribution" if path[1] == "c" else path[1]
    return {f"witness.{part}", "witness.contribution", "witness", "fair"}


@pytest.mark.parametrize("deal", [0, 1])
def test_one_byte_of_any_field_of_fair_fails_and_the_check_is_named(deal: int) -> None:
    fields = list(leaves(RECORD["deals"][deal]["fair"]))
    assert len(fields) > (110 if deal == 0 else 50)
    for path, value in fields:
        for changed in bytes_changed(value):
            found = first_failed(report_of(put(RECORD, ("deals", deal, "fair", *path), changed)))
            assert found in may_find(path), (path, value, changed, found)


def test_one_card_of_the_deck_fails() -> None:
    deck = RECORD["deals"][0]["deck"]
    for place, code in enumerate(deck):
        other = next(card for card in deck if card != code)
        assert first_failed(report_of(put(RECORD, ("deals", 0, "deck", place), other))) == "deck"
    assert first_failed(report_of(put(RECORD, ("deals", 0, "deck"), deck[:-1]))) == "deck"
    assert first_failed(report_of(put(RECORD, ("deals", 0, "deck"), [deck[1], deck[0], *deck[2:]]))) == "deck"


def test_one_card_of_any_reshuffle_fails_and_one_more_or_less() -> None:
    stocks = RECORD["deals"][0]["reshuffles"]
    for number, stock in enumerate(stocks):
        for place, code in enumerate(stock):
            other = next(card for card in RECORD["deals"][0]["deck"] if card != code)
            path = ("deals", 0, "reshuffles", number, place)
            assert first_failed(report_of(put(RECORD, path, other))) == "reshuffles"
        assert first_failed(report_of(without(RECORD, ("deals", 0, "reshuffles", number)))) == "reshuffles"
    assert first_failed(report_of(put(RECORD, ("deals", 0, "reshuffles"), [*stocks, ["AS"]]))) == "reshuffles"


def test_another_starter_fails_in_the_deal_that_draws_it_and_in_the_one_after() -> None:
    for deal in (0, 1):
        right = RECORD["deals"][deal]["starter"]
        for seat in set(SEATS) - {right}:
            assert first_failed(report_of(put(RECORD, ("deals", deal, "starter"), seat))) == "starter"


@pytest.mark.parametrize("part", [(), ("void", 0), ("void", 1)])
def test_seats_in_another_order_fail(part: Path) -> None:
    path = (*FAIR, *part, "seats")
    seats = at(RECORD, path)
    for a in SEATS:
        for b in range(a):
            swapped = list(seats)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            names = failing(report_of(put(RECORD, path, swapped)))
            assert names & {"client_commitments", "transcript", "void_attempts", "void[0].failed", "void[1].failed"}


def test_void_attempts_in_another_order_or_one_fewer_or_a_seat_not_shut_out_fail() -> None:
    first, second = at(RECORD, (*FAIR, "void"))
    for wrong in ([second, first], [first], [second], [first, first], [first, second, second]):
        assert first_failed(report_of(put(RECORD, (*FAIR, "void"), wrong))) == "void_attempts"


def test_an_action_that_the_cards_do_not_give_fails() -> None:
    actions = RECORD["deals"][0]["actions"]
    throws = [place for place, action in enumerate(actions) if " discard " in action]
    state = MATCH.played[0].steps[0].before
    missing = next(code for code in RECORD["deals"][0]["deck"][19:] if code not in RECORD["deals"][0]["deck"][:19])
    wrong = f"{state.turn} discard {missing}"
    report = report_of(put(RECORD, ("deals", 0, "actions", throws[0]), wrong))
    assert failing(report) == {"draws"}
    draws = [check for check in report.deals[0].checks if check.name == "draws"]
    assert draws[0].detail.startswith("action 1: CARD_NOT_IN_HAND")
    later = {check.name: check.outcome for check in report.deals[1].checks}
    assert {later["deck"], later["chain"]} == {Outcome.HOLDS}, "what does not hang on the play is checked all the same"
    assert later["draws"] is Outcome.CANNOT_CHECK


def test_one_byte_of_any_field_of_the_days_proof_fails() -> None:
    for path, value in leaves(DAY):
        if path[0] == "leaves" and path[2] not in ("commitment", "index", "path"):
            continue
        for changed in bytes_changed(value):
            try:
                names = failing(report_of(RECORD, put(DAY, path, changed)))
            except FairnessError:
                continue
            assert names & {"root", "void[0].root", "void[1].root", "signature.root"}, path


def test_a_proof_of_another_deal_is_not_said_to_hold_for_this_one() -> None:
    everything = {each for each in holding(report_of(RECORD)) if each[1].endswith("root")}
    for path, value in leaves(DAY):
        if path[0] == "day" or path[2] in ("commitment", "index", "path"):
            continue
        for changed in bytes_changed(value):
            try:
                left = holding(report_of(RECORD, put(DAY, path, changed)))
            except FairnessError:
                continue
            assert {each for each in left if each[1].endswith("root")} < everything, path


PARTS: dict[Path, Callable[[str], bool]] = {
    **{(*FAIR, "signatures", what): f"signature.{what}".__eq__ for what in SIGNED},
    (*FAIR, "signatures"): lambda name: name.startswith(("signature.c", "signature.t", "signature.rev", "witness.rec")),
    **{
        (*FAIR, "void", number, "signatures", what): f"void[{number}].signature.{what}".__eq__
        for number in (0, 1)
        for what in ("commit", "closed", "reveal")
    },
    **{
        (*FAIR, "void", number, "signatures"): lambda name, number=number: (  # type: ignore[misc]  # a default for each
            name.startswith(f"void[{number}].signature.") and not name.endswith(".root")
        )
        for number in (0, 1)
    },
    (*FAIR, "void"): lambda name: name.startswith("void"),
    (*FAIR, "witness"): lambda name: name.startswith("witness."),
    (*FAIR, "witness", "c"): lambda name: name in ("witness.contribution", "witness.receipt-h", "witness.receipt-c"),
    **{(*FAIR, "witness", part): f"witness.{part}".__eq__ for part in ("closed", "transcript", "hand")},
    (*FAIR, "witness", "receipts"): lambda name: name.startswith("witness.receipt"),
    **{(*FAIR, "witness", "receipts", part): f"witness.receipt-{part}".__eq__ for part in "hc"},
}
"""Each part of `fair` that may be left out, and the checks that then cannot be made."""


@pytest.mark.parametrize("path", PARTS, ids=lambda path: ".".join(map(str, path[3:])))
def test_a_part_that_is_taken_away_cannot_be_checked_and_nothing_else_changes(path: Path) -> None:
    everything = holding(report_of(RECORD))
    report = report_of(without(RECORD, path))
    assert report.verdict() is None
    lost = {(1, name) for deal, name in everything if deal == 1 and PARTS[path](name)}
    assert lost
    assert holding(report) == everything - lost


def test_every_part_that_may_be_left_out_is_among_those_taken_away() -> None:
    parts = {(*FAIR, *path[:end]) for path, _ in leaves(RECORD["deals"][0]["fair"]) for end in range(1, len(path) + 1)}
    optional = {part for part in parts if report_of(without(RECORD, part)).verdict() is None}
    # Left out, an empty c of a void attempt is still empty, and the witness still speaks of the attempt played.
    same = {part for part in parts if part[3] == "void" and part[-1] == "c" and not at(RECORD, part)}
    assert optional == {*PARTS, *same, (*FAIR, "witness", "attempt")}


def test_without_actions_deck_and_reshuffles_nothing_is_said_of_the_play() -> None:
    bare = MATCH.record()
    bare["deals"] = [{**bare["deals"][0], "actions": []}]
    del bare["deals"][0]["starter"]
    report = report_of(bare)
    assert report.verdict() is None
    open_ones = {check.name for check in report.deals[0].checks if check.outcome is Outcome.CANNOT_CHECK}
    assert open_ones >= {"starter", "deck", "draws", "reshuffles"}


def test_without_keys_a_right_signature_is_not_said_to_hold_and_a_wrong_one_fails() -> None:
    report = report_of(RECORD, keys=KeyBook())
    assert report.verdict() is None
    assert not [name for _, name in holding(report) if "signature" in name or "receipt" in name]
    for what in SIGNED:
        path = (*FAIR, "signatures", what)
        wrong = put(RECORD, path, "00" + at(RECORD, path)[2:])
        assert first_failed(report_of(wrong, keys=KeyBook())) == f"signature.{what}"


def test_without_the_days_proof_no_root_holds() -> None:
    report = report_of(RECORD, day=None)
    assert report.verdict() is None
    assert not [name for _, name in holding(report) if "root" in name]


def test_the_witness_is_the_players_own(rng: random.Random) -> None:
    assert at(RECORD, (*FAIR, "witness", "seat")) == WITNESS
    hand = at(RECORD, (*FAIR, "witness", "hand"))
    rng.shuffle(hand := list(hand))
    assert report_of(put(RECORD, (*FAIR, "witness", "hand"), hand)).verdict() is None, "in any order"
