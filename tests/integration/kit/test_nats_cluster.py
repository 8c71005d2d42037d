"""Three real nats-servers with the configuration of a cluster, on the ports of one machine."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from services.allinone.key_folder import make_keys
from services.allinone.platform import BUS_USERS
from shared.codec.facts import FACTS_STREAM
from shared.kit.bus import Bus, BusAwayError, open_bus
from shared.kit.clock import RealClock
from shared.kit.nats_cluster import CLIENT_PORT, CLUSTER_PORT, MONITOR_PORT, SERVERS, STORE, server_config
from shared.kit.nats_server import find_binary
from shared.kit.ports import free_port
from tests.support.kit import PATIENCE_S

FACT: Final = FACTS_STREAM.subjects[0].replace(">", "x")
TRY_EVERY_MS: Final = 50


def on_this_machine(text: str, folder: Path, number: int, ports: list[int]) -> str:
    """The configuration with ports and folders of its own in place of those of a pod."""
    for name, port, own in (
        ("port", CLIENT_PORT, ports[number]),
        ("port", CLUSTER_PORT, ports[SERVERS + number]),
        ("http_port", MONITOR_PORT, ports[2 * SERVERS + number]),
    ):
        text = text.replace(f"{name}: {port}\n", f'{"listen" if name == "port" else "http"}: "127.0.0.1:{own}"\n')
    text = re.sub(r"nats-(\d)\.nats-peers:\d+", lambda peer: f"127.0.0.1:{ports[SERVERS + int(peer[1])]}", text)
    return text.replace(f'"{STORE}"', f'"{folder}/data"').replace('"/tmp/', f'"{folder}/')


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    """Where one of the three takes clients."""
    make_keys(tmp_path / "keys")
    ports, running = [free_port() for _ in range(3 * SERVERS)], []
    config = server_config(BUS_USERS, clustered=True)
    for number in range(SERVERS):
        folder = tmp_path / f"nats-{number}"
        folder.mkdir()
        texts = {path.name: path.read_text() for path in (tmp_path / "keys/nats").iterdir()}
        for name, text in {**texts, "nats.conf": config}.items():
            (folder / name).write_text(on_this_machine(text, folder, number, ports))
        running.append(
            await asyncio.create_subprocess_exec(
                find_binary(), "--config", folder / "nats.conf", env={**os.environ, "POD_NAME": f"nats-{number}"},
                stderr=asyncio.subprocess.DEVNULL,
            )
        )  # fmt: skip
    try:
        yield f"127.0.0.1:{ports[0]}"
    finally:
        for process in running:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def test_they_know_one_another_and_keep_a_stream_on_each(address: str, tmp_path: Path) -> None:
    password = (tmp_path / "keys/bus/table").read_text()
    async with open_bus(f"nats://{address}", name="table", password=password, replicas=SERVERS) as bus:
        await bus.declare(FACTS_STREAM)
        async with asyncio.timeout(PATIENCE_S):
            while not await is_kept(bus):  # until they have chosen who leads
                await RealClock().sleep_ms(TRY_EVERY_MS)


async def is_kept(bus: Bus) -> bool:
    """Whether the stream takes a fact: with three copies it is there only once all three servers are."""
    try:
        await bus.publish(FACT, b"x", "m1")
    except BusAwayError:
        return False
    return True
