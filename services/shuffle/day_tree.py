"""A day's tree kept in tiles of 256 neighbours, so that a proof reads a few rows and not the whole day.

Tile n of level 0 has the leaf hashes from 256 * n on; one of a level above has roots of tiles below it. Since 256 is a
power of two, a tile is a whole subtree of the tree in RFC 6962, and only the last of a level may be short.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from shared.fairness.encoding import HASH_BYTES

TILE: Final = 256


class Place(NamedTuple):
    """A hash in its tile."""

    level: int
    tile: int
    within: int


def places(index: int, count: int) -> Iterator[Place]:
    """Where leaf `index` of `count`, and the roots above it, stand: one place a level, from the leaf upwards."""
    level = 0
    while True:
        tile, within = divmod(index, TILE)
        yield Place(level, tile, within)
        if count <= TILE:
            return
        index, count, level = tile, tile_count(count), level + 1


def tile_count(count: int) -> int:
    """How many tiles so many hashes fill."""
    return -(-count // TILE)


def join(hashes: Sequence[bytes]) -> bytes:
    """A tile as it is kept."""
    return b"".join(hashes)


def split(tile: bytes) -> list[bytes]:
    """The hashes of a tile."""
    return [tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES)]
