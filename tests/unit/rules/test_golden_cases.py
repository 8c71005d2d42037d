"""Our own conformance cases: positions and answers written by hand from the rules, each named for the rule it shows.

The files have the shape of a conformance suite: `{"cases": [{"name", "record", "answer"}]}`, with `"call": "legal"`
for what may be done at the end, and `"lenient": true` where refused actions are skipped and listed. Fields that an
answer does not have are not compared; of a refusal any of the `codes` is right.
"""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shared.cli.answers import answer_about
from shared.cli.legal import legal_answer
from shared.cli.replay import replay_answer

FOLDER = Path(__file__).parents[2] / "golden" / "cases"
CASES: list[dict[str, Any]] = [
    case for file in sorted(FOLDER.glob("*.json")) for case in json.loads(file.read_text())["cases"]
]
PATIENCE_SECONDS = 60.0


def same(got: Any, wanted: Any) -> bool:
    """Whether all that is wanted is there."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and same(got[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(same, got, wanted))
    return bool(got == wanted)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_library_gives_the_answer(case: dict[str, Any]) -> None:
    answerer = (
        legal_answer if case.get("call") == "legal" else partial(replay_answer, lenient=case.get("lenient", False))
    )
    got: Any = answer_about(json.dumps(case["record"]).encode(), answerer, PATIENCE_SECONDS)
    wanted = case["answer"]
    if "error" in wanted:
        place = {key: wanted["error"][key] for key in ("deal", "action")}
        assert same(got, {"error": place})
        assert got["error"]["code"] in wanted["error"]["codes"]
    else:
        assert same(got, wanted), got


def test_every_rule_of_play_has_a_case_that_names_it() -> None:
    named = {rule for case in CASES for rule in re.findall(r"R\d\.\d[a-h]?", case["name"])}
    rules = {"R2.1", "R3.1", "R3.2", "R3.3", "R6.1", "R6.2", "R6.3", "R8.1", "R8.2", "R9.2", "R9.3"}
    rules |= {f"R4.{number}" for number in range(1, 7)} | {f"R5.{number}" for number in (1, 2, 3, 4, 6, 7, 8)}
    rules |= {f"R5.5{part}" for part in "abcdefgh"} | {f"R7.{number}" for number in range(1, 6)}
    assert rules - named == set()
    assert len({case["name"] for case in CASES}) == len(CASES)
