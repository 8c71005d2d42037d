"""What is known of the RPC being served: who calls, on whose behalf, and the ids that tie its log lines together.

It lives in one context variable, set by the guard. Tasks started with :func:`shared.kit.tasks.spawn` do not inherit it.
"""

from __future__ import annotations

import random
import re
from contextvars import ContextVar
from typing import Final

from shared.kit.identity import Principal

TRACEPARENT_KEY: Final = "traceparent"

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_ids: Final = random.SystemRandom()


class RpcContext:
    """One RPC. ``token`` is the caller's own, kept so that it can be forwarded; it has no place in a repr or a log."""

    __slots__ = ("principal", "request_id", "token", "trace_id", "via")

    def __init__(self, traceparent: str) -> None:
        self.request_id = f"{_ids.getrandbits(64):016x}"
        known = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
        self.trace_id = known[1] if known else f"{_ids.getrandbits(128):032x}"
        self.principal = Principal.ANYONE
        self.via: Principal | None = None
        self.token = ""

    def __repr__(self) -> str:
        return f"RpcContext(request_id={self.request_id!r}, principal={self.principal!r})"


current_rpc: Final[ContextVar[RpcContext | None]] = ContextVar("current_rpc", default=None)


def principal() -> Principal:
    """Who calls, by its token. Raises LookupError outside an RPC: there is no caller to be mistaken about."""
    rpc = current_rpc.get()
    if rpc is None:
        raise LookupError("no RPC is being served here")
    return rpc.principal


def forwarder() -> Principal | None:
    """The service that passed the call on with the caller's own token, if one did."""
    rpc = current_rpc.get()
    return rpc.via if rpc is not None else None
