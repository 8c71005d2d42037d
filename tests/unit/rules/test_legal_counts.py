"""The golden counts of what may be done in 300 positions, as perft is to chess."""

import json
from typing import Any

from shared.rules.notation import parse_notation, write_notation
from tests.golden.make_legal_counts import FILE, counts

POSITIONS: list[dict[str, Any]] = json.loads(FILE.read_text())["positions"]


def test_the_counts_are_what_they_were() -> None:
    for entry in POSITIONS:
        state = parse_notation(entry["position"])
        assert write_notation(state) == entry["position"]
        assert counts(state) == {key: entry[key] for key in ("melds", "amends", "discards", "takes")}, entry["position"]


def test_the_positions_are_many_and_of_all_kinds() -> None:
    assert len(POSITIONS) >= 200
    assert sum(entry["checked"] for entry in POSITIONS) >= 200
    for kind in (
        "sahrat",
        "banakil202",
        "mode=duel",
        " draw ",
        " play ",
        "min_real",
        "two_move",
        "natural_two_is_real",
    ):
        assert sum(kind in entry["position"] for entry in POSITIONS) >= 15, kind
    for count in ("melds", "amends", "discards", "takes"):
        assert sum(entry[count] > 0 for entry in POSITIONS) >= 40, count
