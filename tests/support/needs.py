"""What some tests need from the machine, and what happens where it is missing.

A test says what it needs with a marker (`@pytest.mark.needs_postgres`). On somebody's own machine a missing need
skips the test and is said loudly at the end; where `CI=true` it fails, so that a green run has run everything.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from services.allinone.postgres_server import find_postgres


def on_ci() -> bool:
    """Whether this run counts: nothing may be skipped."""
    return os.environ.get("CI", "").lower() in {"1", "true"}


def find_browser() -> Path | None:
    """A Chromium that can be driven without a screen."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return Path(found) if found else None


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a machine may lack."""

    name: str
    remedy: str
    find: Callable[[], Path | None]


NEEDS = {
    "needs_postgres": Need("Postgres", "apt-get install postgresql", find_postgres),
    "needs_browser": Need("a browser", "apt-get install chromium", find_browser),
}
