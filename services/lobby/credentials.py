"""The refresh secret of an account: 32 random bytes, of which only a hash is kept.

So many random bits need no slow hash: nobody can try them all, whatever one trial costs.
"""

import hashlib
import hmac
import secrets
from typing import Final

SECRET_BYTES: Final = 32
MAX_CHARS: Final = 64

_NOBODYS: Final = hashlib.sha256(secrets.token_bytes(SECRET_BYTES)).digest()


def make_secret() -> str:
    """A secret at random, as text that needs no quoting anywhere."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_secret(secret: str) -> bytes:
    """What is kept of it: 32 bytes."""
    return hashlib.sha256(secret.encode()).digest()


def is_secret(secret: str, kept: bytes | None) -> bool:
    """Whether the hash is the secret's, in a time that tells nothing, also of whether there is such an account."""
    same = hmac.compare_digest(hash_secret(secret), kept or _NOBODYS)
    return same and kept is not None
