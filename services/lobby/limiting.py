"""How much one peer and one account may ask for.

Who has no account is told apart by address: a host, or in IPv6 the /64 that a host can choose from. Calls that the
gateway passes on are limited there, where the players' own addresses are known.
"""

import ipaddress
from typing import Final, NamedTuple
from urllib.parse import unquote

from shared.kit.clock import Clock
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import forwarder, principal

CODE: Final = "RATE_LIMITED"
_V6_PREFIX: Final = 64


class CallRates(NamedTuple):
    """Calls per second in the long run, and how many may come at once."""

    guests_per_second: float
    guests_burst: int
    refreshes_per_second: float
    refreshes_burst: int
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

    def _admit(self, limiter: RateLimiter, peer: str) -> None:
        key = peer_key(peer)
        if forwarder() is None and (key or self._limit_loopback):
            limiter.admit(key, CODE)


def peer_key(peer: str) -> str:
    """By what a peer is told apart (`ipv4:192.0.2.1:5000`, `ipv6:[2001:db8::1]:5000`); empty for this machine's own."""
    kind, _, rest = unquote(peer).partition(":")
    host = rest.rpartition(":")[0].strip("[]")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "" if kind == "unix" else rest
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        if mapped is None and not address.is_loopback:
            return str(ipaddress.ip_network((address, _V6_PREFIX), strict=False))
        address = mapped or address
    return "" if address.is_loopback else str(address)
