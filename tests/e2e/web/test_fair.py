"""The fair shuffle as a person takes part in it: Arabic on a phone, English on a desktop."""

from pathlib import Path

import pytest

from tests.e2e.web.conftest import Scenario
from tests.support.cli import banakil
from tests.support.up import Up

pytestmark = pytest.mark.needs_browser


@pytest.mark.parametrize("device", ["phone", "desk"])
async def test_ux_32_the_host_cuts_and_the_own_number_is_in_it(rigged: Up, scenario: Scenario, device: str) -> None:
    await scenario(rigged, "fair", device)


async def test_the_number_of_a_persons_browser_is_in_the_record_of_the_deal_and_every_check_of_it_holds(
    rigged: Up, scenario: Scenario, pictures: Path
) -> None:
    await scenario(rigged, "record", "phone")
    verified = banakil("verify", pictures / "record.json")
    assert verified.code == 0, verified.out


async def test_a_shuffle_that_somebody_fails_begins_anew_without_them_and_all_are_told(
    rigged: Up, scenario: Scenario
) -> None:
    await scenario(rigged, "void")
