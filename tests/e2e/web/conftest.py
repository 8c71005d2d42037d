"""The page in a real browser: platforms to open it at, and a way to run what a person does there."""

import asyncio
import os
import shutil
import warnings
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
TRIES = 3
RIGGED_UP = ("tests.support.rigged", "up")

Scenario: TypeAlias = Callable[..., Awaitable[None]]


@pytest.fixture(scope="session")
async def brisk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Up]:
    """A turn of 20 s lasts 2.5 s: whole deals are played here."""
    async with open_up(tmp_path_factory.mktemp("brisk"), 8.0) as up:
        yield up


@pytest.fixture(scope="session")
async def rigged(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Up]:
    """Cards are dealt as a scenario says, and bots play at once: what is tried here comes out alike each time."""
    async with open_up(tmp_path_factory.mktemp("rigged"), program=RIGGED_UP) as up:
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
    """Runs a file of pages/: `await scenario(up, "hand", "phone")`. What fails there fails here, with its words.

    With the rigged dealer there is one try. Elsewhere decks are secrets and turns run on a real clock, which no test
    can hold: on a busy machine a person may be dealt nothing to do, or be too late. So another person has another try,
    two at the most, and what the first met is shown as a warning.
    """

    async def run(up: Up, name: str, *more: str) -> None:
        tries = 1 if up.program == RIGGED_UP else TRIES
        for number in range(1, tries + 1):
            code, said = await _played(up, pictures, f"{RUN_SEED}{number}", name, *more)
            if code == 0:
                return
            assert number < tries, f"{said}\n{up.faults()[-3:]}"
            warnings.warn(f"{name} {more} has another try: {said[-1_500:]}", stacklevel=2)

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
