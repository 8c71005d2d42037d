"""The script that makes the services' databases in a cluster, on a real Postgres."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from services.allinone.key_folder import DATABASES, make_keys
from shared.kit.database import open_database
from tests.support.postgres import PostgresServer

SCRIPT: Final = Path(__file__).parents[2] / "deploy/k8s/base/postgres/databases.sh"
pytestmark = pytest.mark.needs_postgres


@pytest.fixture(scope="module")
def address(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the script has been at work."""
    keys = tmp_path_factory.mktemp("keys")
    make_keys(keys)
    server = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PASSWORDS": str(keys / "database")}
    path = f"{postgres.bin_dir}:{os.environ['PATH']}"
    subprocess.run(["bash", SCRIPT], env={**server, "PATH": path}, check=True)
    return f"127.0.0.1:{postgres.port}"


@pytest.mark.parametrize("service", DATABASES)
async def test_each_service_gets_a_database_that_no_other_enters(service: str, address: str) -> None:
    async with open_database(f"postgresql://{service}@{address}/{service}") as own, own.transaction() as connection:
        await connection.execute(text("CREATE TABLE t (n integer)"))
    async with open_database(
        f"postgresql://{service}@{address}/{'wallet' if service == 'lobby' else 'lobby'}"
    ) as other:
        with pytest.raises(DBAPIError, match="permission denied"):
            await other.answers()


async def test_passwords_are_kept_as_hashes_alone(address: str) -> None:
    async with open_database(f"postgresql://postgres@{address}/postgres") as server, server.reading() as connection:
        kept = await connection.execute(text("SELECT rolname, rolpassword FROM pg_authid WHERE rolpassword <> ''"))
        hashes = {row.rolname: row.rolpassword for row in kept}
    assert set(hashes) == set(DATABASES)
    assert all(each.startswith("SCRAM-SHA-256$") for each in hashes.values())
