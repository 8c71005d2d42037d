"""The end of a match (R8.1, R8.2), and who starts its next deal (R3.2)."""

import random
from fractions import Fraction

import pytest

from shared.rules.match import MatchState, after_deal, next_starter
from shared.rules.options import Options
from tests.support.records import options_of, record, replayed

SAHRAT, OTHER = options_of(), options_of("banakil202")


def decided(options: Options, totals: tuple[float, float], *, tiebreak: bool = False) -> tuple[int | None, bool]:
    """The winner and whether an extra deal is due, once a deal has brought the totals there."""
    match = after_deal(MatchState(options, tiebreak=tiebreak), (int(2 * totals[0]), int(2 * totals[1])))
    return match.winner, match.tiebreak


@pytest.mark.parametrize(
    ("totals", "outcome"),
    [
        ((222, 0), (0, False)),
        ((221.5, 0), (None, False)),
        ((0, 222), (1, False)),
        ((222, 222), (None, True)),
        ((230, 229.5), (0, False)),
        ((229.5, 230), (1, False)),
        ((221.5, 221.5), (None, False)),
        ((-40, -40), (None, False)),
        ((222, 221.5), (0, False)),
    ],
)
def test_sahrat_the_higher_wins_and_level_plays_on(
    totals: tuple[float, float], outcome: tuple[int | None, bool]
) -> None:
    assert decided(SAHRAT, totals) == outcome


@pytest.mark.parametrize("tiebreak", [False, True])
def test_where_level_plays_on_a_deal_that_was_extra_is_like_any_other(tiebreak: bool) -> None:
    assert decided(SAHRAT, (210, 200), tiebreak=tiebreak) == (None, False)
    assert decided(SAHRAT, (223, 222), tiebreak=tiebreak) == (0, False)
    assert decided(SAHRAT, (223, 223), tiebreak=tiebreak) == (None, True)


@pytest.mark.parametrize(
    ("totals", "tiebreak", "outcome"),
    [
        ((202, 201.5), False, (0, False)),
        ((201.5, 100), False, (None, False)),
        ((202, 202), False, (None, True)),
        ((207, 202), False, (None, True)),
        ((207.5, 202), False, (0, False)),
        ((202, 207.5), False, (1, False)),
        ((203, 198), True, (None, True)),
        ((203, 197.5), True, (0, False)),
        ((150, 160), True, (1, False)),
        ((250, 250), True, (None, True)),
    ],
)
def test_banakil202_a_gap_over_5_decides(
    totals: tuple[float, float], tiebreak: bool, outcome: tuple[int | None, bool]
) -> None:
    assert decided(OTHER, totals, tiebreak=tiebreak) == outcome


def test_totals_run_on() -> None:
    match = after_deal(after_deal(MatchState(SAHRAT, (3, 5)), (10, -7)), (-1, 2))
    assert (match.totals, match.deals) == ((12, 0), 2)


def by_the_text(options: Options, totals: tuple[Fraction, Fraction], tiebreak: bool) -> tuple[int | None, bool]:
    there = [team for team in (0, 1) if totals[team] >= options.target]
    higher = None if totals[0] == totals[1] else 0 if totals[0] > totals[1] else 1
    gap = abs(totals[0] - totals[1])
    if options.tie_rule == "level_plays_on":
        return (None, False) if not there else (higher, higher is None)
    if tiebreak or len(there) == 2:
        return (higher, False) if gap > 5 else (None, True)
    return (there[0], False) if there else (None, False)


def test_any_totals_come_out_as_the_text_of_the_rules_has_it(rng: random.Random) -> None:
    for _ in range(2000):
        options = options_of(
            rng.choice(("sahrat", "banakil202")), target=rng.choice((50, 202)),
            tie_rule=rng.choice(("level_plays_on", "gap_over_5")),
        )  # fmt: skip
        near = [2 * options.target + rng.randint(-14, 14) for _ in (0, 1)]
        tiebreak = rng.random() < 0.5
        match = after_deal(MatchState(options, tiebreak=tiebreak), (near[0], near[1]))
        wanted = by_the_text(options, (Fraction(near[0], 2), Fraction(near[1], 2)), tiebreak)
        assert (match.winner, match.tiebreak) == wanted


def test_the_next_deal_starts_one_seat_on() -> None:
    assert [next_starter(seat, SAHRAT) for seat in range(4)] == [1, 2, 3, 0]
    assert [next_starter(seat, options_of(mode="duel")) for seat in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("preset", "totals", "said", "due"),
    [
        ("sahrat", [0, 0], True, False),
        ("sahrat", [222, 222], False, True),
        ("sahrat", [230, 222], True, False),
        ("banakil202", [100, 100], True, True),
        ("banakil202", [204, 204], False, False),
    ],
)
def test_a_record_says_whether_tie_break_deals_have_begun_but_where_level_plays_on_the_totals_do(
    preset: str, totals: list[int], said: bool, due: bool
) -> None:
    match = replayed(record(options_of(preset), [], totals=totals, tiebreak=said)).match
    assert match is not None
    assert match.tiebreak is due
