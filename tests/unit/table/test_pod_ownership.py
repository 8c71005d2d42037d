"""What a process of several makes of a database that cannot be asked."""

from types import SimpleNamespace
from typing import Any

import pytest
from asyncpg.exceptions import InternalClientError

from services.table.journal import JournalError
from services.table.ownership import Claim
from services.table.pod_ownership import PodOwnership
from services.table.refusals import DrainingError
from services.table.tables import Tables
from shared.kit.clock import Pace, VirtualClock
from shared.kit.pod_lease import RENEW_MS, LeaseLostError
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.options import SAHRAT
from shared.rules.version import RULES_VERSION
from tests.support.tables import creation, seated


class NoTables:
    def room(self) -> int:
        return 1

    def count(self) -> int:
        return 0

    def runs(self, _table_id: str) -> bool:
        return False

    async def take_over(self, claims: list[Claim]) -> None:
        raise AssertionError(claims)

    def let_go(self) -> None:
        """There are none."""


class Unreachable:
    """A lease, and the rows about tables, of a database that is away at the start."""

    pod_id = "a pod"
    address = "somewhere:1"
    holds = True
    takes = 0

    def __init__(self, fault: Exception | None = None) -> None:
        self._fault = fault or ConnectionError("the line is dead")

    async def owned(self, _table_id: str, _mine: str) -> None:
        raise self._fault

    async def take(self) -> None:
        self.takes += 1
        if self.takes == 1:
            self.pod_id = ""
            raise LeaseLostError("the line is dead")
        self.pod_id = "a pod"

    async def renew(self, _live_tables: int, *, draining: bool) -> None:
        assert not draining

    async def pods(self, _mine: str) -> None:
        raise ConnectionError("the line is dead")


@pytest.mark.parametrize("fault", [ConnectionError(), TimeoutError(), InternalClientError()])
async def test_a_claim_that_cannot_be_made_is_to_be_tried_again(fault: Exception) -> None:
    away: Any = Unreachable(fault)
    ownership = PodOwnership(away, away, VirtualClock(), away)
    with pytest.raises(JournalError):
        await ownership.claim("a table")


async def test_a_process_whose_database_goes_away_as_it_starts_takes_its_lease_later() -> None:
    away: Any = Unreachable()
    clock = VirtualClock()
    ownership = PodOwnership(away, away, clock, away)
    await ownership.begin(NoTables())
    running = spawn(ownership.run(), "ownership")
    await clock.run_for(2 * RENEW_MS)
    assert ownership.name == "a pod"
    await cancel_and_wait(running)


async def test_a_process_without_a_lease_makes_no_table_as_others_would_take_it_at_once() -> None:
    away: Any = Unreachable()
    away.pod_id = ""
    ownership = PodOwnership(away, away, VirtualClock(), away)
    tables = Tables(away, VirtualClock(), Pace(), away, ownership=ownership)
    with pytest.raises(DrainingError):
        await tables.create("a table", creation(SAHRAT, seated()), b"made")


class LeaseLostMeanwhile:
    """A journal that takes so long to load a table that the process has let go all that it had."""

    tables: Tables

    async def load(self, _table_id: str) -> Any:
        self.tables.let_go()
        return SimpleNamespace(rules_version=RULES_VERSION)


async def test_a_table_that_was_let_go_while_it_was_loaded_does_not_run() -> None:
    journal: Any = LeaseLostMeanwhile()
    tables = journal.tables = Tables(journal, VirtualClock(), Pace(), journal)
    with pytest.raises(DrainingError):
        await tables.get("a table")
    await tables.take_over([Claim("another", 1, 0)])
    assert tables.all() == []
