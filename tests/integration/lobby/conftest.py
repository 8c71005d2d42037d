"""A lobby on SQLite; what depends on the database is in the contract tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.lobby import LobbyWorld, RunningLobby, lobby_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LobbyWorld]:
    async with lobby_world(tmp_path, f"sqlite:///{tmp_path / 'lobby.db'}") as made:
        yield made


@pytest.fixture
async def lobby(world: LobbyWorld) -> AsyncIterator[RunningLobby]:
    async with world.lobby() as running:
        yield running
