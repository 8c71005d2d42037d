"""The shuffle service over a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from services.shuffle.app import bind
from services.shuffle.settings import ShuffleSettings
from shared.codec.refusals import STATUS_OF
from shared.kit.app import App
from shared.kit.clock import Clock, RealClock
from shared.kit.status import api_error
from tests.support.kit import Identities

CLOCK = RealClock()


@asynccontextmanager
async def serving(data: Path, identities: Identities, clock: Clock = CLOCK) -> AsyncIterator[App]:
    settings = ShuffleSettings.load(database_url=f"sqlite:///{data / 'shuffle.db'}", keys=data / "keys")
    app = App(verifier=identities.verifier("shuffle"), clock=clock)
    async with app.serving(lambda app: bind(app, settings)):
        yield app


async def refused(call: object) -> str:
    """The code of a refusal, whose status is the one that the protos give it."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call  # type: ignore[misc]  # any call
    error = api_error(failed.value)
    assert error.status is STATUS_OF[error.code]
    return error.code
