"""Whoever wants to check a match needs no account and, once the page is there, no connection."""

import pytest

from tests.e2e.conftest import Begun
from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize(("device", "preset"), [("phone", "sahrat"), ("desk", "banakil202")])
async def test_ux_43_verify_works_every_deal_out_again_without_a_connection(
    quick: Up, begun: Begun, scenario: Scenario, device: str, preset: str
) -> None:
    played = await begun[preset, "duel"]
    await scenario(quick, "verify", device, played.match_id)
