"""Postgres goes away, or the way to it: an append is there once or not at all, and nothing is written later."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from banakil.events.v1.facts_pb2 import DealEnded, Fact
from sqlalchemy import make_url, text

from services.table.journal import CommandTakenError, FencedError, Journal, JournalError
from services.table.postgres_journal import open_postgres_journal
from shared.kit.database import open_database
from tests.support.cut_line import Line, open_line
from tests.support.journals import KEYS, Kept, append_all, loaded
from tests.support.kit import PATIENCE_S
from tests.support.postgres import PostgresServer
from tests.support.tables import TABLE_ID, PureTable, table_id_of

pytestmark = pytest.mark.needs_postgres


@pytest.fixture
def table() -> PureTable:
    made = PureTable()
    made.settle()
    return made


@asynccontextmanager
async def over_a_line(kept: Kept) -> AsyncIterator[tuple[Journal, Line]]:
    """A journal of another process, which has appended a table's making, and its way to the database."""
    url = kept.database.engine.url
    async with open_line(f"{url.host}:{url.port}") as line:
        there = make_url(f"postgresql://{line.address}").set(username=url.username, database=url.database)
        async with (
            open_database(there.render_as_string()) as database,
            open_postgres_journal(database, KEYS, lambda: None) as journal,
        ):
            await journal.append(PureTable().entries[0])
            yield journal, line


async def claim(kept: Kept) -> int:
    """As whoever takes the table over does; the epoch."""
    async with kept.database.transaction() as connection:
        claimed = text("UPDATE tables SET epoch = epoch + 1 WHERE table_id = :table RETURNING epoch")
        return int(await connection.scalar(claimed, {"table": TABLE_ID}) or 0)


async def written(kept: Kept, command_id: str) -> int:
    return int(str((await kept.rows(f"SELECT count(*) FROM entries WHERE command_id = '{command_id}'"))[0][0]))


async def test_an_answer_that_is_lost_after_the_commit_is_found_once_by_who_claims_the_table(
    on_postgres: Kept, table: PureTable
) -> None:
    entry = table.entries[1]
    async with on_postgres.opened() as journal, over_a_line(on_postgres) as (other, line):
        line.lose_answers()
        append = asyncio.ensure_future(other.append(entry))
        async with asyncio.timeout(PATIENCE_S):
            while not await written(on_postgres, entry.command_id):
                pass
        assert not append.done()
        await line.cut()
        with pytest.raises(JournalError) as unknown:
            await asyncio.wait_for(append, PATIENCE_S)
        assert not isinstance(unknown.value, FencedError)
        epoch = await claim(on_postgres)
        assert await loaded(journal) == table.steps[1].after
        resent = table.entries[2]._replace(command_id=entry.command_id, epoch=epoch)
        with pytest.raises(CommandTakenError):
            await journal.append(resent)
        assert await written(on_postgres, entry.command_id) == 1


async def test_an_append_that_arrives_after_its_table_was_claimed_is_not_written(
    on_postgres: Kept, table: PureTable
) -> None:
    async with on_postgres.opened() as journal, over_a_line(on_postgres) as (other, line):
        line.delay_questions()
        append = asyncio.ensure_future(other.append(table.entries[1]))
        await asyncio.sleep(0.01)  # until it is on its way: nothing can be seen of that
        line.hang_up()
        with pytest.raises(JournalError):
            await asyncio.wait_for(append, PATIENCE_S)
        epoch = await claim(on_postgres)
        assert await loaded(journal) == table.steps[0].after
        await asyncio.wait_for(line.deliver(), PATIENCE_S)
        assert await loaded(journal) == table.steps[0].after
        await journal.append(table.entries[1]._replace(epoch=epoch))
        assert await loaded(journal) == table.steps[1].after


async def test_who_claims_a_table_waits_for_the_append_that_is_under_way(on_postgres: Kept, table: PureTable) -> None:
    """Its writer is gone, Postgres has not noticed, and something keeps it from committing."""
    fact = Fact(fact_id="held", deal_ended=DealEnded())
    entry = table.entries[1]._replace(facts=(fact,))
    held = text("INSERT INTO outbox (message_id, subject, payload, created_ms) VALUES ('held', 's', '', 0)")
    async with on_postgres.opened() as journal, over_a_line(on_postgres) as (other, line):
        async with on_postgres.database.engine.connect() as holder:
            await holder.execute(held)
            append = asyncio.ensure_future(other.append(entry))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            async with asyncio.timeout(PATIENCE_S):
                while await on_postgres.rows(waiting) != [(1,)]:
                    pass
                line.hang_up()
                with pytest.raises(JournalError):
                    await append
                claiming = asyncio.ensure_future(claim(on_postgres))
                while await on_postgres.rows(waiting) != [(2,)]:
                    pass
            assert not claiming.done()
            await holder.rollback()
        assert await asyncio.wait_for(claiming, PATIENCE_S) == 2
        assert await loaded(journal) == table.steps[1].after


async def test_a_server_that_dies_in_the_midst_of_appends_has_all_that_it_answered(
    on_postgres: Kept, postgres: PostgresServer
) -> None:
    tables = [PureTable(table_id=table_id_of(number)) for number in range(24)]
    for pure in tables:
        pure.settle()
    answered: dict[int, int] = dict.fromkeys(range(len(tables)), 0)
    under_way = asyncio.Event()
    async with on_postgres.opened() as journal:

        async def play(number: int) -> None:
            first, second, *_ = tables[number].entries
            await journal.append(first)
            while True:
                answered[number] += 1
                revision = answered[number] + 1
                await journal.append(second._replace(revision=revision, command_id=f"{revision}"))
                if sum(answered.values()) == 100:
                    under_way.set()

        playing = [asyncio.ensure_future(play(number)) for number in range(len(tables))]
        await asyncio.wait_for(under_way.wait(), PATIENCE_S)
        await asyncio.to_thread(postgres.stop, "immediate")
        outcomes = await asyncio.wait_for(asyncio.gather(*playing, return_exceptions=True), PATIENCE_S)
        assert {type(outcome) for outcome in outcomes} == {JournalError}
        with pytest.raises(JournalError):
            await asyncio.wait_for(journal.load(TABLE_ID), PATIENCE_S)
        await asyncio.to_thread(postgres.start)
        assert await asyncio.wait_for(journal.load(TABLE_ID), PATIENCE_S) is None
        found = await on_postgres.rows("SELECT table_id, count(*), max(revision) FROM entries GROUP BY table_id")
        assert len(found) == len(tables)
        for table_id, count, highest in found:
            number = next(n for n in answered if table_id_of(n) == table_id)
            assert count == highest
            assert highest in (answered[number], answered[number] + 1)
        await append_all(journal, PureTable(table_id=table_id_of(99)))


async def test_an_entry_that_the_server_refuses_fails_alone(on_postgres: Kept) -> None:
    tables = [PureTable(table_id=table_id_of(number)) for number in range(8)]
    entries = [table.entries[0] for table in tables]
    entries[3] = entries[3]._replace(command_id="x" * 201)
    entries[5] = entries[5]._replace(command_id="\0")
    async with on_postgres.opened() as journal:
        answers = await asyncio.gather(*map(journal.append, entries), return_exceptions=True)
        assert [type(answer) for answer in answers] == [
            JournalError if number in (3, 5) else type(None) for number in range(8)
        ]
        assert len(await journal.live_tables()) == 6


async def test_a_connection_that_the_server_ends_is_replaced(on_postgres: Kept, table: PureTable) -> None:
    """Whether that was noticed before the next append, or by it."""
    others = "pid <> pg_backend_pid() AND datname = current_database()"
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
    async with on_postgres.opened() as journal:
        await journal.append(table.entries[0])
        await loaded(journal)
        await on_postgres.rows(end)
        with suppress(JournalError):
            await journal.append(table.entries[1])
        await append_all(journal, table)
        assert await loaded(journal) == table.state
        await on_postgres.rows(end)
        await asyncio.sleep(0.1)  # until it is noticed: nothing can be seen of that
        await journal.append(PureTable(table_id=table_id_of(1)).entries[0])


async def test_no_error_says_what_was_to_be_written(on_postgres: Kept, table: PureTable) -> None:
    async with on_postgres.opened() as journal:
        for entry in table.entries[:2]:
            await journal.append(entry)
        await on_postgres.execute("ALTER TABLE entries RENAME TO away")
        try:
            with pytest.raises(JournalError) as failed:
                await journal.append(table.entries[2])
        finally:
            await on_postgres.execute("ALTER TABLE away RENAME TO entries")
    assert str(failed.value) == "UndefinedTableError"
