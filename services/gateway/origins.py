"""Whose pages may open a socket. The ticket alone proves the player; this keeps other sites' pages from even asking."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def read_origins(text: str) -> frozenset[str]:
    """The origins in a setting: `https://banakil.example, https://other.example:8443`."""
    return frozenset(origin.strip().lower() for origin in text.split(",") if origin.strip())


def may_connect(origin: str | None, host: str, allowed: Collection[str]) -> bool:
    """Whether a socket may be opened to `host` (the `Host` header) from a page of `origin`.

    A program that is no browser sends no origin, and may.
    """
    if origin is None or origin.lower() in allowed:
        return True
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    default = _DEFAULT_PORTS.get(parts.scheme)
    if default is None or not parts.netloc:
        return False
    return parts.netloc.removesuffix(default) == host.lower().removesuffix(default)
