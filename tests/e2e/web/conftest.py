"""The page in a real browser: platforms to open it at, and a way to run what a person does there."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.conftest import RUN_SEED
from tests.support.needs import find_browser
from tests.support.rigged import RIG
from tests.support.up import Up, open_up

PAGES = Path(__file__).parent / "pages"
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


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[str]:
    """The address of a Chromium in which every scenario opens pages of its own."""
    async with _node("serve.mjs") as process:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            yield (await process.stdout.readline()).decode().strip()


@pytest.fixture
def scenario(browser: str, pictures: Path) -> Scenario:
    """Runs a file of pages/: `await scenario(up, "hand", "phone")`. What fails there fails here, with its words."""

    async def run(up: Up, name: str, *more: str) -> None:
        where = {"BROWSER": browser, "RIG": str(up.folder / RIG)}
        async with _node("run.mjs", name, up.page, str(pictures), RUN_SEED, *more, **where) as process:
            async with asyncio.timeout(PATIENCE_S):
                said, _ = await process.communicate()
        assert process.returncode == 0, f"{said.decode()[-4_000:]}\n{up.faults()[-3:]}"

    return run


@asynccontextmanager
async def _node(file: str, *arguments: str, **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A script of pages/ in a process that is gone afterwards."""
    node = str(NODE) if NODE.exists() else shutil.which("node") or "node"
    process = await asyncio.create_subprocess_exec(
        *(node, str(PAGES / file), *arguments),
        env={**os.environ, "CHROMIUM": str(find_browser()), **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
