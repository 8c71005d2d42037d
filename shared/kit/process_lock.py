"""A file that one process at a time holds. Whatever end the process finds, the file is free again."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class HeldError(Exception):
    """Another process holds the file."""


def hold(path: Path) -> int:
    """Holds the file, made where there is none, until the descriptor returned is closed. Raises :class:`HeldError`."""
    lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise HeldError(f"{path} is held by another process") from None
    return lock
