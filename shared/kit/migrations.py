"""Brings a service's database up to the shape that its code expects.

A service keeps its alembic revisions in one folder and calls :func:`migrate` when it starts. Revisions expand first and
contract a release later, so code meets a database that is one release ahead of it (a roll-back) and must go on: a
database whose revision is unknown here is left as it is, and said so.
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

from shared.kit.database import Database, lock_key

_ENVIRONMENT: Final = Path(__file__).parent / "migration_env"
_log = structlog.get_logger("kit.migrations")


async def migrate(database: Database, revisions: Path) -> None:
    """Applies the revisions in ``revisions`` that are missing, in one transaction; others who try meanwhile wait."""
    async with database.transaction() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock_key("migrations")})
        await connection.run_sync(_upgrade, revisions)


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
