"""The JSON API: each path is one RPC, made with the caller's own token; shapes are protobuf's JSON mapping."""

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import structlog
from banakil.lobby.v1 import accounts_pb2, history_pb2, lobby_pb2
from banakil.shuffle.v1 import days_pb2
from banakil.shuffle.v1.shuffle_pb2 import AuditRequest
from banakil.table.v1.records_pb2 import (
    GetRecordRequest,
    GetRecordResponse,
    GetSeriesRecordRequest,
    GetSeriesRecordResponse,
)
from banakil.wallet.v1 import leaderboards_pb2, scores_pb2, settlements_pb2, wallet_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from services.gateway.addresses import client_key
from services.gateway.answers import NO_STORE, json_answer, refusal
from services.gateway.json_mapping import decode, message_fields, read_message
from services.gateway.metrics import GatewayMetrics
from services.gateway.upstream import NOBODY, Upstream, ask
from shared.codec.errors import MalformedError as UnreadableError
from shared.kit.clients import DEADLINE_MS, Metadata, bearer
from shared.kit.identity import ACCOUNT_ROLES, TokenVerifier
from shared.kit.limits import RateLimiter
from shared.kit.status import (
    BAD_REQUEST,
    BAD_TOKEN,
    INTERNAL,
    MESSAGE_TOO_LARGE,
    NO_TOKEN,
    ApiError,
    FullError,
    InternalError,
    MalformedError,
    UnauthenticatedError,
)

MAX_BODY_BYTES: Final = 16 * 1024
BODY_TIMEOUT_S: Final = 10.0
PASSWORD_TIMEOUT_S: Final = 15.0
RATE_LIMITED: Final = "RATE_LIMITED"
_SCHEME: Final = "bearer "
_HEX: Final = re.compile("(?:[0-9a-f]{2})+")
_log = structlog.get_logger("gateway.api")


class ApiLimits(NamedTuple):
    """How much one address may ask for."""

    guests: RateLimiter
    passwords: RateLimiter
    records: RateLimiter
    calls: RateLimiter
    limit_loopback: bool

    def admit(self, limiter: RateLimiter, address: str) -> None:
        """Raises :class:`FullError` (`RATE_LIMITED`)."""
        if address or self.limit_loopback:
            limiter.admit(address, RATE_LIMITED)


class Call(NamedTuple):
    """A path and its RPC."""

    verb: str
    path: str
    request: type[Message]
    rpc: Callable[..., Awaitable[Any]]
    needs_token: bool = True
    limiter: RateLimiter | None = None
    """Of the caller's address, besides that of all calls."""
    timeout_s: float = DEADLINE_MS / 1000


class Api:
    """Serves the paths of docs/socket.md under ``/api``."""

    def __init__(self, upstream: Upstream, verifier: TokenVerifier, limits: ApiLimits, metrics: GatewayMetrics) -> None:
        self._verifier = verifier
        self._limits = limits
        self._metrics = metrics
        lobby = upstream.lobby
        calls = (
            Call("POST", "/api/quick-play", lobby_pb2.QuickPlayRequest, lobby.QuickPlay),
            Call("POST", "/api/rooms", lobby_pb2.CreateRoomRequest, lobby.CreateRoom),
            Call("GET", "/api/rooms/code/{code}", lobby_pb2.LookUpRoomRequest, lobby.LookUpRoom),
            Call("POST", "/api/rooms/join", lobby_pb2.JoinRoomRequest, lobby.JoinRoom),
            Call("POST", "/api/tables/{tableId}/again", lobby_pb2.PlayAgainRequest, lobby.PlayAgain),
            Call("POST", "/api/rooms/{roomId}/start", lobby_pb2.StartRoomRequest, lobby.StartRoom),
            Call("POST", "/api/rooms/{roomId}/leave", lobby_pb2.LeaveRoomRequest, lobby.LeaveRoom),
            Call("GET", "/api/tables", lobby_pb2.ListMyTablesRequest, lobby.ListMyTables),
            Call("GET", "/api/history", history_pb2.GetHistoryRequest, lobby.GetHistory),
        )
        self.routes = [
            Route(call.path, self._endpoint(call), methods=[call.verb])
            for call in (
                *calls,
                *self._accounts(upstream, limits),
                *self._scores(upstream),
                *self._coins(upstream),
                *self._public(upstream, limits.records),
            )
        ]

    def _accounts(self, upstream: Upstream, limits: ApiLimits) -> tuple[Call, ...]:
        """To have an account, and to come back to it."""
        accounts, wire = upstream.accounts, accounts_pb2
        return (
            Call("POST", "/api/guest", wire.CreateGuestRequest, accounts.CreateGuest, False, limits.guests),
            Call("POST", "/api/token", wire.RefreshTokenRequest, accounts.RefreshToken, needs_token=False),
            *self._passwords(upstream, limits.passwords),
        )

    def _scores(self, upstream: Upstream) -> tuple[Call, ...]:
        """What players have won, and how they compare."""
        scores, wire, boards = upstream.scores, scores_pb2, leaderboards_pb2
        return (
            Call("GET", "/api/results/{matchId}", wire.GetMatchResultRequest, scores.GetMatchResult),
            Call("GET", "/api/players/{accountId}/stats", wire.GetPlayerStatsRequest, scores.GetPlayerStats),
            Call("GET", "/api/players/{accountId}/partners", wire.ListPartnersRequest, scores.ListPartners),
            Call("GET", "/api/players/{accountId}/rating", wire.GetRatingRequest, scores.GetRating),
            Call("POST", "/api/players/{accountId}/follow", boards.FollowRequest, scores.Follow),
            Call("POST", "/api/players/{accountId}/unfollow", boards.UnfollowRequest, scores.Unfollow),
            Call("GET", "/api/followed", boards.ListFollowedRequest, scores.ListFollowed),
            Call("GET", "/api/leaderboard", boards.GetLeaderboardRequest, scores.GetLeaderboard),
            Call("GET", "/api/leaderboard/standing", boards.GetStandingRequest, scores.GetStanding),
        )

    def _passwords(self, upstream: Upstream, tries: RateLimiter) -> tuple[Call, ...]:
        """What a password opens: to hash one takes long, on a busy machine very long."""
        accounts, wire, slow = upstream.accounts, accounts_pb2, PASSWORD_TIMEOUT_S
        change = wire.ChangePasswordRequest
        return (
            Call("POST", "/api/sign-in", wire.SignInRequest, accounts.SignIn, False, tries, slow),
            Call("POST", "/api/account/name", wire.NameAccountRequest, accounts.NameAccount, True, tries, slow),
            Call("POST", "/api/account/password", change, accounts.ChangePassword, True, tries, slow),
        )

    def _coins(self, upstream: Upstream) -> tuple[Call, ...]:
        """What a player has, and what moved it."""
        wallet = upstream.wallet
        return (
            Call("GET", "/api/wallet", wallet_pb2.GetWalletRequest, wallet.GetWallet),
            Call("POST", "/api/wallet/daily", wallet_pb2.ClaimDailyRequest, wallet.ClaimDaily),
            Call("GET", "/api/wallet/transfers", wallet_pb2.ListTransfersRequest, wallet.ListTransfers),
        )

    def _public(self, upstream: Upstream, seldom: RateLimiter) -> tuple[Call, ...]:
        """For anybody: what a deal is checked by, and what became of stakes."""
        table, shuffle, days, settled = upstream.table, upstream.shuffle, upstream.days, upstream.settlements
        wire = settlements_pb2
        return (
            Call("GET", "/api/settlements/{matchId}", wire.GetSettlementRequest, settled.GetSettlement, False),
            Call("GET", "/api/settlements", wire.CountSettlementsRequest, settled.CountSettlements, False),
            Call("GET", "/api/records/{matchId}", GetRecordRequest, table.GetRecord, False, seldom),
            Call("GET", "/api/series/{seriesId}", GetSeriesRecordRequest, table.GetSeriesRecord, False, seldom),
            Call("GET", "/api/audit/{matchId}", AuditRequest, shuffle.Audit, False, seldom),
            Call("GET", "/api/proofs/{matchId}", days_pb2.GetProofRequest, days.GetProof, False, seldom),
            Call("GET", "/api/days/{date}", days_pb2.GetDayRequest, days.GetDay, False, seldom),
            Call("GET", "/api/days", days_pb2.ListDaysRequest, days.ListDays, needs_token=False),
            Call("GET", "/api/keys", days_pb2.ListKeysRequest, days.ListKeys, needs_token=False),
        )

    def _endpoint(self, call: Call) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            code = "OK"
            try:
                return await self._answer(call, request)
            except ApiError as error:
                code = error.code
                return refusal(error)
            except UnreadableError as fault:
                code = fault.code
                return refusal(MalformedError(fault.code, str(fault)))
            except ClientDisconnect:
                raise
            except Exception:
                code = INTERNAL
                _log.exception("call.failed", path=call.path)
                return refusal(InternalError(INTERNAL))
            finally:
                self._metrics.calls.labels(call.path, code).inc()

        return endpoint

    async def _answer(self, call: Call, request: Request) -> Response:
        address = client_key(request)
        self._limits.admit(self._limits.calls, address)
        metadata = self._credentials(request) if call.needs_token else NOBODY
        given = await _body(request) if call.verb == "POST" else dict(request.query_params)
        message = read_message({**given, **_path_fields(request, call.request)}, call.request)
        if call.limiter is not None:
            self._limits.admit(call.limiter, address)
        answer = await ask(call.rpc(message, metadata=metadata, timeout=call.timeout_s))
        if isinstance(answer, GetRecordResponse | GetSeriesRecordResponse):
            complete = {"banakil-complete": "true" if answer.complete else "false"}
            return Response(answer.record_json, headers={**NO_STORE, **complete}, media_type="application/json")
        return json_answer(message_fields(answer))

    def _credentials(self, request: Request) -> Metadata:
        """The caller's token. Raises :class:`UnauthenticatedError`; the services check it too, at their own cost."""
        header = request.headers.get("authorization", "")
        if not header:
            raise UnauthenticatedError(NO_TOKEN, "this call needs a token")
        token = header[len(_SCHEME) :]
        if header[: len(_SCHEME)].lower() != _SCHEME or self._verifier.verify(token).role not in ACCOUNT_ROLES:
            raise UnauthenticatedError(BAD_TOKEN, "not a player's token")
        return bearer(token)


def _path_fields(request: Request, kind: type[Message]) -> dict[str, Any]:
    """What the path says. Bytes are hex there, and base64 in protobuf's JSON. Raises :class:`MalformedError`."""
    fields = dict(request.path_params)
    for name, value in fields.items():
        if kind.DESCRIPTOR.fields_by_camelcase_name[name].type == FieldDescriptor.TYPE_BYTES:
            if not _HEX.fullmatch(value):
                raise MalformedError(BAD_REQUEST, f"{name} is not lower-case hex")
            fields[name] = base64.b64encode(bytes.fromhex(value)).decode()
    return fields


async def _body(request: Request) -> dict[str, Any]:
    """Raises :class:`ApiError` and :class:`UnreadableError`."""
    # A form of another site cannot send this type without asking first.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise MalformedError(BAD_REQUEST, "the body is application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise FullError(MESSAGE_TOO_LARGE, f"a body may have {MAX_BODY_BYTES} bytes")
    except TimeoutError:
        raise MalformedError(BAD_REQUEST, "the body did not come") from None
    return decode(bytes(body)) if body else {}
