"""Ed25519 keys in files: a private one for its service alone, and the public ones that everybody checks tokens with.

A directory of keys holds ``private/<issuer>.jwk`` (0600) and ``public/<issuer>.jwks`` (a JWK set, so that a key can be
changed: the new one is added, then used, then the old one removed). The file's name says who the issuer is: a key can
never speak for another.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

MAX_KEY_FILE_BYTES: Final = 64_000
_FORBIDDEN_BITS: Final = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP


class KeyFileError(Exception):
    """A key file that is missing, unreadable, or open to others. Its text never holds what was in the file."""


class SigningKey:
    """A private key. It has no repr to speak of, and only signs."""

    __slots__ = ("jwk", "kid")

    def __init__(self, jwk: OKPKey) -> None:
        self.jwk = jwk
        self.kid = jwk.thumbprint()

    @classmethod
    def generate(cls) -> SigningKey:
        """A new key from the operating system's random source."""
        return cls(OKPKey.generate_key("Ed25519"))

    @classmethod
    def load(cls, path: Path) -> SigningKey:
        """Reads a key. Raises :class:`KeyFileError`, also where others than its owner and group may read the file."""
        try:
            mode = path.stat().st_mode
        except OSError as fault:
            raise KeyFileError(f"cannot read the key file {path}: {fault.strerror}") from None
        if mode & _FORBIDDEN_BITS:
            raise KeyFileError(f"the key file {path} is open to others: chmod 600 it")
        key = _import(_read_json(path), path)
        if not key.is_private:
            raise KeyFileError(f"{path} holds no private key")
        return cls(key)

    def save(self, path: Path) -> None:
        """Writes the key, readable by its owner alone. Raises FileExistsError rather than replace one."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(self.jwk.as_dict(private=True), file)

    def public(self) -> dict[str, Any]:
        """The public half as a JWK with its ``kid``."""
        return {**self.jwk.as_dict(private=False), "kid": self.kid, "use": "sig", "alg": "Ed25519"}


def ensure_keys(directory: Path, issuers: Iterable[str]) -> dict[str, SigningKey]:
    """The keys of ``issuers`` in ``directory``, made on the first call: for one process that holds every service."""
    keys = {}
    for issuer in issuers:
        path = directory / "private" / f"{issuer}.jwk"
        if not path.exists():
            SigningKey.generate().save(path)
        keys[issuer] = SigningKey.load(path)
        publish(directory / "public", issuer, keys[issuer])
    return keys


def publish(directory: Path, issuer: str, *keys: SigningKey) -> None:
    """Writes ``<issuer>.jwks`` with the public halves of ``keys``."""
    directory.mkdir(mode=0o755, parents=True, exist_ok=True)
    whole = directory / f".{issuer}.jwks.new"
    whole.write_text(json.dumps({"keys": [key.public() for key in keys]}))
    whole.replace(directory / f"{issuer}.jwks")


def load_public(directory: Path) -> dict[str, list[OKPKey]]:
    """Every issuer's public keys. Raises :class:`KeyFileError` for a file that is no JWK set of Ed25519 keys."""
    found: dict[str, list[OKPKey]] = {}
    for path in sorted(directory.glob("*.jwks")):
        found[path.stem] = read_jwks(_read_json(path), path)
    return found


def read_jwks(jwks: dict[str, Any], source: object) -> list[OKPKey]:
    """The public keys of a JWK set. Raises :class:`KeyFileError` naming ``source``."""
    entries = jwks.get("keys")
    if not isinstance(entries, list):
        raise KeyFileError(f"{source} is no JWK set")
    return [_import(entry, source) for entry in entries]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(MAX_KEY_FILE_BYTES))
    except (OSError, ValueError):
        raise KeyFileError(f"the key file {path} cannot be read") from None
    if not isinstance(value, dict):
        raise KeyFileError(f"the key file {path} holds no JSON object")
    return value


def _import(jwk: object, source: object) -> OKPKey:
    try:
        key = OKPKey.import_key(jwk) if isinstance(jwk, dict) else None
    except (JoseError, ValueError, TypeError):
        key = None
    if key is None or key.curve_name != "Ed25519":
        raise KeyFileError(f"{source} holds something that is no Ed25519 key")
    return key
