"""Answers of the JSON API, and what refusals look like there."""

from typing import Any, Final

import grpc
from starlette.responses import Response

from services.gateway.json_mapping import encode
from shared.kit.status import MESSAGE_TOO_LARGE, ApiError

STATUS: Final = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
}
NO_STORE: Final = {"cache-control": "no-store"}


def json_answer(fields: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer that nobody keeps: it may hold a token."""
    return Response(encode(fields), status, {**NO_STORE, **(headers or {})}, "application/json")


def refusal(error: ApiError) -> Response:
    """The error as clients read it."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    headers = {}
    if error.retry_after_ms is not None:
        told["retryAfterMs"] = error.retry_after_ms
        headers["retry-after"] = str(-(-error.retry_after_ms // 1000))
    status = 413 if error.code == MESSAGE_TOO_LARGE else STATUS.get(error.status, 500)
    return json_answer({"error": told}, status, headers)
