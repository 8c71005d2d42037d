"""Brings a service's database up to the shape that its code expects.

A service keeps its alembic revisions in one folder and calls :func:`migrate` when it starts. Revisions expand first and
contract a release later, so code meets a database that is one release ahead of it (a roll-back) and must go on: a
database whose revision is unknown here is left as it is, and said so.

A Postgres that is not there yet is waited for: after a power cut everything starts at once, in any order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from shared.kit.clock import Clock, RealClock
from shared.kit.database import Database, DatabaseAddressError, is_away, lock_key

PATIENCE_MS: Final = 60_000
ASK_EVERY_MS: Final = 500

_ENVIRONMENT: Final = Path(__file__).parent / "migration_env"
_log = structlog.get_logger("kit.migrations")


async def migrate(database: Database, revisions: Path, clock: Clock | None = None) -> None:
    """Applies the revisions in ``revisions`` that are missing, in one transaction; others who try meanwhile wait.

    Raises OSError where the database is not there within a minute, and :class:`DatabaseAddressError` where it will not
    have us: a wrong password, no such database.
    """
    if not database.is_sqlite:
        await _wait_until_there(database, clock or RealClock())
    async with database.transaction() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock_key("migrations")})
        await connection.run_sync(_upgrade, revisions)


async def _wait_until_there(database: Database, clock: Clock) -> None:
    gives_up_ms = clock.monotonic_ms() + PATIENCE_MS
    while True:
        try:
            await database.answers()
        except DBAPIError as refusal:
            if not is_away(refusal) or clock.monotonic_ms() > gives_up_ms:
                raise DatabaseAddressError(f"the database refuses us: {refusal.orig}") from None
        except OSError:
            if clock.monotonic_ms() > gives_up_ms:
                raise
        else:
            return
        _log.warning("database.away", gives_up_in_ms=gives_up_ms - clock.monotonic_ms())
        await clock.sleep_ms(ASK_EVERY_MS)


def _upgrade(connection: Connection, revisions: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(_ENVIRONMENT).replace("%", "%%"))
    config.set_main_option("version_locations", str(revisions).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    present = MigrationContext.configure(connection).get_current_revision()
    if present is not None and present not in known:
        _log.warning("database.found_newer", revision=present)
        return
    command.upgrade(config, "head")
    _log.info("database.migrated", was=present)
