"""Beside the play, on phone and desk, in both languages: leaving, coming back, series, lookers-on, phrases, breaks."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


async def test_who_leaves_on_purpose_is_asked_and_told_and_the_others_see_who_plays(
    rigged: Up, scenario: Scenario
) -> None:
    await scenario(rigged, "leaving")


async def test_ux_37_a_grace_is_seen_then_the_bot_and_the_seat_is_taken_back(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "away")


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_who_opens_a_link_to_look_on_sees_no_hand(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "looking", device)


async def test_what_is_said_arrives_until_it_is_muted(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "saying")


async def test_ux_35_a_series_with_swaps_of_seats_a_tie_break_and_again(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "series")


async def test_a_match_of_sahrat_to_222_goes_on_where_both_teams_are_level(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "level")


async def test_friends_agree_to_a_break_and_go_on(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "pausing")
