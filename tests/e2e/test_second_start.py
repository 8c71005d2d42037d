"""`banakil up` where another one runs already: it says so and leaves everything as it was."""

import asyncio
import sys
from pathlib import Path

import grpc

from tests.support.up import Up, environment
from tests.support.wire_seat import come


async def refused_up(*arguments: str, cwd: Path) -> str:
    """What it says where it cannot run."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shared.cli", "up", "--http-port", "0", *arguments,
        cwd=cwd, env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, said = await process.communicate()
    assert (process.returncode, out) == (2, b""), said
    return said.decode()


def files(folder: Path) -> dict[str, bytes]:
    """The files that say how the parts of a platform reach each other."""
    found = [folder / "nats" / "nats.conf", *(folder / "run").iterdir(), *(folder / "keys").rglob("*.jwk")]
    return {str(path): path.read_bytes() for path in found}


async def test_a_second_start_on_the_same_data_is_refused_and_touches_nothing(
    calm: Up, calm_channel: grpc.aio.Channel
) -> None:
    before = files(calm.data)
    said = await refused_up("--port", "0", "--data", str(calm.data), cwd=calm.folder)
    assert "in use by another" in said
    assert len(said.splitlines()) == 1
    assert files(calm.data) == before
    await come(calm_channel, "kim")


async def test_a_second_start_on_the_same_port_is_refused(calm: Up, calm_channel: grpc.aio.Channel) -> None:
    said = await refused_up("--port", calm.address.rpartition(":")[2], "--data", "other", cwd=calm.folder)
    assert said.splitlines()[-1] == f"cannot listen on {calm.address}"
    await come(calm_channel, "kim")


def test_no_file_of_a_platform_can_be_read_by_others(calm: Up) -> None:
    public = {calm.data / "keys" / "public"}
    assert calm.data.stat().st_mode & 0o077 == 0
    for path in calm.data.rglob("*"):
        if path.is_file() and not public & set(path.parents) and "nats" not in path.parts:
            assert path.stat().st_mode & 0o077 == 0, path
