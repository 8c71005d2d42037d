"""Set-up of every test run: hypothesis profiles, seeds, and what is skipped where the machine lacks something."""

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.needs import NEEDS, on_ci
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.second_tries import SecondTries

settings.register_profile("default", print_blob=True, deadline=None)
settings.register_profile("ci", parent=settings.get_profile("default"), database=None)
settings.load_profile("ci" if on_ci() else "default")

RUN_SEED = os.environ.get("BANAKIL_TEST_SEED") or str(random.SystemRandom().randrange(2**32))
MISSED = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MISSED] = Counter()
    config.pluginmanager.register(SecondTries(Path(__file__).parent))


def pytest_report_header() -> str:
    return f"seed of random tests: BANAKIL_TEST_SEED={RUN_SEED}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, need in NEEDS.items():
        if item.get_closest_marker(marker) and need.find() is None:
            if on_ci():
                pytest.fail(f"this test needs {need.name}: {need.remedy}", pytrace=False)
            item.config.stash[MISSED][marker] += 1
            pytest.skip(f"needs {need.name}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    missed = config.stash[MISSED]
    if missed:
        terminalreporter.section("NOT RUN on this machine", sep="!", yellow=True, bold=True)
    for marker, count in missed.items():
        need = NEEDS[marker]
        terminalreporter.write_line(f"{count} tests, for want of {need.name}. To run them: {need.remedy}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server for all tests of the run; each makes a database of its own. Mark the test with `needs_postgres`."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers that the seed in the run's header brings back, each test its own whatever runs beside it."""
    return random.Random(f"{RUN_SEED}/{request.node.nodeid}")
