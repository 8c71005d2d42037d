"""The fair shuffle as a person takes part in it: Arabic on a phone, English on a desktop."""

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_ux_32_the_host_cuts_and_the_own_number_is_in_it(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "fair", device)


async def test_the_number_of_a_persons_browser_is_in_the_record_of_the_deal_and_every_check_of_it_holds(
    rigged: Up, scenario: Scenario, pictures: Path
) -> None:
    await scenario(rigged, "record", "phone")
    verdict = verify_file((pictures / "record.json").read_bytes())
    assert verdict.holds
