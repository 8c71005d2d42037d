"""All that is served over HTTP: page, API, sockets, health; every answer with headers that keep other sites out."""

from collections.abc import Collection
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from services.gateway.addresses import client_key
from services.gateway.answers import refusal
from services.gateway.api import Api
from services.gateway.origins import may_connect
from services.gateway.pages import Pages
from services.gateway.player_socket import Around, PlayerSocket
from shared.kit.status import ApiError, AwayError, FullError, MalformedError, NotAllowedError, UnknownError

RETRY_MS: Final = 1_000
POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "media-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS: Final = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def make_site(api: Api, pages: Pages, around: Around, origins: Collection[str]) -> ASGIApp:
    """The ASGI app. ``origins``: whose pages may open sockets besides its own."""

    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok", headers={"cache-control": "no-store"})

    async def socket(websocket: WebSocket) -> None:
        address = client_key(websocket)
        headers = websocket.headers
        error: ApiError | None = None
        if not may_connect(headers.get("origin"), headers.get("host", ""), origins):
            error = NotAllowedError("ORIGIN_NOT_ALLOWED", "pages of this origin open no sockets here")
        elif code := around.sockets.refusal(address):
            kind = AwayError if code == "DRAINING" else FullError
            error = kind(code, "no more sockets here for now", retry_after_ms=RETRY_MS)
        if error is None:
            await PlayerSocket(websocket, around, address).serve()
        else:
            await websocket.send_denial_response(refusal(error))

    site = Starlette(
        routes=[
            Route("/healthz", health),
            WebSocketRoute("/ws", socket),
            *api.routes,
            Route("/api/{path:path}", _no_such_call, methods=["GET", "POST"]),
            Route("/{path:path}", pages.serve),
        ],
        exception_handlers={HTTPException: _http_error},
    )
    return _with_headers(site)


async def _no_such_call(_request: Request) -> Response:
    return refusal(UnknownError("NOT_FOUND", "there is no such call"))


async def _http_error(_request: Request, fault: Exception) -> Response:
    """What the router refuses: another verb, mostly."""
    assert isinstance(fault, HTTPException)
    response = refusal(MalformedError("BAD_REQUEST", fault.detail))
    response.status_code = fault.status_code
    response.headers.update(fault.headers or {})
    return response


def _with_headers(site: ASGIApp) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await site(scope, receive, send_with_headers if scope["type"] == "http" else send)

    return app
