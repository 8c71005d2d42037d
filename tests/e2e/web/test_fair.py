"""The fair shuffle as a person takes part in it: Arabic on a phone, English on a desktop."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_ux_32_the_host_cuts_and_the_own_number_is_in_it(easy: Up, scenario: Scenario, device: str) -> None:
    await scenario(easy, "fair", device)
