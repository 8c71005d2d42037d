"""Typed errors, and the one table that says which gRPC status each kind of error travels as.

A servicer raises a subclass of :class:`ApiError`; the guard turns it into a gRPC status whose details hold a
``google.rpc.ErrorInfo`` (``reason`` is the stable code) and, where waiting helps, a ``google.rpc.RetryInfo``.
A client gets it back with :func:`api_error` or :func:`error_info`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

DOMAIN: Final = "banakil"
DETAILS_KEY: Final = "grpc-status-details-bin"
MAX_MESSAGE_CHARS: Final = 500

# The codes that the kit itself gives. A service adds its own; each stays what it means for ever.
BAD_REQUEST: Final = "BAD_REQUEST"
MESSAGE_TOO_LARGE: Final = "MESSAGE_TOO_LARGE"
NO_TOKEN: Final = "NO_TOKEN"
BAD_TOKEN: Final = "BAD_TOKEN"
TOKEN_EXPIRED: Final = "TOKEN_EXPIRED"
ROLE_NOT_ADMITTED: Final = "ROLE_NOT_ADMITTED"
DRAINING: Final = "DRAINING"
DEPENDENCY_AWAY: Final = "DEPENDENCY_AWAY"
INTERNAL: Final = "INTERNAL"


class ApiError(Exception):
    """A refusal that its caller may read: it carries a stable code and nothing that the caller may not see.

    ``code``: stable, upper case, for programs. ``message``: for developers, one line. ``metadata``: strings that
    belong to the code. ``retry_after_ms``: how long to wait before the same call can succeed, where that is known.
    """

    status: grpc.StatusCode = grpc.StatusCode.INTERNAL

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        metadata: Mapping[str, str] | None = None,
        retry_after_ms: int | None = None,
        status: grpc.StatusCode | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = (message or code)[:MAX_MESSAGE_CHARS]
        self.metadata = dict(metadata or {})
        self.retry_after_ms = retry_after_ms
        if status is not None:
            self.status = status


class MalformedError(ApiError):
    """The request cannot be read, or no state could make it right."""


class NotNowError(ApiError):
    """Of legal form, wrong in the present state."""


class StaleError(ApiError):
    """Meant for a state that has passed: read again, then decide again."""


class UnknownError(ApiError):
    """Names a thing that is not there, or that this caller may not know of."""


class UnauthenticatedError(ApiError):
    """No token, or one that does not hold."""


class NotAllowedError(ApiError):
    """The caller is known and may not do this: not your seat, not your role."""


class IdReusedError(ApiError):
    """The same command id came with another body."""


class FullError(ApiError):
    """A limit is reached; ``retry_after_ms`` says when there may be room."""


class AwayError(ApiError):
    """Draining, or something needed is away: the same call may succeed elsewhere or later."""


class InternalError(ApiError):
    """A fault of ours. It never says more than that."""


STATUS_BY_KIND: Final[Mapping[type[ApiError], grpc.StatusCode]] = {
    MalformedError: grpc.StatusCode.INVALID_ARGUMENT,
    NotNowError: grpc.StatusCode.FAILED_PRECONDITION,
    StaleError: grpc.StatusCode.ABORTED,
    UnknownError: grpc.StatusCode.NOT_FOUND,
    UnauthenticatedError: grpc.StatusCode.UNAUTHENTICATED,
    NotAllowedError: grpc.StatusCode.PERMISSION_DENIED,
    IdReusedError: grpc.StatusCode.ALREADY_EXISTS,
    FullError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    AwayError: grpc.StatusCode.UNAVAILABLE,
    InternalError: grpc.StatusCode.INTERNAL,
}
for _kind, _status in STATUS_BY_KIND.items():
    _kind.status = _status
_KIND_BY_STATUS: Final = {status: kind for kind, status in STATUS_BY_KIND.items()}


def trailers(error: ApiError) -> tuple[tuple[str, str | bytes], ...]:
    """The trailing metadata that carries ``error``'s code, metadata and retry delay."""
    rich = Status(code=error.status.value[0], message=error.message)
    rich.details.append(_packed(ErrorInfo(reason=error.code, domain=DOMAIN, metadata=error.metadata)))
    if error.retry_after_ms is not None:
        delay = RetryInfo()
        delay.retry_delay.FromMilliseconds(error.retry_after_ms)
        rich.details.append(_packed(delay))
    return ((DETAILS_KEY, rich.SerializeToString()),)


def api_error(error: grpc.RpcError) -> ApiError:
    """What a failed call raised at its server; where the failure has no code of ours, the status' name is the code.

    A call that its server cancelled is one that a server was too short of time to answer: it is away.
    """
    if not isinstance(error, grpc.aio.AioRpcError):
        return InternalError(INTERNAL)
    status = error.code()
    if status is grpc.StatusCode.CANCELLED:
        status = AwayError.status
    code, metadata, retry_after_ms = status.name, {}, None
    for detail in _details(error):
        info, delay = ErrorInfo(), RetryInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            code, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(delay):
            retry_after_ms = delay.retry_delay.ToMilliseconds()
    kind = _KIND_BY_STATUS.get(status, ApiError)
    return kind(code, error.details() or "", metadata=metadata, retry_after_ms=retry_after_ms, status=status)


def error_info(error: grpc.RpcError) -> tuple[str, dict[str, str]]:
    """The stable code of a failed call, and the metadata that came with it."""
    read = api_error(error)
    return read.code, read.metadata


def _packed(message: ErrorInfo | RetryInfo) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _details(error: grpc.aio.AioRpcError) -> list[any_pb2.Any]:
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return list(Status.FromString(value).details)
            except DecodeError:
                return []
    return []
