"""The page in a real browser: platforms to open it at, and a way to run what a person does there."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conftest import RUN_SEED
from tests.support.needs import find_browser
from tests.support.rigged import RIG
from tests.support.up import Up, open_up

SCENARIOS = Path(__file__).parent / "pages" / "run.mjs"
ROOT = Path(__file__).parents[3]
NODE = ROOT / ".venv" / "node" / "node"
PATIENCE_S = 400.0

Scenario: TypeAlias = Callable[..., Awaitable[None]]


@pytest.fixture(scope="session")
async def rigged(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Up]:
    """Cards are dealt as a scenario says, and bots play at once: what is tried here comes out alike each time."""
    async with open_up(tmp_path_factory.mktemp("rigged"), program=("tests.support.rigged", "up")) as up:
        yield up
    assert up.faults() == []


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: a folder to look at afterwards, or one of the run's own."""
    wanted = os.environ.get("PICTURES")
    folder = Path(wanted).resolve() if wanted else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def scenario(pictures: Path) -> Scenario:
    """Runs a file of pages/: `await scenario(up, "hand", "phone")`. What fails there fails here, with its words."""

    async def run(up: Up, name: str, *more: str) -> None:
        code, said = await _played(up, pictures, RUN_SEED, name, *more)
        assert code == 0, f"{said}\n{up.faults()[-3:]}"

    return run


async def _played(up: Up, pictures: Path, seed: str, name: str, *more: str) -> tuple[int | None, str]:
    node = str(NODE) if NODE.exists() else shutil.which("node") or "node"
    process = await asyncio.create_subprocess_exec(
        *(node, str(SCENARIOS), name, up.page, str(pictures), seed, *more),
        env={**os.environ, "CHROMIUM": str(find_browser()), "RIG": str(up.folder / RIG)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, said.decode()[-4_000:]
