"""Statements that are asked again and again are planned for the table as it is, not as it once was."""

import pytest

from shared.kit.database import open_database
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.needs_postgres
PASSED = "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'items'"
"""Rows that this transaction read one after the other, in search of those it wanted."""


async def test_rows_are_found_by_their_keys_in_a_table_that_has_grown_since_it_was_small(
    postgres: PostgresServer,
) -> None:
    some = ([str(number) for number in range(64)],)
    async with open_database(postgres.new_database()) as database, database.transaction() as connection:
        await connection.exec_driver_sql("CREATE TABLE items (key VARCHAR(20) PRIMARY KEY, name VARCHAR(20))")
        await connection.exec_driver_sql("INSERT INTO items SELECT i, 'a' FROM generate_series(0, 999) AS i")
        for _ in range(10):
            await connection.exec_driver_sql("SELECT name FROM items WHERE key = ANY($1)", some)
        await connection.exec_driver_sql("INSERT INTO items SELECT i, 'a' FROM generate_series(1000, 49999) AS i")
        before = (await connection.exec_driver_sql(PASSED)).scalar_one()
        found = (await connection.exec_driver_sql("SELECT name FROM items WHERE key = ANY($1)", some)).all()
        assert len(found) == 64
        assert (await connection.exec_driver_sql(PASSED)).scalar_one() == before
