"""`banakil admin` against a running platform: a table is listed, looked into, stopped, gone on with and ended."""

import asyncio
import json

import grpc
from banakil.common.v1.rule_options_pb2 import PRESET_SAHRAT, RuleOptions

from tests.support.cli import Ran, banakil
from tests.support.foursome import open_foursome
from tests.support.kit import eventually
from tests.support.up import Up


async def admin(up: Up, *arguments: str) -> Ran:
    options = ("--address", up.address, "--key", up.data / "keys/private/operator.jwk", "--as", "samira")
    return await asyncio.to_thread(banakil, "admin", *arguments, *options)


async def test_an_operator_looks_at_the_ledger(calm: Up) -> None:
    checked = await admin(calm, "ledger", "check")
    assert (checked.code, json.loads(checked.out)["breaches"]) == (0, [])
    assert json.loads((await admin(calm, "ledger", "balance")).out)["totalCoins"] == "0"
    stated = json.loads((await admin(calm, "ledger", "statement", "mint", "--count", "1")).out)
    assert len(stated["transfers"]) == (int(stated["balanceCoins"]) < 0)
    unknown = await admin(calm, "ledger", "trace", "0" * 32)
    assert (unknown.code, unknown.err.partition(":")[0]) == (1, "NO_SUCH_MATCH")


async def test_an_operator_looks_into_a_table_stops_it_and_ends_it(calm: Up, calm_channel: grpc.aio.Channel) -> None:
    async with open_foursome(calm, calm_channel, RuleOptions(preset=PRESET_SAHRAT)) as foursome:
        table_id = foursome.table_id
        listed = json.loads((await admin(calm, "tables")).out)
        assert table_id in [table["tableId"] for table in listed["tables"]]
        shown = await admin(calm, "inspect", table_id)
        seen = json.loads(shown.out)
        assert (seen["view"]["stage"], seen["view"]["deal"]["hand"], seen["watchers"]) == ("STAGE_DEAL", [], 4)
        for command, frozen in (("freeze", True), ("unfreeze", False)):
            assert (await admin(calm, command, table_id, "--reason", "a trial")).code == 0
            assert (await foursome.public()).frozen is frozen
        assert (await admin(calm, "abort", table_id, "--reason", "a trial")).code == 0
        assert (await foursome.public()).aborted
        refused = await admin(calm, "freeze", table_id, "--reason", "too late")
        assert (refused.code, refused.err.partition(":")[0]) == (1, "TABLE_CLOSED")
        refused = await admin(calm, "drain", calm.address, "--reason", "a trial")
        assert (refused.code, refused.err.partition(":")[0]) == (1, "NO_OTHER_POD")
    # Logged lines are written a moment later, many at once.
    await eventually(lambda: '"what":"abort"' in calm.log_path.read_text())
