"""Keeps hands, decks, secrets and tokens out of the logs, whoever tries to log them (SCENARIOS 12).

Three rules. A value under a listed key is never written, at any depth. A value that is not plain data is written as
its type's name, since its repr may hold anything. An exception is written as its type and where it was raised; its
text only for types whose text comes from the operating system or from our own typed errors.
"""

from __future__ import annotations

import enum
import re
import sys
import traceback
import uuid
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final

from structlog.typing import EventDict

from shared.kit.status import ApiError

REDACTED: Final = "[redacted]"
MAX_CHARS: Final = 2_000
MAX_ITEMS: Final = 64
MAX_DEPTH: Final = 5
MAX_FRAMES: Final = 20
MAX_CAUSES: Final = 4

# `c` is a client's part of the shuffle before it is revealed (FAIR.md); `s` is the server's.
_NEVER: Final = frozenset(
    (
        "api_key",
        "authorization",
        "bearer",
        "c",
        "card",
        "cards",
        "contribution",
        "contributions",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "d",
        "deal_secret",
        "deck",
        "decks",
        "drawn",
        "hand",
        "hands",
        "jwk",
        "jwt",
        "key",
        "keys",
        "nonce",
        "passphrase",
        "passwd",
        "password",
        "password_hash",
        "passwords",
        "private_key",
        "s",
        "seal_key",
        "sealed",
        "secret",
        "secret_hash",
        "secrets",
        "seed",
        "set_cookie",
        "signing_key",
        "stock",
        "ticket",
        "tickets",
        "token",
        "tokens",
        "witness",
    )
)
_NEVER_ENDINGS: Final = ("_card", "_cards", "_deck", "_hand", "_hands", "_password", "_secret", "_ticket", "_token")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN: Final = re.compile(r"eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_URL_PASSWORD: Final = re.compile(r"(://[^\s/:@]*:)[^\s/@]+@")
_TELLING: Final = (ApiError, OSError, TimeoutError)

Plain = str | int | float | bool | None | dict[str, Any] | list[Any]


@lru_cache(maxsize=4096)
def is_denied(key: str) -> bool:
    """Whether nothing under ``key`` may be logged."""
    name = _HUMP.sub("_", key).lower().replace("-", "_")
    return name in _NEVER or name.endswith(_NEVER_ENDINGS)


def redact(_logger: object, _method: str, event: EventDict) -> EventDict:
    """A structlog processor: the event with everything above applied to it, safe to write as JSON."""
    return {key: REDACTED if is_denied(key) else plain(value) for key, value in event.items()}


def plain(value: object, depth: int = 0) -> Plain:
    """``value`` as data that may be written: bounded, and redacted at every depth."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, depth)
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, uuid.UUID | date | PurePath):
        return str(value)
    if depth < MAX_DEPTH:
        if isinstance(value, Mapping):
            pairs = list(value.items())[:MAX_ITEMS]
            return {str(k): REDACTED if is_denied(str(k)) else plain(v, depth + 1) for k, v in pairs}
        if isinstance(value, list | tuple | set | frozenset):
            return [plain(item, depth + 1) for item in list(value)[:MAX_ITEMS]]
    return f"<{type(value).__name__}>"


def scrub(text: str) -> str:
    """``text`` without tokens and without passwords in addresses, cut to a bounded length."""
    if len(text) > MAX_CHARS:
        text = text[:MAX_CHARS] + "…"
    if "eyJ" in text:
        text = _TOKEN.sub(REDACTED, text)
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\1{REDACTED}@", text)
    return text


def exceptions(_logger: object, _method: str, event: EventDict) -> EventDict:
    """A structlog processor: ``exc_info`` becomes ``exception``, a list from the fault to its first cause."""
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    fault = info[1] if isinstance(info, tuple) else info
    if isinstance(fault, BaseException):
        event["exception"] = [describe(cause) for cause in _chain(fault)]
    return event


def describe(fault: BaseException) -> dict[str, Plain]:
    """One exception: its type, where it was raised, and its text only where that is known to be harmless."""
    kind = type(fault)
    told: dict[str, Plain] = {"type": f"{kind.__module__}.{kind.__qualname__}"}
    if isinstance(fault, _TELLING):
        told["text"] = scrub(f"{fault.code}: {fault.message}" if isinstance(fault, ApiError) else str(fault))
    frames = traceback.extract_tb(fault.__traceback__, limit=-MAX_FRAMES)
    told["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return told


def _chain(fault: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = fault
    for _ in range(MAX_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
