"""What depends on the cards, with cards chosen for it: nothing is waited for, and nothing tried twice."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser
devices = pytest.mark.parametrize("device", ["phone", "desk"])


@devices
async def test_ux_27_a_joker_is_taken_back_where_that_is_legal(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "swap", device)


@devices
async def test_ux_27_a_two_moves_where_that_is_legal(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "two", device)


@devices
async def test_an_unmet_duty_is_undone(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "undo", device)


@devices
async def test_with_no_stock_left_one_may_pass(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "pass", device)


async def test_ux_40_a_whole_deal_by_keyboard_is_said_once(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "keyboard", "desk")


@devices
async def test_ux_24_and_25_the_pile_says_what_is_taken_before_it_is(
    rigged: Up, scenario: Scenario, device: str
) -> None:
    await scenario(rigged, "pile", device)


async def test_ux_25_time_that_runs_out_takes_nothing_from_the_pile(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "pile", "desk", "5")
