"""Who is told apart by address: whoever has no account yet."""

import ipaddress
from typing import Final

from starlette.requests import HTTPConnection

_V6_PREFIX: Final = 64


def address_key(host: str) -> str:
    """By what a client is told apart: its host, or in IPv6 the /64 that a host can choose from.

    Empty for this machine's own, and for what is no address.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None and not address.is_loopback:
            return str(ipaddress.ip_network((int(address), _V6_PREFIX), strict=False))
        address = address.ipv4_mapped or address
    return "" if address.is_loopback else str(address)


def client_key(connection: HTTPConnection) -> str:
    """The key of who is at the other end, behind proxies that are trusted."""
    return address_key(connection.client.host) if connection.client is not None else ""
