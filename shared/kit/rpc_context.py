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
AUTHORIZATION_KEY: Final = "authorization"
VIA_KEY: Final = "x-banakil-via"

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_ids: Final = random.Random()  # ids for log lines: nobody gains by guessing one


class RpcContext:
    """One RPC. ``via`` is the service that forwarded it with the caller's token, if one did.

    ``token`` is the caller's own, kept so that it can be forwarded; it has no place in a repr or a log.
    """

    __slots__ = ("_request_id", "_trace_id", "principal", "token", "via")

    def __init__(self) -> None:
        self._request_id = ""
        self._trace_id = ""
        self.principal = Principal.ANYONE
        self.via: Principal | None = None
        self.token = ""

    @property
    def request_id(self) -> str:
        """16 hex digits: this RPC. Made when first asked for, which is when a line is written or a call is made."""
        self._request_id = self._request_id or f"{_ids.getrandbits(64):016x}"
        return self._request_id

    @property
    def trace_id(self) -> str:
        """32 hex digits: all the RPCs that one of a client's led to."""
        self._trace_id = self._trace_id or f"{_ids.getrandbits(128):032x}"
        return self._trace_id

    def join_trace(self, traceparent: str) -> None:
        """Takes over the caller's trace id, where ``traceparent`` is one (W3C Trace Context)."""
        if (known := _TRACEPARENT.fullmatch(traceparent)) is not None:
            self._trace_id = known[1]

    def traceparent(self) -> str:
        """What calls made while serving this RPC carry."""
        return f"00-{self.trace_id}-{self.request_id}-01"

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
