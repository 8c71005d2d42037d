"""When each signing key was in use, for whoever checks signatures of any time."""

from typing import Final, NamedTuple

from shared.kit.transactions import Transactions

MOST_KEYS: Final = 1_000
"""Told of: the newest."""

_NOTE: Final = "INSERT INTO signing_keys (key_id, since_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING"
_KEYS: Final = f"SELECT key_id, since_ms FROM signing_keys ORDER BY since_ms DESC, key_id DESC LIMIT {MOST_KEYS}"


class KeyPeriod(NamedTuple):
    """A key, and when attempts began with it, in Unix milliseconds; `until_ms` is 0 for the newest."""

    key_id: str
    since_ms: int
    until_ms: int


class KeyPeriods:
    """Notes the newest key when a service starts."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def note(self, newest_id: str, now_ms: int) -> None:
        """Begins the period of a key that has none."""
        await self._transactions.write(lambda rows: rows.fetch(_NOTE, newest_id, now_ms))

    async def all(self) -> list[KeyPeriod]:
        """Every key that ever was the newest, the oldest first."""
        rows = list(await self._transactions.read(lambda rows: rows.fetch(_KEYS)))[::-1]
        ends = [since_ms for _, since_ms in rows[1:]] + [0]
        return [KeyPeriod(key_id, since_ms, end) for (key_id, since_ms), end in zip(rows, ends, strict=True)]
