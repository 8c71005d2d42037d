"""What callers are told of a database's fault: to come again, where it cannot be asked now, and else nothing."""

import sqlite3

import pytest
from sqlalchemy.exc import DBAPIError

from shared.kit.app import App
from shared.kit.clock import VirtualClock
from shared.kit.database_faults import translate_database_faults
from shared.kit.status import ApiError
from tests.support.kit import Identities


class PostgresError(Exception):
    """As the driver tells it."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__("hidden")
        self.sqlstate = sqlstate


def by_postgres(sqlstate: str | None) -> DBAPIError:
    return DBAPIError("SELECT hidden", {}, PostgresError(sqlstate))


@pytest.fixture
async def app() -> App:
    clock = VirtualClock()
    made = App(verifier=Identities(clock).verifier("table"), clock=clock)
    translate_database_faults(made)
    return made


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (by_postgres("08006"), "DEPENDENCY_AWAY"),
        (by_postgres("53300"), "DEPENDENCY_AWAY"),  # too many connections
        (by_postgres("57P01"), "DEPENDENCY_AWAY"),  # it is being stopped
        (by_postgres("57P03"), "DEPENDENCY_AWAY"),  # it starts, or recovers
        (by_postgres("22021"), "INTERNAL"),
        (by_postgres("42P01"), "INTERNAL"),
        (by_postgres(None), "INTERNAL"),
        (ConnectionRefusedError(), "DEPENDENCY_AWAY"),
        (TimeoutError(), "DEPENDENCY_AWAY"),
        (sqlite3.OperationalError("hidden"), "DEPENDENCY_AWAY"),
        (sqlite3.IntegrityError("hidden"), "INTERNAL"),
        (ValueError("hidden"), "INTERNAL"),
    ],
    ids=repr,
)
async def test_a_fault_tells_whether_to_come_again_and_nothing_else(app: App, fault: Exception, code: str) -> None:
    told: ApiError = app.typed_error(fault)
    assert told.code == code
    assert "hidden" not in str(told)
    assert bool(told.retry_after_ms) == (code == "DEPENDENCY_AWAY")
