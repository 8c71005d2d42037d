"""The design's acceptance points that only a browser can show, each with its number; P is a phone, D a desktop."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser
devices = pytest.mark.parametrize("device", ["phone", "desk"])


@devices
async def test_ux_6_no_page_scroll_nothing_clipped(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "layout", device, "6")


async def test_ux_7_portrait_asks_to_turn_and_keeps_the_game(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "access", "phone", "7")


async def test_ux_8_strips_and_glyphs_are_wide_enough(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "layout", "phone", "8")


@devices
async def test_ux_10_controls_are_large_and_discard_stands_apart(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "layout", device, "10")


async def test_ux_16_the_own_order_lasts(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "hand", "desk", "16")


async def test_ux_17_sorting_is_stable_and_a_drawn_card_is_marked(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "hand", "phone", "17")


@devices
async def test_ux_18_every_drag_has_a_tap_and_a_key(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "hand", device, "18")


@devices
async def test_ux_19_and_21_the_tray_judges_at_once_and_tells_nobody(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "tray", device, "19")


async def test_ux_22_meld_all_is_one_command(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "tray", "desk", "22")


async def test_ux_23_staged_cards_survive_a_reload_and_come_back(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "tray", "desk", "23")


@devices
async def test_ux_24_and_25_the_pile_says_what_is_taken_before_it_is(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "pile", device)


@devices
async def test_ux_26_a_discard_takes_two_steps_and_one_command(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "acting", device, "26")


async def test_ux_28_hints_send_no_command(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "acting", "desk", "28")


async def test_ux_30_the_last_five_seconds(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "sounds", "desk")


async def test_ux_36_fifty_cuts_leave_the_view_as_it_would_be(brisk: Up, scenario: Scenario) -> None:
    await scenario(brisk, "cut", "desk")


@devices
async def test_ux_39_no_serious_fault_by_axe(brisk: Up, scenario: Scenario, device: str) -> None:
    await scenario(brisk, "access", device, "39")


async def test_ux_40_turns_by_keyboard_are_said_once(easy: Up, scenario: Scenario) -> None:
    await scenario(easy, "keyboard", "desk")


@devices
async def test_friends_join_by_link_and_come_back(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "friends", device)
