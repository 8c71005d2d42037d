"""A lock file has one holder."""

import os
from pathlib import Path

import pytest

from shared.kit.process_lock import HeldError, hold


def test_a_file_is_held_by_one_until_it_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = hold(path)
    with pytest.raises(HeldError):
        hold(path)
    os.close(first)
    os.close(hold(path))


def test_a_lock_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    os.close(hold(path))
    assert path.stat().st_mode & 0o777 == 0o600
