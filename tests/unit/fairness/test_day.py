"""A day's proof holds for the reveals of that day and nothing else, and is written one way only."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.fairness import signing
from shared.fairness.checks import Check, Outcome
from shared.fairness.day import DayProof, DayRoot, LeafProof, days_fault, root_checks
from shared.fairness.day_json import (
    read_day_proof,
    read_day_root,
    read_listed,
    write_day_proof,
    write_day_root,
    write_listed,
)
from shared.fairness.errors import FairnessError
from shared.fairness.merkle import EMPTY_ROOT, FIRST_CHAIN, chain_hash
from shared.fairness.verify import verify_fair
from tests.support.fair_days import day_of
from tests.support.fair_deals import HUMAN, Ceremony, Signer

SIGNER = Signer()
DEALS = [
    Ceremony("one").deal(),
    Ceremony("two", (HUMAN,) * 4, voids=((1,), (0,))).deal(),
    Ceremony("three", deal_no=2).deal(),
]
DAY = day_of(DEALS, SIGNER)
WRITTEN: Any = write_day_proof(DAY)
NAMES = {"root", "signature.root"}


def checks_of(deal_at: int, *days: DayProof) -> dict[str, Check]:
    deal = DEALS[deal_at]
    checks = root_checks(deal.played, deal.transcript, days, SIGNER.verify, "")
    return {check.name: check for check in checks}


def failing(deal_at: int, *days: DayProof) -> set[str]:
    return {name for name, check in checks_of(deal_at, *days).items() if check.outcome is Outcome.FAILS}


def with_day(**changed: Any) -> DayProof:
    return replace(DAY, day=replace(DAY.day, **changed))


@pytest.mark.parametrize("deal_at", range(3))
def test_every_reveal_of_the_day_void_or_played_is_in_the_root(deal_at: int) -> None:
    deal = DEALS[deal_at]
    checks = verify_fair(deal, days=[DAY], verify_signature=SIGNER.verify)
    prefixes = ["", *(f"void[{number}]." for number in range(len(deal.void)))]
    names = {prefix + name for prefix in prefixes for name in NAMES}
    assert {check.name for check in checks if check.outcome is Outcome.HOLDS} >= names


def test_without_a_proof_of_this_deal_nothing_is_said_to_hold() -> None:
    others = replace(DAY, leaves=DAY.leaves[1:])
    for days in ((), (others,)):
        assert {name: check.outcome for name, check in checks_of(0, *days).items()} == {"root": Outcome.CANNOT_CHECK}


def test_a_root_that_nobody_known_signed_is_not_said_to_be_signed() -> None:
    deal = DEALS[0]
    checks = {check.name: check.outcome for check in root_checks(deal.played, deal.transcript, [DAY], None, "")}
    assert checks == {"root": Outcome.HOLDS, "signature.root": Outcome.CANNOT_CHECK}


def test_a_day_that_was_changed_and_not_signed_again_fails() -> None:
    chain = chain_hash(DAY.day.root, DAY.day.date, DAY.day.root)
    for wrong, names in (
        (with_day(date="20250603"), NAMES),
        (with_day(count=DAY.day.count + 1), {"signature.root"}),
        (with_day(root=bytes(64)), NAMES),
        (with_day(chain=bytes(64)), NAMES),
        (with_day(previous_chain=bytes(64)[:-1] + b"\1"), {"root"}),
        (with_day(previous_chain=DAY.day.root, chain=chain), {"signature.root"}),
        (with_day(signature=bytes(64)), {"signature.root"}),
    ):
        assert failing(0, wrong) == names, wrong.day


def with_leaf(leaf: LeafProof) -> DayProof:
    return replace(DAY, leaves=(leaf,))


def test_a_proof_for_another_place_or_with_another_path_fails() -> None:
    leaf = DAY.leaves[0]
    for wrong in (
        replace(leaf, index=1),
        replace(leaf, index=2**32 - 1),
        replace(leaf, path=leaf.path[:-1]),
        replace(leaf, path=(*leaf.path, bytes(64))),
        replace(leaf, path=(bytes(64), *leaf.path[1:])),
        replace(leaf, listed=replace(leaf.listed, commitment=bytes(64))),
    ):
        assert failing(0, with_leaf(wrong)) == {"root"}
    assert failing(0, DAY, with_leaf(leaf)) == set()


def test_a_deal_that_two_days_list_fails() -> None:
    again = day_of(DEALS, SIGNER, "20250603", DAY.day.chain)
    assert failing(0, DAY, again) == {"root"}


def test_days_are_of_one_history() -> None:
    second = day_of([], SIGNER, "20250603", DAY.day.chain)
    later = day_of([], SIGNER, "20250701", bytes(64))
    assert days_fault([]) is None
    assert days_fault([second, DAY, replace(DAY, leaves=()), later]) is None
    assert days_fault([DAY, day_of(DEALS[:1], SIGNER)]) == "20250602 has two roots"
    other = day_of([], SIGNER, "20250603", bytes(64))
    assert days_fault([other, DAY]) == "the chain of 20250603 does not go on from the day before"
    assert days_fault([day_of([], SIGNER, date) for date in ("20259999", "00010101")]) is None


def test_an_empty_day_has_the_root_of_nothing_and_no_other() -> None:
    chain = chain_hash(FIRST_CHAIN, "20250601", EMPTY_ROOT)
    signature = SIGNER.sign(signing.ROOT, signing.root_payload("20250601", 0, EMPTY_ROOT, chain))
    day = DayRoot("20250601", 0, EMPTY_ROOT, chain, FIRST_CHAIN, SIGNER.key_id, signature)
    assert read_day_root(json.loads(json.dumps(write_day_root(day)))) == day
    assert day.fault() is None
    assert replace(day, root=bytes(64)).fault() == "a day without reveals has another root"


def test_a_day_reads_back_as_it_was_written() -> None:
    assert read_day_proof(json.loads(json.dumps(WRITTEN))) == DAY
    for leaf in DAY.leaves:
        assert read_listed(write_listed(leaf.listed), "deals[0]") == leaf.listed
    with pytest.raises(FairnessError, match="more than 1000"):
        write_day_proof(replace(DAY, leaves=DAY.leaves * 1000))


def changed(part: str, name: str, value: object) -> Any:
    written = json.loads(json.dumps(WRITTEN))
    (written["day"] if part == "day" else written["leaves"][0])[name] = value
    return written


@pytest.mark.parametrize("part", ["day", "leaf"])
def test_no_other_spelling_of_a_value_and_no_field_more_or_less_is_read(part: str) -> None:
    fields = WRITTEN["day"] if part == "day" else WRITTEN["leaves"][0]
    for name, value in fields.items():
        missing = changed(part, name, value)
        del (missing["day"] if part == "day" else missing["leaves"][0])[name]
        wrong: list[object] = [None, [value], True, -1, "é"]
        wrong += [str(value), float(value), 2**32] if isinstance(value, int) else []
        wrong += [value.upper() + " ", value + "0"] if isinstance(value, str) and name not in ("rules", "key") else []
        for bad in (*(changed(part, name, each) for each in wrong), missing):
            if name == "key" and bad == changed(part, "key", "é"):
                continue
            with pytest.raises(FairnessError):
                read_day_proof(bad)
    with pytest.raises(FairnessError, match="not known"):
        read_day_proof(changed(part, "more", 1))


@pytest.mark.parametrize("value", [None, [], {}, {"day": {}, "leaves": []}, {**WRITTEN, "leaves": {}}])
def test_what_is_no_days_proof_is_refused(value: object) -> None:
    with pytest.raises(FairnessError):
        read_day_proof(value)


def test_a_path_longer_than_any_tree_and_a_list_beyond_a_match_are_refused() -> None:
    with pytest.raises(FairnessError, match="more than 32"):
        read_day_proof(changed("leaf", "path", ["00" * 64] * 33))
    with pytest.raises(FairnessError, match="more than 1000"):
        read_day_proof({**WRITTEN, "leaves": [WRITTEN["leaves"][0]] * 1001})
