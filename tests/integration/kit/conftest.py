import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from shared.kit import logging
from shared.kit.clock import RealClock
from tests.support.kit import Identities


class Lines(io.StringIO):
    """What was logged, as events."""

    def events(self, name: str = "") -> list[dict[str, Any]]:
        structlog.get_config()["logger_factory"]().flush()
        lines = [json.loads(line) for line in self.getvalue().splitlines()]
        return [line for line in lines if name in {"", line["event"]}]


@pytest.fixture
def lines() -> Iterator[Lines]:
    written = Lines()
    logging.configure("test", level="debug", stream=written, console=False)
    yield written
    structlog.reset_defaults()


@pytest.fixture
def identities() -> Identities:
    return Identities(RealClock())
