"""Pods and the ownership of tables in Postgres: every statement about them but the lease's own."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from services.table.ownership import Claim
from services.table.pods import Pod
from shared.kit.pod_lease import IS_DEAD, NOW
from shared.kit.transactions import Rows, Transactions

KEPT_MS: Final = 60_000
"""How long the row of a dead pod without tables is kept."""

_PODS: Final = (
    f"SELECT pod_id, address, renewed_ms, live_tables, draining, pod_id = $1 OR NOT {IS_DEAD} AS alive"
    " FROM pods ORDER BY pod_id"
)
_OWNER: Final = (
    "SELECT epoch, live, rules_version, coalesce(owner, ''), coalesce(address, ''),"
    f" pod_id IS NULL OR (pod_id <> $2 AND {IS_DEAD})"
    " FROM tables LEFT JOIN pods ON pod_id = owner WHERE table_id = $1"
)
# Whoever claims a table at which nobody has written anything since it was last claimed keeps that claim's outage.
_CLAIM: Final = """
WITH picked AS (
  SELECT table_id AS id,
         CASE WHEN since_revision = revision THEN since_ms ELSE renewed_ms END AS alive_ms
  FROM tables LEFT JOIN pods ON pod_id = owner
  WHERE {which} FOR UPDATE OF tables {others}
)
UPDATE tables SET owner = $1, epoch = epoch + 1, since_ms = alive_ms, since_revision = revision
FROM picked WHERE table_id = id
RETURNING table_id, epoch, coalesce(alive_ms, 0)
"""
_CLAIM_ONE: Final = _CLAIM.format(which="table_id = $2 AND epoch = $3", others="")
_CLAIM_SOME: Final = _CLAIM.format(
    which="live AND (pod_id IS NULL OR pod_id = ANY($2::text[])) AND rules_version = ANY($3::int[]) LIMIT $4",
    others="SKIP LOCKED",
)
_MINE: Final = "SELECT table_id FROM tables WHERE owner = $1 AND live"
_PURGE: Final = (
    f"DELETE FROM pods WHERE expires_ms < {NOW} - {KEPT_MS}"
    " AND NOT EXISTS (SELECT 1 FROM tables WHERE owner = pod_id AND live)"
)


class Owned(NamedTuple):
    """Whose a table is."""

    epoch: int
    live: bool
    rules_version: int
    owner: str
    """The pod's id, empty where it has none."""
    address: str
    is_free: bool
    """Whether its owner is dead, or there is none."""


class PodRows:
    """Asks and changes them."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def pods(self, mine: str) -> list[Pod]:
        """All pods that are known, this one alive."""

        async def work(rows: Rows) -> list[Pod]:
            return [Pod(*row) for row in await rows.fetch(_PODS, mine)]

        return await self._transactions.read(work)

    async def owned(self, table_id: str, mine: str) -> Owned | None:
        """Whose the table is; ``None`` where there is no such table."""

        async def work(rows: Rows) -> Owned | None:
            if "\0" in table_id:
                return None  # no text in Postgres has one
            found = await rows.fetch(_OWNER, table_id, mine)
            return Owned(*found[0]) if found else None

        return await self._transactions.read(work)

    async def claim(self, table_id: str, epoch: int, mine: str) -> Claim | None:
        """Claims a table that stands at this epoch, once every append under it has ended; ``None`` if it does not."""

        async def work(rows: Rows) -> Sequence[Claim]:
            return [Claim(*row) for row in await rows.fetch(_CLAIM_ONE, mine, table_id, epoch)]

        claimed = await self._transactions.write(work)
        return claimed[0] if claimed else None

    async def claim_some(self, most: int, dead: Iterable[str], versions: Iterable[int], mine: str) -> list[Claim]:
        """Claims live tables of these dead pods, or of nobody, which these versions of the rules play.

        Those that somebody claims or writes to at this moment are left for the next time.
        """

        async def work(rows: Rows) -> list[Claim]:
            found = await rows.fetch(_CLAIM_SOME, mine, list(dead), list(versions), most)
            return [Claim(*row) for row in found]

        return await self._transactions.write(work)

    async def mine(self, mine: str) -> set[str]:
        """The live tables that this pod owns."""

        async def work(rows: Rows) -> set[str]:
            return {row[0] for row in await rows.fetch(_MINE, mine)}

        return await self._transactions.read(work)

    async def purge(self) -> None:
        """Forgets pods that have long been dead and own nothing."""

        async def work(rows: Rows) -> None:
            await rows.fetch(_PURGE)

        await self._transactions.write(work)
