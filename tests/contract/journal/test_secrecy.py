"""No deck and no new stock can be read off a journal; the table's own process can."""

import random

import pytest

from services.table.journal_reading import holds_sealed
from shared.kit.sealing import SealError, SealingKeys
from shared.rules.cards import codes
from shared.rules.options import make_options
from tests.support.journals import Kept, append_all, loaded
from tests.support.play import Temper
from tests.support.tables import TABLE_ID, PureTable, table_id_of


async def test_no_deck_and_no_new_stock_lies_in_clear(kept: Kept, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    while table.state.deal is None or not table.deal.reshuffles_used:
        table.play(rng, Temper(meld=0.0, amend=0.0, take=0.0, mischief=0.0), most=10)
    async with kept.opened() as journal:
        await append_all(journal, table)
    hidden = [entry.hidden for entry in table.entries if entry.hidden]
    assert (len(hidden), len(hidden[0])) == (2, 106)
    lying = await kept.lying()
    assert TABLE_ID.encode() in lying
    for cards in hidden:
        for window in (cards[:8], cards[-8:]):
            assert window not in lying
            for separator in (" ", "", '","'):
                assert separator.join(codes(window)).encode() not in lying


async def test_what_lies_sealed_opens_by_its_own_key_only_and_in_its_own_place(kept: Kept) -> None:
    table, other = PureTable(), PureTable(table_id=table_id_of(1))
    table.settle()
    other.settle()
    async with kept.opened() as journal:
        await append_all(journal, table)
        await append_all(journal, other)
        assert await holds_sealed(kept.database)
    async with kept.opened(SealingKeys([bytes(range(32)), bytes(32)])) as journal:
        assert await loaded(journal) == table.state
    async with kept.opened(SealingKeys([bytes(32)])) as journal:
        with pytest.raises(SealError):
            await journal.load(TABLE_ID)
    swap = "UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE table_id = :other AND sealed IS NOT NULL)"
    await kept.execute(
        f"{swap} WHERE table_id = :table AND sealed IS NOT NULL", other=other.state.table_id, table=TABLE_ID
    )
    async with kept.opened() as journal:
        with pytest.raises(SealError):
            await journal.load(TABLE_ID)


async def test_keys_are_needed_only_while_a_live_table_needs_them(kept: Kept, rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 50}))
    async with kept.opened() as journal:
        await journal.append(table.entries[0])
        assert not await holds_sealed(kept.database)
        table.play_on(rng)
        for entry in table.entries[1:]:
            await journal.append(entry)
            if entry.hidden:
                assert await holds_sealed(kept.database)
        assert not await holds_sealed(kept.database)
