"""One more try for tests that wait for real processes, on a machine that may be busy: told loudly, and few in a run."""

from pathlib import Path
from typing import Final

import pytest

REAL_CLOCK: Final = frozenset({"chaos", "contract", "e2e", "integration"})
"""The folders of such tests."""
MOST: Final = 3
"""Second tries in a run; more are no accident, and the run fails."""


class SecondTries:
    """A plugin of pytest's, beside pytest-rerunfailures."""

    def __init__(self, tests: Path) -> None:
        self._tests = tests
        self._failed_first: list[pytest.TestReport] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Names the tests that have one."""
        for item in items:
            if item.path.relative_to(self._tests).parts[0] in REAL_CLOCK:
                item.add_marker(pytest.mark.flaky(reruns=1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes what failed at its first try."""
        outcome: str = report.outcome
        if outcome == "rerun":
            self._failed_first.append(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Lets the run fail that needed too many."""
        if len(self._failed_first) > MOST:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Shows each as a failure is shown."""
        if self._failed_first:
            terminalreporter.section("FAILED AT FIRST, and tried once more", sep="!", yellow=True, bold=True)
        for report in self._failed_first:
            terminalreporter.write_sep("_", report.nodeid)
            terminalreporter.write_line(report.longreprtext)
        if len(self._failed_first) > MOST:
            terminalreporter.write_line(f"{len(self._failed_first)} second tries: {MOST} are the most", red=True)
