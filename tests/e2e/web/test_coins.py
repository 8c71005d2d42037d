"""A table for coins in the browser: a name, the stake before one sits down, what was won, the statement."""

import asyncio

import pytest

from tests.e2e.test_admin import admin
from tests.e2e.web.conftest import Scenario
from tests.support.coin_players import PASSWORD, finish_matches, named, play_on, table_of
from tests.support.up import Up
from tests.support.wire_seat import new_id

pytestmark = pytest.mark.needs_browser


async def test_a_match_for_coins_from_the_stake_to_the_statement(quick: Up, scenario: Scenario) -> None:
    async with quick.channel() as channel:
        names = [f"{name} {new_id()[:8]}" for name in ("Host", "Friend")]
        host, friend = [await named(channel, name) for name in names]
        await finish_matches(quick, channel, host, friend)
        await scenario(quick, "coins", "desk", *names, PASSWORD)
        table_id = await table_of(channel, host)
        await play_on(channel, table_id, host, friend)
        await scenario(quick, "prize", "desk", *names, PASSWORD, table_id)
        checked = await admin(quick, "ledger", "check")
        assert checked.code == 0, checked.err


async def test_a_match_for_coins_that_is_ended_gives_the_stakes_back(quick: Up, scenario: Scenario) -> None:
    async with quick.channel() as channel:
        names = [f"{name} {new_id()[:8]}" for name in ("Host", "Friend")]
        host, friend = [await named(channel, name) for name in names]
        await finish_matches(quick, channel, host, friend)

        async def ended() -> None:
            table_id = await table_of(channel, host)
            assert (await admin(quick, "abort", table_id, "--reason", "a trial")).code == 0

        await asyncio.gather(scenario(quick, "refund", "desk", *names, PASSWORD), ended())
