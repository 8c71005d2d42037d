"""A Postgres server of the tests' own: started once, with an empty database for each that asks."""

from collections.abc import Iterator
from contextlib import contextmanager

from services.allinone.postgres_server import FAST, PostgresServer, find_postgres
from services.allinone.postgres_server import running_postgres as running

__all__ = ["PostgresServer", "running_postgres"]


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Starts a server with its data in a folder that goes away with it."""
    bin_dir = find_postgres()
    assert bin_dir is not None, "mark the test with needs_postgres"
    with running(bin_dir, FAST) as server:
        yield server
