"""The byte stream that every draw reads: HMAC-SHA512 in counter mode, then rejection, then Fisher and Yates."""

import hmac
from collections.abc import MutableSequence
from typing import TypeVar

from shared.fairness.commitment import SECRET_BYTES
from shared.fairness.encoding import HASH_BYTES, lp, require_length, tag, u32
from shared.fairness.errors import FairnessError

UNIFORM_MAX = 256

Item = TypeVar("Item")


class Stream:
    """The stream of one purpose and number `k`; each is its own, so that no draw depends on how many went before.

    `FairnessError` for a secret that is not 128 bytes or a transcript that is not 64.
    """

    __slots__ = ("_at", "_block", "_block_no", "_prefix", "_secret")

    def __init__(self, secret: bytes, transcript: bytes, purpose: str, k: int) -> None:
        require_length(secret, "secret", SECRET_BYTES)
        require_length(transcript, "transcript", HASH_BYTES)
        self._secret = secret
        self._prefix = tag("stream") + transcript + lp(purpose.encode()) + u32(k)
        self._block = b""
        self._block_no = 0
        self._at = 0

    def byte(self) -> int:
        """The next byte."""
        if self._at == len(self._block):
            self._block = hmac.digest(self._secret, self._prefix + u32(self._block_no), "sha512")
            self._block_no += 1
            self._at = 0
        value = self._block[self._at]
        self._at += 1
        return value

    def uniform(self, n: int) -> int:
        """A number 0..n-1, each equally likely. `FairnessError` for n outside 1..256.

        Bytes beyond the last full multiple of n are thrown away: taking them would favour the small numbers.
        """
        if not 1 <= n <= UNIFORM_MAX:
            raise FairnessError("uniform", f"cannot choose one of {n}")
        limit = UNIFORM_MAX - UNIFORM_MAX % n
        value = self.byte()
        while value >= limit:
            value = self.byte()
        return value % n

    def shuffle(self, items: MutableSequence[Item]) -> None:
        """Shuffles in place, from the back. Index 0 is dealt, or drawn, first. `FairnessError` beyond 256 items."""
        if len(items) > UNIFORM_MAX:
            raise FairnessError("shuffle", f"cannot shuffle {len(items)} items")
        for i in range(len(items) - 1, 0, -1):
            j = self.uniform(i + 1)
            items[i], items[j] = items[j], items[i]
