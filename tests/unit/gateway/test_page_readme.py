"""The page's README says where each acceptance point is shown: there is a test with its number in its name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WEB = ROOT / "services/gateway/web"
README = (WEB / "README.md").read_text(encoding="utf-8")
POINTS = re.findall(r"^\| (\d+b?) +\|[^|]+\|([^|]+)\|$", README, re.MULTILINE)
TESTS = [*(ROOT / "tests").glob("**/*.py"), *(WEB / "src").glob("**/*.test.ts")]


@pytest.mark.parametrize(("point", "files"), POINTS, ids=[point for point, _ in POINTS])
def test_a_point_has_a_test_of_its_number_in_each_file_that_is_named(point: str, files: str) -> None:
    number = re.compile(rf"test_ux_(\d+b?_and_)*{point}_|\"UX (\d+b?, )*{point}(, \d+b?)*: ")
    named = re.findall(r"`([\w.]+)`", files)
    assert named
    for name in named:
        found = [path for path in TESTS if path.name == name]
        assert any(number.search(path.read_text(encoding="utf-8")) or f"ux_{point}." in name for path in found), name


def test_each_test_with_a_number_is_listed() -> None:
    listed = {(point, name) for point, files in POINTS for name in re.findall(r"`([\w.]+)`", files)}
    for path in TESTS:
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"test_ux_((?:\d+b?_and_)*\d+b?)_|\"UX ([\db, ]+): ", text)
        for first, second in names:
            for point in re.split(r"_and_|, ", first or second):
                assert (point, path.name) in listed
