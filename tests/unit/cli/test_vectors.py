"""`banakil vectors`: enough cases of each kind, every code among them, and each of them right by a second reading."""

import json
from functools import cache
from typing import Any

from shared.cli.vector_cases import AMEND_CODES, AMEND_FLAGS
from shared.cli.vector_layouts import LAYOUT_CODES, LAYOUT_FLAGS
from shared.rules.options import Options, make_options
from tests.support import brute
from tests.support.cli import banakil

COUNT = 300


@cache
def vectors() -> dict[str, Any]:
    ran = banakil("vectors", "--count", str(COUNT), "--seed", "5")
    assert ran.code == 0
    whole: dict[str, Any] = json.loads(ran.out)
    return whole


def options_of(case: dict[str, Any]) -> Options:
    return make_options({"preset": "sahrat", **case["options"]})


def test_there_are_as_many_of_each_kind_as_asked_for_half_of_them_legal() -> None:
    assert {kind: len(vectors()[kind]) for kind in ("melds", "amends")} == {"melds": COUNT, "amends": COUNT}
    assert [case["ok"] for case in vectors()["amends"]] == [True, False] * (COUNT // 2)


def test_every_code_is_there_and_every_option_has_each_value() -> None:
    for kind, codes, flags in (("melds", LAYOUT_CODES, LAYOUT_FLAGS), ("amends", AMEND_CODES, AMEND_FLAGS)):
        cases = vectors()[kind]
        assert {case["code"] for case in cases if not case["ok"]} == {code.value for code in codes}
        for flag in flags:
            assert len({case["options"][flag] for case in cases}) == 2
    assert {case["kind"] for case in vectors()["melds"] if case["ok"]} == {"run", "set"}
    assert {case["joker_released"] for case in vectors()["amends"] if case["ok"]} == {True, False}


def test_the_same_seed_gives_the_same_cases() -> None:
    few = ["vectors", "--count", "20"]
    assert banakil(*few).out == banakil(*few, "--seed", "1").out
    assert banakil(*few).out != banakil(*few, "--seed", "2").out


def test_a_case_stands_on_a_line_of_its_own() -> None:
    assert len(banakil("vectors", "--count", "3").out.splitlines()) == 1 + 2 * (3 + 2)
    assert banakil("vectors", "--count", "0").code == 0


def test_a_meld_is_legal_where_a_second_reading_of_the_rules_says_so() -> None:
    for case in vectors()["melds"]:
        options = options_of(case)
        assert case["ok"] == brute.is_meld(case["cards"], options), case
        if case["ok"]:
            place = None if brute.reads_as_set(case["cards"]) else brute.run_place(case["cards"])
            assert (case["kind"], case["start"]) == (("run", place[0]) if place else ("set", None)), case


def test_an_amend_is_legal_where_a_second_reading_of_the_rules_says_so() -> None:
    for case in vectors()["amends"]:
        [meld] = case["melds"]
        options, seat, owner = options_of(case), case["seat"], meld["owner"]
        old = brute.TableMeld(owner, tuple(meld["cards"]), tuple(meld["layers"]))
        understood = brute.amend_outcomes(old, tuple(case["cards"]), case["hand"], seat, options)
        touchable = owner == seat or (owner == seat ^ 2 and (case["opened"] or not options.partner_needs_opening))
        assert case["ok"] == (bool(understood) and touchable and case["id"] == meld["id"]), case
        if case["ok"]:
            told = brute.Outcome(tuple(case["layers"]), tuple(case["added"]), case["joker_released"])
            assert told in understood, case
