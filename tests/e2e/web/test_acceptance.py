"""The design's acceptance points that only a browser can show, each with its number; P is a phone, D a desktop."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser
devices = pytest.mark.parametrize("device", ["phone", "desk"])


@devices
async def test_ux_6_no_page_scroll_nothing_clipped(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "layout", device, "6")


async def test_ux_7_portrait_asks_to_turn_and_keeps_the_game(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "access", "phone", "7")


async def test_ux_8_strips_and_glyphs_are_wide_enough(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "layout", "phone", "8")


@devices
async def test_ux_10_controls_are_large_and_discard_stands_apart(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "layout", device, "10")


async def test_ux_14_a_tap_chooses_at_once_and_draws_nothing_else_anew(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "hand", "phone", "14")


@devices
async def test_ux_15_a_drag_lands_within_one_slot(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "hand", device, "15")


async def test_ux_16_the_own_order_lasts(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "hand", "desk", "16")


async def test_ux_17_sorting_is_stable_and_a_drawn_card_is_marked(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "hand", "phone", "17")


@devices
async def test_ux_18_every_drag_has_a_tap_and_a_key(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "hand", device, "18")


@devices
async def test_ux_19_and_21_the_tray_judges_at_once_and_tells_nobody(
    rigged: Up, scenario: Scenario, device: str
) -> None:
    await scenario(rigged, "tray", device, "19")


async def test_ux_22_meld_all_is_one_command(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "tray", "desk", "22")


async def test_ux_23_staged_cards_survive_a_reload_and_come_back(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "tray", "desk", "23")


@devices
async def test_ux_26_a_discard_takes_two_steps_and_one_command(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "acting", device, "26")


async def test_ux_28_hints_send_no_command(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "acting", "desk", "28")


async def test_ux_30_the_last_five_seconds(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "sounds", "desk")


async def test_ux_34_less_motion_is_respected(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "motion", "phone")


async def test_ux_36_fifty_cuts_leave_the_view_as_it_would_be(rigged: Up, scenario: Scenario) -> None:
    await scenario(rigged, "cut", "desk")


@devices
async def test_ux_39_no_serious_fault_by_axe(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "access", device, "39")


@devices
async def test_friends_join_by_link_and_come_back(calm: Up, scenario: Scenario, device: str) -> None:
    await scenario(calm, "friends", device)
