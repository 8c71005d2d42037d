"""A proof put together from tiles is the one that the whole tree gives."""

import pytest

from services.shuffle.day_tree import TILE, join, places, split, tile_count
from shared.fairness.encoding import digest
from shared.fairness.merkle import inclusion_proof, tree_root

HASHES = [digest(number.to_bytes(4, "big")) for number in range(TILE * TILE + 300)]


@pytest.mark.parametrize("count", [1, 2, 3, 255, 256, 257, 511, 513, 5000, 65_535, 65_536, 65_537, 65_836])
def test_the_places_of_a_leaf_lead_to_the_root(count: int) -> None:
    levels = [HASHES[:count]]
    while len(levels[-1]) > 1 or len(levels) == 1:
        above = [tree_root(levels[-1][at : at + TILE]) for at in range(0, len(levels[-1]), TILE)]
        assert len(above) == tile_count(len(levels[-1]))
        levels.append(above)
    assert levels[-1] == [tree_root(HASHES[:count])]
    for index in {0, count // 2, count - 1}:
        path: tuple[bytes, ...] = ()
        for place in places(index, count):
            tile = levels[place.level][TILE * place.tile : TILE * (place.tile + 1)]
            path += inclusion_proof(tile, place.within)
        assert path == inclusion_proof(HASHES[:count], index)


def test_a_tile_comes_back_as_it_was_kept() -> None:
    assert split(join(HASHES[:7])) == HASHES[:7]
