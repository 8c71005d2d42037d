"""Secrets at rest: AES-256-GCM under keys in files, bound to what they belong to.

A folder holds keys as ``<number>.key`` (0600, 64 hex digits). The newest by name seals, all of them open, so a key is
changed by adding a file and removed once nothing lies sealed under it. A key is known by a hash of itself, so another
key in its file's place is found at once and not when something has to be opened.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.kit.keys import KeyFileError
from shared.kit.private_files import read_private, write_private

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
MOST_KEYS: Final = 100
_SUFFIX: Final = ".key"
_ID_TAG: Final = b"banakil/seal-key-id/v1"


class SealError(Exception):
    """What lies sealed does not open: an unknown key, other bytes, or bound to something else. Says no more."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """Sealed bytes and the id of their key."""

    key_id: str
    data: bytes = field(repr=False)


class SealingKeys:
    """Keys from the oldest to the newest. No repr or error shows one."""

    __slots__ = ("_ciphers", "newest_id")

    def __init__(self, keys: Iterable[bytes]) -> None:
        self._ciphers: dict[str, AESGCM] = {}
        self.newest_id = ""
        for key in keys:
            self.newest_id = _key_id(key)
            self._ciphers[self.newest_id] = AESGCM(key)
        if not self._ciphers:
            raise ValueError("at least one key is needed")

    @classmethod
    def load(cls, directory: Path, *, may_create: bool = False) -> SealingKeys:
        """The keys in ``directory``; where there is none and ``may_create``, a new one.

        Raises :class:`KeyFileError`, also for a file that others may read.
        """
        paths = sorted(directory.glob(f"*{_SUFFIX}"))
        if len(paths) > MOST_KEYS:
            raise KeyFileError(f"{directory} holds more than {MOST_KEYS} keys")
        if not paths and may_create:
            paths = [directory / f"0001{_SUFFIX}"]
            write_private(paths[0], secrets.token_hex(KEY_BYTES).encode() + b"\n")
        if not paths:
            raise KeyFileError(f"there is no {_SUFFIX} file in {directory}")
        return cls(_read(path) for path in paths)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all keys."""
        return frozenset(self._ciphers)

    def seal(self, plain: bytes, bound_to: bytes) -> Sealed:
        """Seals under the newest key. To open it, the same ``bound_to`` is needed, which is not kept with it."""
        # Random nonces are safe for 2^32 seals under one key: more than a century of a busy server's deals.
        nonce = os.urandom(NONCE_BYTES)
        return Sealed(self.newest_id, nonce + self._ciphers[self.newest_id].encrypt(nonce, plain, bound_to))

    def open(self, sealed: Sealed, bound_to: bytes) -> bytes:
        """What was sealed. Raises :class:`SealError`."""
        cipher = self._ciphers.get(sealed.key_id)
        if cipher is None:
            raise SealError("the key is not here")
        try:
            return cipher.decrypt(sealed.data[:NONCE_BYTES], sealed.data[NONCE_BYTES:], bound_to)
        except (InvalidTag, ValueError):
            raise SealError("it does not open") from None


def _key_id(key: bytes) -> str:
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes")
    return hashlib.sha256(_ID_TAG + key).hexdigest()[:16]


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(read_private(path).decode().strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{path} holds no key of {KEY_BYTES} bytes in hex")
    return key
