"""Files that their owner alone may read: written whole and safe on disk before they are used, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from shared.kit.keys import MAX_KEY_FILE_BYTES, KeyFileError

# A group may read: orchestrators hand mounted secrets to a process by its group.
_FORBIDDEN_BITS: Final = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP


def read_private(path: Path) -> bytes:
    """The file's contents. Raises :class:`KeyFileError`, also where others than its owner and group may read it."""
    try:
        if path.stat().st_mode & _FORBIDDEN_BITS:
            raise KeyFileError(f"the key file {path} is open to others: chmod 600 it")
        with path.open("rb") as file:
            return file.read(MAX_KEY_FILE_BYTES)
    except OSError as fault:
        raise KeyFileError(f"cannot read the key file {path}: {fault.strerror}") from None


def write_private(path: Path, content: bytes) -> None:
    """Writes a new file. A power cut leaves it whole or absent. Raises :class:`FileExistsError` where there is one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(unfinished, path)
    finally:
        unfinished.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
