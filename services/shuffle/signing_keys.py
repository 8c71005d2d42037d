"""The keys that sign for the shuffle service. A key's id is its public half in hex, so that it can be told to anybody.

A folder holds them as ``<number>.jwk`` (0600). The newest by name signs for attempts that begin now; an attempt is
signed to its end by the key that it began with, so an older one stays until no such attempt is left.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.fairness.signing import signed_bytes
from shared.kit.keys import KeyFileError, SigningKey

MOST_KEYS: Final = 100
_SUFFIX: Final = ".jwk"


class SigningKeys:
    """Keys from the oldest to the newest. No repr shows one."""

    __slots__ = ("_keys", "newest_id")

    def __init__(self, keys: Iterable[Ed25519PrivateKey]) -> None:
        self._keys: dict[str, Ed25519PrivateKey] = {}
        self.newest_id = ""
        for key in keys:
            self.newest_id = key.public_key().public_bytes_raw().hex()
            self._keys[self.newest_id] = key
        if not self._keys:
            raise ValueError("at least one key is needed")

    @classmethod
    def load(cls, directory: Path, *, may_create: bool = False) -> "SigningKeys":
        """The keys in `directory`; where there is none and `may_create`, a new one. Raises `KeyFileError`."""
        paths = sorted(directory.glob(f"*{_SUFFIX}"))
        if len(paths) > MOST_KEYS:
            raise KeyFileError(f"{directory} holds more than {MOST_KEYS} keys")
        if not paths and may_create:
            paths = [directory / f"0001{_SUFFIX}"]
            SigningKey.generate().save(paths[0])
        if not paths:
            raise KeyFileError(f"there is no {_SUFFIX} file in {directory}")
        return cls(_read(path) for path in paths)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all keys."""
        return frozenset(self._keys)

    def sign(self, key_id: str, what: str, payload: bytes) -> bytes:
        """The signature of `payload` as `what` (docs/fair.md). Raises `KeyError` for a key that is not here."""
        return self._keys[key_id].sign(signed_bytes(what, payload))


def public_bytes(key_id: str) -> bytes:
    """The public half of the key with this id, 32 bytes."""
    return bytes.fromhex(key_id)


def _read(path: Path) -> Ed25519PrivateKey:
    key = SigningKey.load(path).jwk.private_key
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{path} holds no Ed25519 key")
    return key
