"""What a caller is told when a service's database cannot be asked: that it is away, and never what was asked of it."""

from __future__ import annotations

import sqlite3
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from shared.kit.app import App
from shared.kit.database import is_away
from shared.kit.status import DEPENDENCY_AWAY, INTERNAL, ApiError, AwayError, InternalError

RETRY_AFTER_MS: Final = 500

_log = structlog.get_logger("kit.database")


def translate_database_faults(app: App) -> None:
    """Has faults of a database answered with ``DEPENDENCY_AWAY`` where it could not be reached, else ``INTERNAL``."""
    for kind in (DBAPIError, sqlite3.Error, PoolTimeoutError, ConnectionError, TimeoutError):
        app.translate(kind, _translated)


def _translated(fault: Exception) -> ApiError:
    if isinstance(fault, DBAPIError | sqlite3.Error) and not _is_away(fault):
        return InternalError(INTERNAL)
    _log.warning("database.failed", exc_info=fault)
    return AwayError(DEPENDENCY_AWAY, "the database cannot be reached", retry_after_ms=RETRY_AFTER_MS)


def _is_away(fault: DBAPIError | sqlite3.Error) -> bool:
    if isinstance(fault, sqlite3.Error):  # of a statement that did not pass through SQLAlchemy
        return isinstance(fault, sqlite3.OperationalError)
    return fault.connection_invalidated or isinstance(fault, OperationalError | InterfaceError) or is_away(fault)
