"""A process lets its tables go: who still asks is told so, and the table's own commands go without a word."""

import asyncio
import io
import json

import pytest

from services.table.commands import Play, Presence
from services.table.refusals import DrainingError
from shared.rules.actions import Draw
from tests.support.table_process import TableProcess
from tests.support.tables import PEOPLE


async def test_own_commands_that_a_stop_overtakes_are_no_fault(process: TableProcess, log: io.StringIO) -> None:
    actor = await process.make()
    for seat in range(4):
        actor.tell(Presence(PEOPLE[seat], away=False), f"presence:{seat}")
    waiting = asyncio.ensure_future(actor.submit(Play("ada", 1, 1, Draw(0)), "ada:1", b""))
    await process.stop()  # the first is being journalled, the others wait
    with pytest.raises(DrainingError):
        await waiting
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line for line in lines if line["level"] not in {"debug", "info"}] == []
