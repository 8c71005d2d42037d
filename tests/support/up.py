"""`banakil up` as people run it: a process of its own, in a folder of its own, to be killed and started again."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from shared.kit.clients import OPTIONS
from shared.kit.clock import Clock, RealClock
from shared.kit.identity import IssuedToken, TokenIssuer
from shared.kit.keys import SigningKey
from tests.support.kit import PATIENCE_S, eventually

FAULTY = {"error", "critical"}
BANAKIL_UP = ("shared.cli", "up")
EAR = "ear"
"""A bus user that no platform has, and may hear everything."""


class Up:
    """The platform over one data folder. ``address`` stays the same when it is started again, ``page`` does not.

    ``program``: the module that runs it, which takes the options of ``banakil up``.
    """

    def __init__(
        self, folder: Path, pace: float = 1.0, *, log_level: str = "info", program: tuple[str, ...] = BANAKIL_UP
    ) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.address = "127.0.0.1:0"
        self.page = ""
        self._program = program
        self._options = ("--pace", f"{pace}", "--log-level", log_level)
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Runs it, and returns once it says that it is ready."""
        port = self.address.rpartition(":")[2]
        command = (
            sys.executable,
            "-m",
            *self._program,
            "--port",
            port,
            "--http-port",
            "0",
            "--data",
            "data",
            *self._options,
        )
        with self.log_path.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command, cwd=self.folder, stdout=asyncio.subprocess.PIPE, stderr=log, env=environment()
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            word, _, self.address = (await self._process.stdout.readline()).decode().strip().partition(" ")
            self.page = (await self._process.stdout.readline()).decode().strip().removeprefix("open ")
        assert word == "ready", self.log_path.read_text()[-2_000:]

    def channel(self) -> grpc.aio.Channel:
        """To it, in all its lives: it is looked for again a moment after it has gone."""
        return grpc.aio.insecure_channel(self.address, OPTIONS)

    async def kill(self) -> None:
        """kill -9, and nothing more is done by it."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """As an operator stops it; its exit code."""
        return await self._end(signal.SIGTERM)

    async def _end(self, number: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        async with asyncio.timeout(PATIENCE_S):
            return await process.wait()

    @property
    def log_path(self) -> Path:
        return self.folder / "up.log"

    def log(self, event: str = "") -> list[dict[str, Any]]:
        """What it has logged, in all its lives; of one kind of event, where that is named."""
        lines = [line for text in self.log_path.read_text().splitlines() for line in _read_line(text)]
        return [line for line in lines if not event or line["event"] == event]

    def faults(self) -> list[dict[str, Any]]:
        """What it has logged as a fault of its own. That a busy machine had no time to think is none."""
        return [line for line in self.log() if line["level"] in FAULTY and line["event"] != "decision.late"]

    def key(self, name: str) -> SigningKey:
        """A key of the platform's own, which no stranger can have."""
        return SigningKey.load(self.data / "keys" / "private" / f"{name}.jwk")

    def issuer(self, name: str, clock: Clock | None = None) -> TokenIssuer:
        """Signs with it."""
        return TokenIssuer(name, self.key(name), clock or RealClock())

    def token(self, account: str) -> IssuedToken:
        """A player's token for an account that the lobby need not know of."""
        return self.issuer("lobby").for_account(account)

    async def open_bus_to_ear(self, password: str) -> str:
        """Lets a user hear all that is said on the bus from here on; the address of the bus.

        nats-server takes the user in while it runs, as an operator would have it do, and drops nobody for that.
        """
        assert self._process is not None
        path = self.data / "nats" / "nats.conf"
        config = json.loads(path.read_text())
        permissions = {"publish": {"deny": [">"]}, "subscribe": [">"]}
        config["authorization"]["users"].append({"user": EAR, "password": password, "permissions": permissions})
        path.write_text(json.dumps(config))
        for child in _children(self._process.pid, "nats-server"):
            os.kill(child, signal.SIGHUP)
        log = self.data / "nats" / "nats.log"
        await eventually(lambda: re.search("Reloaded server configuration", log.read_text()) is not None)
        return f"nats://{config['listen']}"


def _read_line(text: str) -> list[dict[str, Any]]:
    """The line, or none where a kill cut it short."""
    try:
        return [json.loads(text)]
    except ValueError:
        return []


def _children(process: int, name: str) -> list[int]:
    """The child processes whose command has this name in it."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [child for child in children if name in Path(f"/proc/{child}/cmdline").read_text()]


def environment() -> dict[str, str]:
    """For a Python process that imports what this one does, wherever it runs."""
    cheap = {"BANAKIL_LOBBY_PASSWORD_LOG2_N": "10"}
    return {**os.environ, **cheap, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@asynccontextmanager
async def open_up(
    folder: Path, pace: float = 1.0, *, log_level: str = "info", program: tuple[str, ...] = BANAKIL_UP
) -> AsyncIterator[Up]:
    """A platform that is ready, and is stopped in the end."""
    up = Up(folder, pace, log_level=log_level, program=program)
    await up.start()
    try:
        yield up
    finally:
        await up.stop()
