"""What is public of days: their roots, their lists, and the proofs that deals are in them."""

from typing import Final, NamedTuple

from services.shuffle.day_store import DayStore
from services.shuffle.day_tree import places
from services.shuffle.refusals import UnknownDayError, UnknownMatchError
from shared.fairness.day import DayProof, DayRoot, LeafProof, Listed
from shared.fairness.merkle import inclusion_proof

MOST_DAYS: Final = 366
MOST_LISTED: Final = 1_000
MOST_LEAVES: Final = 250
NO_END: Final = 2**31 - 1


class MatchProofs(NamedTuple):
    """The proofs of some of a match's deals. `next_deal` is 0 where no more were asked for."""

    proofs: list[DayProof]
    pending: int
    next_deal: int


class PublicDays:
    """Answers to anybody."""

    def __init__(self, store: DayStore) -> None:
        self._store = store

    async def newest(self, before: int | None, most: int) -> list[DayRoot]:
        """Closed days before one, or the last, the newest first."""
        return await self._store.days(NO_END if before is None else before, min(most, MOST_DAYS))

    async def day(self, day: int, first: int) -> tuple[DayRoot, list[Listed]]:
        """A day, and up to 1000 of its reveals from a number on. Raises `UnknownDayError`."""
        found = await self._store.day(day)
        if found is None:
            raise UnknownDayError
        return found, await self._store.listed(day, first, MOST_LISTED)

    async def proofs(self, match_id: bytes, first_deal: int, deal_count: int) -> MatchProofs:
        """Of the match's deals from the first on, `deal_count` (0: all), as many as make up 250 leaves.

        Raises `UnknownMatchError` where none of these deals was begun.
        """
        end = min(first_deal + deal_count, NO_END) if deal_count else NO_END
        attempts = await self._store.of_match(match_id, first_deal, end)
        if not attempts:
            raise UnknownMatchError
        next_deal = attempts[MOST_LEAVES].listed.ctx.deal_no if len(attempts) > MOST_LEAVES else 0
        if next_deal:
            attempts = [placed for placed in attempts if placed.listed.ctx.deal_no < next_deal]
        days: dict[int, DayRoot | None] = {}
        leaves: dict[int, list[LeafProof]] = {}
        tiles: dict[tuple[int, int, int], list[bytes]] = {}
        pending = 0
        for placed in attempts:
            if placed.day is None or placed.number is None:
                pending += placed.revealed
                continue
            if placed.day not in days:
                days[placed.day] = await self._store.day(placed.day)
            root = days[placed.day]
            if root is None:
                pending += 1
                continue
            path = await self._path(placed.day, root.count, placed.number, tiles)
            leaves.setdefault(placed.day, []).append(LeafProof(placed.listed, placed.number, path))
        proofs = [DayProof(root, tuple(leaves[day])) for day, root in sorted(days.items()) if root is not None]
        return MatchProofs(proofs, pending, next_deal)

    async def _path(
        self, day: int, count: int, number: int, tiles: dict[tuple[int, int, int], list[bytes]]
    ) -> tuple[bytes, ...]:
        path: tuple[bytes, ...] = ()
        for place in places(number, count):
            key = day, place.level, place.tile
            if key not in tiles:
                tiles[key] = await self._store.tile(*key)
            path += inclusion_proof(tiles[key], place.within)
        return path
