"""What happens to a test whose need the machine lacks, seen by running pytest on such a test."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CONFTEST = (ROOT / "tests/conftest.py").read_text() + (
    "\nfrom tests.support.needs import Need\n"
    'NEEDS["needs_postgres"] = Need("Postgres", "apt-get install postgresql", lambda: None)\n'
)
TEST = "import pytest\n\n@pytest.mark.needs_postgres\ndef test_something():\n    pass\n"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeini("[pytest]\nmarkers =\n  needs_postgres: x")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TEST)
    return pytester


def test_it_is_skipped_on_a_persons_machine_and_the_run_says_so_loudly(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    run = project.runpytest_subprocess()
    run.assert_outcomes(skipped=1)
    run.stdout.fnmatch_lines(["*NOT RUN*", "1 tests, for want of Postgres. To run them: apt-get install postgresql"])


def test_it_fails_in_continuous_integration(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    run = project.runpytest_subprocess()
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["*this test needs Postgres: apt-get install postgresql*"])
