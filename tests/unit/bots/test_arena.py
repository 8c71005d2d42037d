import json

import pytest

from services.bots.arena import contest
from services.bots.arena.contest import Contest, play_pair, play_pairs
from services.bots.arena.deals import BadPolicyError, Times, cards_of, play_deal
from services.bots.arena.report import report, without_times
from services.bots.arena.statistics import Sprt, estimate, percentile
from shared.rules.actions import Discard, SeatAction
from shared.rules.options import SAHRAT, preset_options
from shared.rules.views import View
from tests.support.bot_deals import PRESETS
from tests.support.cli import banakil


class Stubborn:
    """Throws the first card of all, whether it has it or not."""

    def choose(self, view: View) -> SeatAction:
        return Discard(view.turn, 0)


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_a_policy_against_itself_gains_nothing_and_wins_half(preset: str, mode: str) -> None:
    for pair in play_pairs(Contest(preset_options(preset, mode), "greedy", "greedy", 1), 4):
        assert (pair.points, pair.won) == (0, 0.5)
        one, other = pair.games
        assert one.deals == other.deals


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_greedy_beats_random(preset: str, mode: str) -> None:
    pairs = list(play_pairs(Contest(preset_options(preset, mode), "greedy", "random", 1), 12))
    assert estimate([pair.points for pair in pairs]).low > 5


def test_teams_change_cards_but_not_the_starter() -> None:
    pair = play_pair(Contest(SAHRAT, "greedy", "random", 3), 1)
    assert [game.a_team for game in pair.games] == [0, 1]
    gaps = [game.deals[0].teams[game.a_team] - game.deals[0].teams[1 - game.a_team] for game in pair.games]
    assert pair.points == sum(gaps) / 4


def test_a_contest_is_played_again_to_the_card_also_by_several_processes() -> None:
    for matches in (False, True):
        asked = Contest(SAHRAT, "greedy", "random", 5, partner="greedy", matches=matches)
        alone, together = (
            without_times(report(asked, list(play_pairs(asked, 3, jobs)), 1e6, Sprt(0, 1))) for jobs in (1, 2)
        )
        assert alone == together


def test_a_match_is_played_to_its_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Contest(SAHRAT, "greedy", "random", 1, matches=True)
    pair = play_pair(asked, 0)
    for game in pair.games:
        totals = [sum(deal.teams[team] for deal in game.deals) for team in (0, 1)]
        assert max(totals) >= 2 * SAHRAT.target > sum(deal.teams[0] for deal in game.deals[:-1])
        assert game.won == (totals[game.a_team] > totals[1 - game.a_team])
    monkeypatch.setattr(contest, "MOST_DEALS", 1)
    assert [len(game.deals) for game in play_pair(asked, 0).games] == [1, 1]


def test_a_partner_given_sits_opposite_both_and_its_time_counts_for_nobody() -> None:
    alone = play_pair(Contest(SAHRAT, "greedy", "greedy", 1), 0)
    beside = play_pair(Contest(SAHRAT, "greedy", "greedy", 1, partner="greedy"), 0)
    assert beside.games == alone.games
    decisions = [sum(len(times.wall_ms) for times in pair.times) for pair in (alone, beside)]
    assert decisions[1] < decisions[0] * 0.75


def test_a_policy_that_plays_against_the_rules_is_named_with_the_deal() -> None:
    cards = cards_of(SAHRAT, 0, "7 0 0")
    cards = cards._replace(deck=bytes(sorted(cards.deck, reverse=True)))
    with pytest.raises(BadPolicyError, match=r"7 0 0, turn 1: Discard.*CARD_NOT_IN_HAND"):
        play_deal(cards, [Stubborn()] * 4, [Times([], [])] * 4)


def test_intervals_are_those_of_a_mean() -> None:
    assert estimate([1.0, 3.0, 1.0, 3.0]) == pytest.approx((2, 2 - 1.1316, 2 + 1.1316), abs=1e-4)
    assert estimate([4.0]) == (4, float("-inf"), float("inf"))
    assert [percentile([1, 2, 3, 4], share) for share in (0, 0.5, 0.99)] == [1, 3, 4]
    assert percentile([], 0.5) == 0


def test_the_sequential_test_decides_once_it_knows_enough() -> None:
    test = Sprt(0, 2)
    assert test.verdict([3.0, 1.0] * 10) is None
    assert test.verdict([3.0, 1.0] * 30) == "gain"
    assert test.verdict([1.0, -1.0] * 30) == "none"
    assert test.verdict([11.0, -9.0] * 30) is None
    assert test.ratio([0.0] * 40) == 0


def test_the_command_prints_its_figures() -> None:
    ran = banakil(
        "arena", "--a", "greedy", "--b", "random", "--pairs", "40", "--preset", "banakil202", "--sprt", "--json"
    )
    figures = ran.answer
    assert figures["sprt"]["verdict"] == "gain"
    assert figures["pairs"] < 40
    assert figures["points_per_deal"]["low"] > 0
    assert figures["of_a"]["decisions"]["wall_ms"]["p50"] > 0
    assert "points_per_deal" in banakil("arena", "--a", "random", "--b", "random", "--pairs", "1").out
    assert json.loads(ran.out) == figures


def test_the_command_says_which_policies_there_are() -> None:
    for names in (("nobody", "greedy"), ("greedy", "nobody")):
        ran = banakil("arena", "--a", names[0], "--b", names[1])
        assert ran.code == 2
        assert "no policy 'nobody'" in ran.err
