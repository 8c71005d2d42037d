"""The audit log of the table service, on SQLite and Postgres: written before what it tells of, and bounded."""

import pytest
from sqlalchemy import func, insert, select
from structlog.testing import capture_logs

from services.table.app import MIGRATIONS
from services.table.listing import live_tables
from services.table.refusals import TableClosedError
from services.table.schema import TABLES
from shared.kit.audit import KEPT_MS, MOST_KEPT, Audit
from shared.kit.clock import VirtualClock
from shared.kit.database import Database
from shared.kit.migrations import migrate
from shared.kit.status import ApiError, InternalError
from shared.kit.tables import AUDIT

NOW_MS = 1_764_547_200_000


def translated(fault: Exception) -> ApiError:
    return fault if isinstance(fault, ApiError) else InternalError("INTERNAL")


async def entries(database: Database) -> list[tuple[object, ...]]:
    columns = (AUDIT.c.at_ms, AUDIT.c.operator, AUDIT.c.what, AUDIT.c.target, AUDIT.c.reason, AUDIT.c.outcome)
    async with database.reading() as connection:
        return [tuple(row) for row in await connection.execute(select(*columns).order_by(AUDIT.c.id))]


async def test_what_is_done_is_written_down_before_and_what_came_of_it_after(database: Database) -> None:
    await migrate(database, MIGRATIONS)
    audit = Audit(database, VirtualClock(NOW_MS), translated)

    async def work() -> str:
        assert [entry[-1] for entry in await entries(database)] == ["begun"]
        return "answer"

    with capture_logs() as logs:
        assert await audit.noting("samira", "abort", "a table", "a fault", work) == "answer"
    assert await entries(database) == [(NOW_MS, "samira", "abort", "a table", "a fault", "done")]
    told = {"operator": "samira", "what": "abort", "target": "a table", "reason": "a fault", "outcome": "done"}
    assert logs == [{"event": "operator.acted", "log_level": "warning", **told}]


@pytest.mark.parametrize(("fault", "outcome"), [(TableClosedError(), "TABLE_CLOSED"), (ValueError("7H"), "INTERNAL")])
async def test_what_is_refused_or_fails_is_written_down_with_its_code(
    database: Database, fault: Exception, outcome: str
) -> None:
    await migrate(database, MIGRATIONS)

    async def work() -> None:
        raise fault

    with pytest.raises(type(fault)):
        await Audit(database, VirtualClock(NOW_MS), translated).noting("samira", "freeze", "t", "r", work)
    assert [entry[-1] for entry in await entries(database)] == [outcome]


async def test_what_cannot_be_written_down_is_not_done(database: Database) -> None:
    async def work() -> None:
        raise AssertionError("done without a word")

    with pytest.raises(Exception, match="audit"):  # there is no such table yet
        await Audit(database, VirtualClock(NOW_MS), translated).noting("samira", "freeze", "t", "r", work)


async def test_entries_are_kept_for_so_long_and_so_many(database: Database) -> None:
    await migrate(database, MIGRATIONS)
    clock = VirtualClock(NOW_MS)
    audit = Audit(database, clock, translated)

    async def work() -> None:
        pass

    await audit.noting("samira", "first", "", "", work)
    clock.advance(KEPT_MS)
    await audit.noting("samira", "second", "", "", work)
    assert [entry[2] for entry in await entries(database)] == ["first", "second"]
    clock.advance(1)
    await audit.noting("samira", "third", "", "", work)
    assert [entry[2] for entry in await entries(database)] == ["second", "third"]
    async with database.transaction() as connection:
        newest = await connection.scalar(select(func.max(AUDIT.c.id)))
        row = {"at_ms": clock.now_ms(), "operator": "o", "what": "late", "target": "", "reason": "", "outcome": "done"}
        await connection.execute(insert(AUDIT).values(id=newest + MOST_KEPT, **row))
    await audit.noting("samira", "after it", "", "", work) if database.is_sqlite else None
    kept = [entry[2] for entry in await entries(database)]
    assert kept == (["late", "after it"] if database.is_sqlite else ["second", "third", "late"])


async def test_tables_are_listed_by_pages(database: Database) -> None:
    await migrate(database, MIGRATIONS)
    async with database.transaction() as connection:
        for number in range(5):
            row = {"table_id": f"t{number}", "epoch": 7, "revision": number, "live": number != 2}
            await connection.execute(insert(TABLES).values(**row, owner="pod" if number else None, rules_version=1))
    assert await live_tables(database, "", 2) == [("t0", 0, 7, ""), ("t1", 1, 7, "pod")]
    assert await live_tables(database, "t1", 9) == [("t3", 3, 7, "pod"), ("t4", 4, 7, "pod")]
