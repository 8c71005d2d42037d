"""A person finishes a deal of each preset through the page alone: Arabic on a phone, English on a desktop."""

from pathlib import Path

import pytest

from shared.rules.record import read_record
from shared.rules.replay import replay

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize("preset", ["PRESET_SAHRAT", "PRESET_BANAKIL202"])
@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_a_person_finishes_a_deal_ux_35(
    brisk: Up, scenario: Scenario, pictures: Path, device: str, preset: str
) -> None:
    await scenario(brisk, "deal", device, preset)
    replay(read_record((pictures / f"{device}-{preset}.json").read_bytes()))


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_a_match_ends_and_another_begins(quick: Up, scenario: Scenario, device: str) -> None:
    await scenario(quick, "match", device)
