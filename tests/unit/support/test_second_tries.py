"""A test of real processes is tried twice, a run has few of those, and what failed at first is shown."""

from pathlib import Path

import pytest

from tests.support import second_tries

CONFTEST = """
from pathlib import Path
from tests.support.second_tries import SecondTries

def pytest_configure(config):
    config.pluginmanager.register(SecondTries(Path(__file__).parent))
"""
FAILS_AT_FIRST = """
import pytest

tried = set()

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    first = number not in tried
    tried.add(number)
    assert not first, "not at first"
"""


def run(pytester: pytest.Pytester, folder: str, source: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    path = pytester.path / folder / "test_it.py"
    path.parent.mkdir()
    path.write_text(source)
    root = Path(second_tries.__file__).parents[2]
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-o", f"pythonpath={root}", str(path))


def test_what_fails_once_passes_and_is_shown(pytester: pytest.Pytester) -> None:
    result = run(pytester, "e2e", FAILS_AT_FIRST.format(count=second_tries.MOST))
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=second_tries.MOST)
    result.stdout.fnmatch_lines(["*FAILED AT FIRST*", "*test_it*2*", "*not at first*"])


def test_what_fails_twice_fails(pytester: pytest.Pytester) -> None:
    result = run(pytester, "chaos", "def test_it():\n    assert False, 'never'\n")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)


def test_a_run_that_needs_too_many_fails(pytester: pytest.Pytester) -> None:
    result = run(pytester, "integration", FAILS_AT_FIRST.format(count=second_tries.MOST + 1))
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_no_other_test_is_tried_twice(pytester: pytest.Pytester) -> None:
    result = run(pytester, "unit", FAILS_AT_FIRST.format(count=1))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
