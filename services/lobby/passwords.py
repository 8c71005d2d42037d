"""Passwords, kept as scrypt (RFC 7914) makes them, with salt and parameters beside.

To make or check one takes a good part of a second and much memory, on purpose: threads of their own do it, few at once,
and of those who wait there are not many either.
"""

import asyncio
import base64
import hashlib
import hmac
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from services.lobby.refusals import BadRequestError, OverloadedError

MIN_CHARS: Final = 8
MAX_CHARS: Final = 128
AT_ONCE: Final = 2
MOST_WAITING: Final = 12
RETRY_MS: Final = 2_000
BLOCK: Final = 8
PASSES: Final = 3
"""With 2^15 steps of 1 KiB (32 MiB): as costly to try out as OWASP asks of scrypt."""
_BYTES: Final = 32
_SCHEME: Final = "scrypt"


class _Kept(NamedTuple):
    log2_n: int
    block: int
    passes: int
    salt: bytes
    digest: bytes


def read_password(text: str) -> str:
    """The password as it is hashed: NFC (RFC 8265). Raises `BadRequestError`, which does not tell it."""
    if len(text) <= MAX_CHARS:
        password = unicodedata.normalize("NFC", text)
        if MIN_CHARS <= len(password) <= MAX_CHARS:
            return password
    raise BadRequestError(f"a password has {MIN_CHARS} to {MAX_CHARS} characters")


class Passwords:
    """Makes and checks what is kept of passwords. A resource, for its threads."""

    def __init__(self, log2_n: int) -> None:
        self._log2_n = log2_n
        self._threads = ThreadPoolExecutor(AT_ONCE, "lobby-passwords")
        self._asked = 0
        self._nobodys = _write(_Kept(log2_n, BLOCK, PASSES, secrets.token_bytes(16), secrets.token_bytes(_BYTES)))

    async def __aenter__(self) -> "Passwords":
        """See the class."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the threads, once what they do is done."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def make(self, password: str) -> str:
        """What is kept of a password. Raises `OverloadedError`."""
        blank = _Kept(self._log2_n, BLOCK, PASSES, secrets.token_bytes(16), b"")
        return _write(blank._replace(digest=await self._digest(password, blank)))

    async def matches(self, password: str, kept: str | None) -> bool:
        """Whether it is kept of this password; as slowly where nothing is kept. Raises `OverloadedError`."""
        read = _read(kept or self._nobodys)
        same = hmac.compare_digest(await self._digest(password, read), read.digest)
        return same and kept is not None

    async def _digest(self, password: str, kept: _Kept) -> bytes:
        if self._asked >= AT_ONCE + MOST_WAITING:
            raise OverloadedError(RETRY_MS)
        self._asked += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, _scrypt, password.encode(), kept)
        finally:
            self._asked -= 1


def _scrypt(password: bytes, kept: _Kept) -> bytes:
    most = 2 * 128 * kept.block * (2**kept.log2_n + kept.passes)
    return hashlib.scrypt(
        password, salt=kept.salt, n=2**kept.log2_n, r=kept.block, p=kept.passes, maxmem=most, dklen=_BYTES
    )


def _write(kept: _Kept) -> str:
    salt, digest = (base64.b64encode(part).decode() for part in (kept.salt, kept.digest))
    return f"{_SCHEME}${kept.log2_n}${kept.block}${kept.passes}${salt}${digest}"


def _read(kept: str) -> _Kept:
    _, log2_n, block, passes, salt, digest = kept.split("$")
    return _Kept(int(log2_n), int(block), int(passes), base64.b64decode(salt), base64.b64decode(digest))
