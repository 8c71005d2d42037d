"""A Postgres server of the tests' own: started once, with an empty database for each that asks."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.needs import find_postgres

# Postgres refuses to run as root, and a user other than root cannot enter root's folders.
_USER = "postgres" if os.geteuid() == 0 else None


class PostgresServer:
    """A running server on the loopback that trusts everybody there."""

    def __init__(self, bin_dir: Path, data_dir: Path) -> None:
        self.bin_dir = bin_dir
        self.data_dir = data_dir
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    def new_database(self) -> str:
        """The address of a new, empty database."""
        name = f"test_{secrets.token_hex(6)}"
        self._run("createdb", "--host=127.0.0.1", f"--port={self.port}", "--username=postgres", name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def init(self) -> None:
        self._run(
            "initdb", f"--pgdata={self.data_dir}", "--auth=trust", "--username=postgres", "--no-sync", "-E", "UTF8"
        )

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.data_dir} -c fsync=off -c full_page_writes=off"
        )
        self._run("pg_ctl", f"--pgdata={self.data_dir}", "-w", "-o", options, f"--log={self.data_dir}/log", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stops it; `immediate` is as by kill -9."""
        self._run("pg_ctl", f"--pgdata={self.data_dir}", "-w", f"--mode={mode}", "stop")

    def _run(self, program: str, *args: str) -> None:
        # Its output goes to a file: a server that it starts would hold a pipe open for as long as it lives.
        # By `runuser` and not by `user=`, which forks in the midst of gRPC's threads.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [*(("runuser", "-u", _USER, "--") if _USER else ()), self.bin_dir / program, *args],
                cwd="/", check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
            output.seek(0)
            assert done.returncode == 0, output.read()


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Starts a server with its data in a folder that goes away with it."""
    bin_dir = find_postgres()
    assert bin_dir is not None, "mark the test with needs_postgres"
    data_dir = Path(tempfile.mkdtemp(prefix="banakil-postgres-"))
    if _USER is not None:
        shutil.chown(data_dir, _USER)
    server = PostgresServer(bin_dir, data_dir)
    try:
        server.init()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(data_dir, ignore_errors=True)
