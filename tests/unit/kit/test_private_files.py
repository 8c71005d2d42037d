"""A private file is written whole and once, for its owner's eyes."""

import stat
from pathlib import Path

import pytest

from shared.kit.keys import KeyFileError
from shared.kit.private_files import read_private, write_private


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_private(path, b"content")
    assert read_private(path) == b"content"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_is_never_replaced(tmp_path: Path) -> None:
    write_private(tmp_path / "file", b"first")
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "file", b"second")
    assert read_private(tmp_path / "file") == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_an_interrupted_write_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".file.new").write_bytes(b"half of i")
    write_private(tmp_path / "file", b"content")
    assert read_private(tmp_path / "file") == b"content"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file"):
        read_private(tmp_path / "file")
