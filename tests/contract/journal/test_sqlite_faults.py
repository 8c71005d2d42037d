"""A disk that fails: nothing is half written, nobody waits for ever, and the journal goes on once the disk does."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.table.journal import JournalError
from services.table.sqlite_journal import SqliteJournal
from tests.support.journals import KEYS, Kept, append_all, loaded
from tests.support.kit import PATIENCE_S
from tests.support.tables import TABLE_ID, PureTable, seated, table_id_of


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def size_of_log(on_sqlite: Kept) -> int:
    assert on_sqlite.database.path is not None
    return Path(f"{on_sqlite.database.path}-wal").stat().st_size


async def test_a_commit_that_finds_the_disk_full_fails_alone_and_the_next_goes_through(on_sqlite: Kept) -> None:
    async with on_sqlite.opened() as journal:
        for number in range(30):
            await append_all(journal, PureTable(table_id=table_id_of(number)))
        table = PureTable()
        with full_disk(size_of_log(on_sqlite)), pytest.raises(JournalError):
            await asyncio.wait_for(journal.append(table.entries[0]), PATIENCE_S)
        assert await journal.load(TABLE_ID) is None
        await asyncio.wait_for(journal.append(table.entries[0]), PATIENCE_S)
        assert await loaded(journal) == table.state


async def test_what_fails_half_way_leaves_nothing_of_itself(on_sqlite: Kept) -> None:
    """The facts cannot be written: neither is the entry, nor any of its batch, whose outcome nobody then knows."""
    table, other = PureTable(seats=seated("ada", "", "cem", "dana")), PureTable(table_id=table_id_of(1))
    async with on_sqlite.opened() as journal:
        await journal.append(other.entries[0])
        other.settle()
        await on_sqlite.execute("ALTER TABLE outbox RENAME TO away")
        appends = [journal.append(table.entries[0]), journal.append(other.entries[1])]
        answers = await asyncio.gather(*appends, return_exceptions=True)
        assert isinstance(answers[0], JournalError)
        await on_sqlite.execute("ALTER TABLE away RENAME TO outbox")
        assert await journal.load(TABLE_ID) is None
        assert await loaded(journal, other.state.table_id) == other.steps[0 if answers[1] else 1].after
        await append_all(journal, table)
        await append_all(journal, other)
        assert await loaded(journal, other.state.table_id) == other.state


async def test_a_database_that_cannot_be_read_is_said_to_be_away(on_sqlite: Kept) -> None:
    async with on_sqlite.opened() as journal:
        await on_sqlite.execute("ALTER TABLE entries RENAME TO away")
        for question in (journal.load(TABLE_ID), journal.find_command(TABLE_ID, "x"), journal.match_record(bytes(16))):
            with pytest.raises(JournalError):
                await question
        await on_sqlite.execute("ALTER TABLE away RENAME TO entries")
        assert await journal.load(TABLE_ID) is None


async def test_no_error_says_what_was_to_be_written(on_sqlite: Kept) -> None:
    table = PureTable()
    table.settle()
    async with on_sqlite.opened() as journal:
        for entry in table.entries[:2]:
            await journal.append(entry)
        await on_sqlite.execute("ALTER TABLE entries RENAME TO away")
        with pytest.raises(JournalError) as failed:
            await journal.append(table.entries[2])
    assert str(failed.value) == "OperationalError"


async def test_a_journal_that_was_closed_answers_nobody_late(on_sqlite: Kept) -> None:
    assert on_sqlite.database.path is not None
    journal = SqliteJournal(on_sqlite.database.path, KEYS, lambda: None)
    journal.close()
    with pytest.raises(JournalError):
        await asyncio.wait_for(journal.append(PureTable().entries[0]), PATIENCE_S)
    await asyncio.wait_for(journal.run(), PATIENCE_S)
    journal.end()
    with pytest.raises(JournalError):
        await asyncio.wait_for(journal.beat(1), PATIENCE_S)
