"""Closes each day that is over: its tree, its root, its link to the day before, signed (docs/fair.md, the daily root).

Any number of processes may do so at once: what is computed depends on what is stored alone, and is stored once.
"""

from collections.abc import Sequence
from typing import Final

import structlog

from services.shuffle.custody import Custody
from services.shuffle.day_store import BATCH, DAY_MS, DayStore, Leaf, date_of
from services.shuffle.day_tree import TILE, tile_count
from shared.fairness import signing
from shared.fairness.day import DayRoot
from shared.fairness.merkle import EMPTY_ROOT, FIRST_CHAIN, NO_TRANSCRIPT, chain_hash, leaf_bytes, leaf_hash, tree_root
from shared.kit.clock import Clock

EVERY_MS: Final = 60_000

_log = structlog.get_logger("shuffle.days")


class DayCloser:
    """Closes days in their order, none left out since the first that has a reveal."""

    def __init__(self, store: DayStore, custody: Custody, clock: Clock) -> None:
        self._store = store
        self._custody = custody
        self._clock = clock

    async def run(self) -> None:
        """Background work: what is due, once a minute."""
        while True:
            await self.close_due()
            await self._clock.sleep_ms(EVERY_MS)

    async def close_due(self) -> None:
        """Closes every day before today."""
        today = self._clock.now_ms() // DAY_MS
        # This moves on to today, even with nothing to place: from then on the days before are complete.
        while await self._store.place_strays(self._clock.now_ms()) == BATCH:
            pass
        day = await self._store.first_open()
        while day is not None and day < today:
            await self._close(day)
            day += 1

    async def _close(self, day: int) -> None:
        date, count = date_of(day), await self._store.leaf_count(day)
        before = await self._store.day(day - 1)
        previous = FIRST_CHAIN if before is None else before.chain
        root = await self._root(day, count)
        chain = chain_hash(previous, date, root)
        key_id = self._custody.newest_key_id
        signature = self._custody.sign(key_id, signing.ROOT, signing.root_payload(date, count, root, chain))
        await self._store.add_day(day, DayRoot(date, count, root, chain, previous, key_id, signature))
        _log.info("day.closed", date=date, reveals=count, root=root.hex())

    async def _root(self, day: int, count: int) -> bytes:
        """Keeps the day's tree, a tile at a time, so that play goes on between them; its root."""
        if count == 0:
            return EMPTY_ROOT
        roots = []
        for number in range(tile_count(count)):
            leaves = await self._store.leaves(day, number * TILE)
            roots.append(await self._keep(day, 0, number, [_hash(leaf) for leaf in leaves]))
        level = 1
        while len(roots) > 1:
            tiles = [roots[at : at + TILE] for at in range(0, len(roots), TILE)]
            roots = [await self._keep(day, level, number, tile) for number, tile in enumerate(tiles)]
            level += 1
        return roots[0]

    async def _keep(self, day: int, level: int, number: int, hashes: Sequence[bytes]) -> bytes:
        await self._store.add_tile(day, level, number, hashes)
        return tree_root(hashes)


def _hash(leaf: Leaf) -> bytes:
    transcript = NO_TRANSCRIPT if leaf.transcript is None else leaf.transcript
    return leaf_hash(leaf_bytes(leaf.ctx, leaf.commitment, leaf.secret, transcript))
