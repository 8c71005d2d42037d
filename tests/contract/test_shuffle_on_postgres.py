"""The shuffle service on Postgres: keys that all its processes share, and a database that may go away."""

import io
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog

from services.shuffle.app import bind
from services.shuffle.settings import ShuffleSettings
from services.shuffle.signing_keys import SigningKeys
from shared.kit import logging
from shared.kit.app import App
from shared.kit.clients import Channels, answer
from shared.kit.clock import RealClock
from shared.kit.keys import KeyFileError
from shared.kit.sealing import SealingKeys
from shared.kit.status import AwayError
from tests.support.kit import Identities
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.shuffle import CTX, DRAW, Table

pytestmark = pytest.mark.needs_postgres
CLOCK = RealClock()


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One of its own: it is stopped in between."""
    with running_postgres() as running:
        yield running


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    logging.configure("test", stream=io.StringIO(), console=False)
    yield
    structlog.reset_defaults()


@asynccontextmanager
async def serving(url: str, keys: Path) -> AsyncIterator[Table]:
    identities = Identities(CLOCK)
    settings = ShuffleSettings.load(database_url=url, keys=keys)
    app = App(verifier=identities.verifier("shuffle"), clock=CLOCK)
    async with app.serving(lambda app: bind(app, settings)), Channels(identities.credentials("table")) as channels:
        yield Table(channels.to(app.address, "shuffle"))


def make_keys(keys: Path) -> None:
    SealingKeys.load(keys / "shuffle" / "seal", may_create=True)
    SigningKeys.load(keys / "shuffle" / "sign", may_create=True)


async def test_no_process_makes_keys_of_its_own(server: PostgresServer, tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"no \.key file"):
        async with serving(server.new_database(), tmp_path):
            pass


async def test_two_processes_answer_alike_for_one_ceremony(server: PostgresServer, tmp_path: Path) -> None:
    make_keys(tmp_path)
    url = server.new_database()
    async with serving(url, tmp_path) as one, serving(url, tmp_path) as other:
        begun = await one.begin(CTX)
        assert await other.begin(CTX) == begun
        closed = await other.close(CTX, DRAW)
        assert await one.close(CTX, DRAW) == closed
        deck = await one.deck(CTX)
        deal = await other.reveal(CTX)
    assert deal.derivation().deck_faces() == deck


async def test_while_the_database_is_away_calls_are_refused_as_repeatable(
    server: PostgresServer, tmp_path: Path
) -> None:
    make_keys(tmp_path)
    async with serving(server.new_database(), tmp_path) as table:
        begun = await table.begin(CTX)
        server.stop("immediate")
        for _ in range(2):
            with pytest.raises(AwayError, match="DEPENDENCY_AWAY"):
                await answer(table.begin(CTX))
        server.start()
        assert await table.begin(CTX) == begun
