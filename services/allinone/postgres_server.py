"""A Postgres server for as long as it is needed: its data in a folder that goes away with it."""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.kit.ports import free_port

# Postgres refuses to run as root, and a user other than root cannot enter root's folders.
_USER: Final = "postgres" if os.geteuid() == 0 else None
SAFE: Final = ""
FAST: Final = "-c fsync=off -c full_page_writes=off"
"""Options of a server whose data need not survive the machine's death."""


class PostgresServer:
    """A server on the loopback that trusts everybody there."""

    def __init__(self, bin_dir: Path, data_dir: Path, options: str = SAFE) -> None:
        self.bin_dir = bin_dir
        self.data_dir = data_dir
        self._options = options
        self.port = free_port()

    def new_database(self, name: str = "") -> str:
        """The address of a new, empty database."""
        name = name or f"db_{secrets.token_hex(6)}"
        self._run("createdb", "--host=127.0.0.1", f"--port={self.port}", "--username=postgres", name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def init(self) -> None:
        """Makes its data folder."""
        self._run(
            "initdb", f"--pgdata={self.data_dir}", "--auth=trust", "--username=postgres", "--no-sync", "-E", "UTF8"
        )

    def start(self) -> None:
        """Returns once it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.data_dir} {self._options}"
        self._run("pg_ctl", f"--pgdata={self.data_dir}", "-w", "-o", options, f"--log={self.data_dir}/log", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stops it; `immediate` is as by kill -9."""
        self._run("pg_ctl", f"--pgdata={self.data_dir}", "-w", f"--mode={mode}", "stop")

    def _run(self, program: str, *args: str) -> None:
        """Raises ``RuntimeError`` with what the program said."""
        # Its output goes to a file: a server that it starts would hold a pipe open for as long as it lives.
        # By `runuser` and not by `user=`, which forks in the midst of gRPC's threads.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [*(("runuser", "-u", _USER, "--") if _USER else ()), self.bin_dir / program, *args],
                cwd="/", check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
            if done.returncode:
                output.seek(0)
                raise RuntimeError(output.read())


def find_postgres() -> Path | None:
    """The folder with Postgres' `initdb` and `postgres`, the newest where there are several.

    Debian keeps them out of PATH, in a folder per version.
    """
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    debian = [bin_dir for bin_dir in Path("/usr/lib/postgresql").glob("*/bin") if (bin_dir / "initdb").exists()]
    return max(debian, key=lambda bin_dir: int(bin_dir.parent.name), default=None)


@contextmanager
def running_postgres(bin_dir: Path, options: str = SAFE) -> Iterator[PostgresServer]:
    """Starts a server, and in the end kills it."""
    data_dir = Path(tempfile.mkdtemp(prefix="banakil-postgres-"))
    if _USER is not None:
        shutil.chown(data_dir, _USER)
    server = PostgresServer(bin_dir, data_dir, options)
    try:
        server.init()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(data_dir, ignore_errors=True)
