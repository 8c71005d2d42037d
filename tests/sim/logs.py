"""What is logged in a world: nothing is written, and a line that says of a fault of ours is a violation."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

import structlog

from tests.sim.world import World

EXPECTED: Final = frozenset({"journal.failed", "match.not_proven"})
"""Told where a commit fails or its answer is lost, which here happens all the time; and of matches that are not to be
proven."""
COME_BACK: Final = frozenset({"outbox", "inbox", "beat", "settling", "reconciling"})
"""Tasks that are begun again after a fault of their database."""


@contextmanager
def watched_logs() -> Iterator[list[World]]:
    """Look at all lines of errors meanwhile, once the world is in the list."""
    worlds: list[World] = []

    def look(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
        for world in worlds:
            process = world.current
            expected = event["event"] in EXPECTED or ("restart_ms" in event and event["task"] in COME_BACK)
            if not world.is_over and not expected and not (process and process.dead):
                world.fail(f"{process and process.name} logs {event}")
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[look],
        wrapper_class=structlog.make_filtering_bound_logger(40),
        logger_factory=structlog.ReturnLoggerFactory(),
        cache_logger_on_first_use=False,
    )
    try:
        yield worlds
    finally:
        structlog.configure(**before)
