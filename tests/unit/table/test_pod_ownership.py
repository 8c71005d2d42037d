"""What a process of several makes of a database that cannot be asked."""

from typing import Any

import pytest

from services.table.journal import JournalError
from services.table.pod_ownership import PodOwnership
from shared.kit.clock import VirtualClock


class Unreachable:
    pod_id = "a pod"
    address = "somewhere:1"
    holds = True

    async def owned(self, _table_id: str, _mine: str) -> None:
        raise ConnectionError("the line is dead")


async def test_a_claim_that_cannot_be_made_is_to_be_tried_again() -> None:
    away: Any = Unreachable()
    ownership = PodOwnership(away, away, VirtualClock(), away)
    with pytest.raises(JournalError):
        await ownership.claim("a table")
