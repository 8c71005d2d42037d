"""By what callers without an account are told apart: a host, or in IPv6 the /64 that a host can choose from."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import unquote

_V6_PREFIX: Final = 64


def peer_key(peer: str) -> str:
    """Of a peer as gRPC names it (``ipv4:192.0.2.1:5000``, ``ipv6:[2001:db8::1]:5000``); empty for this machine."""
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
