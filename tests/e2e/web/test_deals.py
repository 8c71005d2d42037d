"""A person finishes a deal of each preset through the page alone: Arabic on a phone, English on a desktop."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize("preset", ["PRESET_SAHRAT", "PRESET_BANAKIL202"])
@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_ux_35_a_person_finishes_a_deal(rigged: Up, scenario: Scenario, device: str, preset: str) -> None:
    await scenario(rigged, "deal", device, preset)


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_a_match_ends_and_another_begins(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "match", device)
