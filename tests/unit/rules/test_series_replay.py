"""The record of a series: what it comes to, and every way in which its matches do not belong together."""

import copy
import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from shared.cli.answers import answer_about
from shared.cli.replay import replay_answer
from shared.cli.verify_record import check_file
from shared.cli.verify_report import Evidence, Report
from shared.fairness.signing_keys import KeyBook
from shared.rules.options import make_options
from shared.rules.record import MOST_DEALS, record_of
from shared.rules.refusal import Code, RecordError
from shared.rules.replay import replay
from shared.rules.series_record import is_series, series_of
from shared.rules.series_replay import SeriesReplayError, replay_series, series_json
from tests.support.series import PlayedSeries, play_series

Change = Callable[[dict[str, Any]], object]
KINDS: list[dict[str, object]] = [
    {"preset": "banakil202", "format": "best_of_3", "target": 50},
    {"preset": "sahrat", "format": "best_of_3", "target": 50},
    {"preset": "banakil202", "format": "best_of_3", "mode": "duel", "target": 50},
]


@pytest.fixture(scope="module")
def swapped() -> PlayedSeries:
    """A series of banakil202 after whose first match both teams swapped."""
    return play_series(random.Random("both swapped"), make_options(KINDS[0]), (0, 1))


def through_json(value: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(value))
    return read


def verified(value: dict[str, Any]) -> Report:
    return check_file(value, Evidence(KeyBook()), lambda: None)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_series_replays_to_what_was_played_and_verifies(kind: dict[str, object], rng: random.Random) -> None:
    options = make_options(kind)
    teams = rng.choice([(), (0,), (1,), (0, 1)]) if options.seats == 4 else ()
    played = play_series(rng, options, teams)
    value = through_json(played.record)
    assert is_series(value)
    answer = series_json(replay_series(series_of(value)))
    wins = list(played.series.wins)
    assert answer["series"] == {
        "wins": wins,
        "winner": wins.index(2),
        "seating": list(played.series.seating or range(options.seats)),
    }
    report = verified(value)
    assert report.verdict() is None
    assert [(part.match, part.deal) for part in report.deals] == [
        (match, deal) for match, starters in enumerate(played.starters, 1) for deal in range(1, len(starters) + 1)
    ]


def test_each_match_alone_is_a_record_of_its_own(swapped: PlayedSeries) -> None:
    """A file about one match says no less than before: only the match before it can say who starts."""
    for match in swapped.record["matches"]:
        alone = {**swapped.record, "deals": match["deals"]}
        del alone["matches"]
        result = replay(record_of(through_json(alone)))
        assert result.match is not None
        assert result.match.winner is not None


def test_starters_may_be_left_out_where_the_draw_or_the_match_before_gives_them(swapped: PlayedSeries) -> None:
    value = through_json(swapped.record)
    for match in value["matches"]:
        for deal in match["deals"]:
            del deal["starter"]
    result = replay_series(series_of(value))
    assert [[deal.starter for deal in match.deals] for match in result.matches] == swapped.starters


def moved(value: dict[str, Any], *path: Any) -> Any:
    for name in path:
        value = value[name]
    return value


def set_at(*path: Any) -> Callable[[Any], Change]:
    *way, last = path

    def to(new: Any) -> Change:
        def change(value: dict[str, Any]) -> None:
            moved(value, *way)[last] = new

        return change

    return to


def other_starter(value: dict[str, Any]) -> None:
    deal = value["matches"][1]["deals"][0]
    deal["starter"] = (deal["starter"] + 1) % 4


def first_match_twice(value: dict[str, Any]) -> None:
    value["matches"][1] = {**value["matches"][0], "swapped": [0, 1]}


def unfinished(value: dict[str, Any]) -> None:
    value["matches"][0]["deals"][-1]["actions"].pop()


def one_match_more(value: dict[str, Any]) -> None:
    value["matches"] = [*value["matches"][:1], *value["matches"]][:3]


@pytest.mark.parametrize(
    ("change", "match", "deal", "code"),
    [
        (set_at("matches", 1, "swapped")([0]), 2, 1, Code.BAD_RECORD),
        (set_at("matches", 1, "swapped")([]), 2, 1, Code.BAD_RECORD),
        (set_at("matches", 0, "swapped")([1]), 1, 0, Code.BAD_RECORD),
        (other_starter, 2, 1, Code.BAD_RECORD),
        (first_match_twice, 2, 1, Code.BAD_RECORD),
        (unfinished, 2, 0, Code.BAD_RECORD),
        (one_match_more, 2, 1, Code.BAD_RECORD),
    ],
)
def test_matches_that_do_not_belong_together_are_refused_where_they_stop_to(
    swapped: PlayedSeries, change: Change, match: int, deal: int, code: Code
) -> None:
    value = through_json(copy.deepcopy(swapped.record))
    change(value)
    with pytest.raises(SeriesReplayError) as stopped:
        replay_series(series_of(value))
    error = stopped.value.error
    assert (stopped.value.match, error.deal, error.code) == (match, deal, code)
    assert verified(value).verdict() is not None
    told: dict[str, Any] = answer_about(json.dumps(value).encode(), partial(replay_answer, lenient=False), 0)
    assert (told["error"]["match"], told["error"]["deal"], told["error"]["code"]) == (match, deal, code)


def test_no_match_follows_on_a_series_that_is_won(rng: random.Random) -> None:
    while True:
        value = through_json(play_series(rng, make_options(KINDS[0])).record)
        if len(value["matches"]) == 2:
            break
    value["matches"].append(value["matches"][1])
    with pytest.raises(SeriesReplayError) as stopped:
        replay_series(series_of(value))
    assert (stopped.value.match, stopped.value.error.deal, stopped.value.error.code) == (3, 0, Code.MATCH_OVER)


def test_a_swap_is_seen_in_the_accounts_and_verify_names_the_check(swapped: PlayedSeries) -> None:
    value = through_json(swapped.record)
    value["matches"][1]["swapped"] = [1]
    found = verified(value).verdict()
    assert found is not None
    part, check = found
    assert (part.match, part.deal, check.name) == (2, 1, "series")


@pytest.mark.parametrize(
    "change",
    [
        set_at("options", "format")("single"),
        set_at("options")({"preset": "banakil202"}),
        set_at("deals")([]),
        set_at("totals")([0, 0]),
        set_at("tiebreak")(False),
        set_at("matches")({}),
        set_at("matches")([{"deals": []}] * 4),
        set_at("matches")([1]),
        set_at("matches")([{}]),
        set_at("matches", 1, "swapped")([0, 0]),
        set_at("matches", 1, "swapped")([2]),
        set_at("matches", 1, "swapped")(0),
        set_at("matches", 1, "deals")([{}] * (MOST_DEALS + 1)),
        set_at("players")(["one"]),
        set_at("version")(2),
    ],
)
def test_what_is_no_series_is_refused_unread(swapped: PlayedSeries, change: Change) -> None:
    value = through_json(swapped.record)
    change(value)
    with pytest.raises(RecordError):
        series_of(value)


def test_who_reads_one_match_says_so_of_a_series(swapped: PlayedSeries) -> None:
    with pytest.raises(RecordError, match="series"):
        record_of(swapped.record)


def test_all_matches_together_have_the_limits_of_a_file(swapped: PlayedSeries) -> None:
    value = through_json(swapped.record)
    value["matches"][1]["deals"] += [{}] * (MOST_DEALS - len(value["matches"][1]["deals"]))
    with pytest.raises(SeriesReplayError, match="too many deals"):
        replay_series(series_of(value))


def test_refused_actions_are_listed_with_their_match(swapped: PlayedSeries) -> None:
    value = through_json(swapped.record)
    value["matches"][1]["deals"][0]["actions"].insert(0, f"{swapped.starters[1][0]} draw")
    answer: Any = series_json(replay_series(series_of(value), lenient=True))
    assert answer["refused"] == [{"match": 2, "deal": 1, "action": 1, "code": "ALREADY_DRAWN"}]
