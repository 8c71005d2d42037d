"""Ceremonies of every kind hold, and one byte changed anywhere in what is published of them does not."""

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.fairness.checks import Outcome, first_failed
from shared.fairness.closed import NO_HOST
from shared.fairness.derive import DEALER_DRAW, HOST_CUT, derived_starter
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import read_fair, write_fair
from shared.fairness.verify import Expected, verify_fair
from tests.support.fair_deals import ABSENT, BOT, HUMAN, Ceremony, Signer, with_witness

SIGNER = Signer()
Path = tuple[str | int, ...]


@st.composite
def ceremonies(draw: st.DrawFn) -> Ceremony:
    """Any way in which a deal can honestly come about."""
    seats = draw(st.sampled_from((2, 4)))
    kinds = draw(st.lists(st.sampled_from((ABSENT, HUMAN, HUMAN, BOT)), min_size=seats, max_size=seats))
    left = [seat for seat, kind in enumerate(kinds) if kind is HUMAN]
    voids: list[list[int]] = []
    while left and draw(st.integers(0, 3)) == 0:
        failed = sorted(draw(st.lists(st.sampled_from(left), min_size=1, unique=True)))
        voids.append(failed)
        left = [seat for seat in left if seat not in failed]
    by_cut = draw(st.booleans())
    return Ceremony(
        seed=draw(st.text("abc", max_size=8)),
        kinds=kinds,
        rules="banakil202" if by_cut else "sahrat",
        match_no=1 if by_cut else draw(st.integers(1, 3)),
        deal_no=1 if by_cut else draw(st.integers(1, 9)),
        host=draw(st.integers(0, seats - 1)) if by_cut else NO_HOST,
        cut=draw(st.integers(0, 105)) if by_cut else 0,
        beacon=draw(st.binary(max_size=40)),
        voids=voids,
        accounts=draw(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), min_size=4, max_size=4)),
        signer=SIGNER,
    )


def expected_of(deal: FairDeal) -> Expected:
    rule = DEALER_DRAW if deal.closed.host == NO_HOST else HOST_CUT
    return Expected(deal.ctx.rules, deal.ctx.seats, rule, deal.ctx.series == deal.ctx.match)


@given(ceremonies())
@settings(max_examples=150)
def test_an_honest_deal_reads_back_and_nothing_in_it_fails(ceremony: Ceremony) -> None:
    deal = ceremony.deal()
    assert read_fair(json.loads(json.dumps(write_fair(deal)))) == deal
    checks = verify_fair(deal, expected=expected_of(deal), verify_signature=SIGNER.verify)
    assert first_failed(checks) is None
    draws = deal.derivation()
    assert sorted(draws.deck_ids()) == list(range(106))
    for n, length in enumerate((0, 1, 17, 106), start=1):
        assert sorted(draws.reshuffle(bytes(range(length)), n)) == list(range(length))


def full_deal(seed: str) -> tuple[FairDeal, Expected]:
    """One with all that a file can hold: void attempts, a cut, a beacon, signatures, a witness.

    The seats that fail send nothing: of a wrong c no file can show that it is the one that was sent.
    """
    ceremony = Ceremony(
        seed,
        (HUMAN, HUMAN, HUMAN, BOT),
        "banakil202",
        host=1,
        cut=44,
        beacon=b"beacon",
        voids=((0,), (2,)),
        signer=SIGNER,
    )
    deal = ceremony.deal()
    expected = expected_of(deal)
    starter = derived_starter(deal.closed, deal.derivation(), expected.starter_rule)
    assert starter is not None
    return with_witness(deal, ceremony, 1, starter), expected


def holding(fair: object, expected: Expected) -> frozenset[str] | None:
    """The checks that hold; None where something fails or can't be read."""
    try:
        checks = verify_fair(read_fair(fair), expected=expected, verify_signature=SIGNER.verify)
    except FairnessError:
        return None
    if first_failed(checks) is not None:
        return None
    return frozenset(check.name for check in checks if check.outcome is Outcome.HOLDS)


def said(node: Any) -> Any:
    """The object without its empty fields, which say as much as none."""
    if isinstance(node, dict):
        return {name: said(value) for name, value in node.items() if value != ""}
    return [said(value) for value in node] if isinstance(node, list) else node


def values(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value of the object that is not itself an object or a list."""
    if isinstance(node, dict | list):
        steps: Any = node.items() if isinstance(node, dict) else enumerate(node)
        for step, child in steps:
            yield from values(child, (*path, step))
    else:
        yield path, node


def put(fair: Any, path: Path, value: object) -> Any:
    changed = copy.deepcopy(fair)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def one_changed(value: object, rng: random.Random) -> list[object]:
    """Values that differ from `value` by one step: a digit, a letter, one more or less, one taken away or put on."""
    if isinstance(value, int):
        return [value + 1, value - 1, value ^ 128, str(value), float(value), not value]
    assert isinstance(value, str)
    if not value:
        return ["0", "00", "a"]
    at = rng.randrange(len(value))
    other = rng.choice([c for c in "0123456789abcdef" if c != value[at]])
    return [value[:at] + other + value[at + 1 :], value[:-1], value + "0", value + "00", "", value.upper() + " "]


def test_one_change_in_any_field_is_found(rng: random.Random) -> None:
    deal, expected = full_deal("every field")
    fair = write_fair(deal)
    everything = holding(fair, expected)
    assert everything is not None
    fields = list(values(fair))
    assert len(fields) > 100
    for path, value in fields:
        for changed in one_changed(value, rng):
            left = holding(put(fair, path, changed), expected)
            if path[-1] == "key":
                # With another key's id nothing fails, but no signature holds any more.
                assert left is not None
                assert left < everything
            else:
                assert left is None, (path, changed)


def test_one_change_in_any_field_is_found_without_signatures_and_witness(rng: random.Random) -> None:
    deal, expected = full_deal("nothing but the record")
    bare = replace(deal, played=replace(deal.played, signatures=None), void=(), witness=None)
    fair = write_fair(bare)
    assert holding(fair, expected) is not None
    for path, value in values(fair):
        for changed in one_changed(value, rng):
            assert holding(put(fair, path, changed), expected) is None, (path, changed)


def test_seats_in_another_order_are_found() -> None:
    deal, expected = full_deal("order")
    fair: Any = write_fair(replace(deal, witness=None))
    for part in (fair, *fair["void"]):
        for a in range(4):
            for b in range(a):
                part["seats"][a], part["seats"][b] = part["seats"][b], part["seats"][a]
                assert holding(fair, expected) is None
                part["seats"][a], part["seats"][b] = part["seats"][b], part["seats"][a]
    assert holding(fair, expected) is not None


@pytest.mark.parametrize("part", ["void", "void.signatures", "signatures", "witness"])
def test_a_part_that_is_taken_away_is_never_said_to_hold(part: str) -> None:
    deal, expected = full_deal("parts")
    everything = holding(write_fair(deal), expected)
    taken = {
        "void": replace(deal, void=()),
        "void.signatures": replace(
            deal, void=tuple(replace(v, attempt=replace(v.attempt, signatures=None)) for v in deal.void)
        ),
        "signatures": replace(deal, played=replace(deal.played, signatures=None)),
        "witness": replace(deal, witness=None),
    }[part]
    left = holding(write_fair(taken), expected)
    assert everything is not None
    assert left is not None
    assert left < everything


def test_one_byte_changed_anywhere_in_the_file_is_found(rng: random.Random) -> None:
    deal, expected = full_deal("every byte")
    fair = write_fair(deal)
    text = json.dumps(fair, ensure_ascii=False).encode()
    everything = holding(fair, expected)
    assert everything is not None
    told_apart = 0
    for at in range(len(text)):
        changed = text[:at] + bytes((rng.choice([b for b in range(32, 127) if b != text[at]]),)) + text[at + 1 :]
        try:
            read = json.loads(changed)
        except ValueError:
            continue
        # -0 is 0; and of two fields of one name the last counts, which may hide an empty one.
        if said(read) == said(fair):
            continue
        left = holding(read, expected)
        assert left is None or left < everything, changed[max(0, at - 30) : at + 30]
        told_apart += 1
    assert told_apart > len(text) // 2
