"""How much one peer and one account may ask for.

Who has no account is told apart by address. Calls that the gateway passes on are limited there, where the players' own
addresses are known.
"""

from typing import Final, NamedTuple

from shared.kit.clock import Clock
from shared.kit.limits import RateLimiter
from shared.kit.peers import peer_key
from shared.kit.rpc_context import forwarder, principal

CODE: Final = "RATE_LIMITED"


class CallRates(NamedTuple):
    """Calls per second in the long run, and how many may come at once."""

    guests_per_second: float
    guests_burst: int
    refreshes_per_second: float
    refreshes_burst: int
    passwords_per_second: float
    passwords_burst: int
    calls_per_second: float
    calls_burst: int
    limit_loopback: bool
    """Whether peers on this machine are limited like others; accounts always are."""


class CallLimits:
    """Raises `FullError` (`RATE_LIMITED`, with the delay) for who asks too much."""

    def __init__(self, clock: Clock, rates: CallRates) -> None:
        self._limit_loopback = rates.limit_loopback
        self._guests = RateLimiter(clock, per_second=rates.guests_per_second, burst=rates.guests_burst)
        self._refreshes = RateLimiter(clock, per_second=rates.refreshes_per_second, burst=rates.refreshes_burst)
        self._passwords = RateLimiter(clock, per_second=rates.passwords_per_second, burst=rates.passwords_burst)
        self._calls = RateLimiter(clock, per_second=rates.calls_per_second, burst=rates.calls_burst)

    def admit_guest(self, peer: str) -> None:
        """For making an account. `peer` is as gRPC names it."""
        self._admit(self._guests, peer)

    def admit_peer(self, peer: str) -> None:
        """For all else that needs no token."""
        self._admit(self._refreshes, peer)

    def admit_account(self) -> str:
        """For the account of the call's token, which is returned."""
        account_id = principal().account
        self._calls.admit(account_id, CODE)
        return account_id

    def admit_password(self, whose: str) -> None:
        """For trying a password: of an account id, or of a user name that there may not even be."""
        self._passwords.admit(whose, CODE)

    def _admit(self, limiter: RateLimiter, peer: str) -> None:
        key = peer_key(peer)
        if forwarder() is None and (key or self._limit_loopback):
            limiter.admit(key, CODE)
