"""What stands around every RPC: ids, the caller's token and role, reading the message, errors, one log line, counts.

It wraps handlers as they are registered (:mod:`shared.kit.registrar`) rather than sitting in gRPC's chain of
interceptors: all of it is then one call deep, and a unary call pays for it about once, not once per concern.

Nothing that a servicer raises reaches the caller unless it is a typed :class:`ApiError` or has been given a
translation; all else is INTERNAL and says so in one word, since the text of an exception may hold a hidden card.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

import grpc
import structlog

from shared.kit.admission import Admission
from shared.kit.identity import Role, TokenVerifier
from shared.kit.metrics import Metrics
from shared.kit.rpc_context import RpcContext, current_rpc
from shared.kit.status import (
    BAD_REQUEST,
    DEPENDENCY_AWAY,
    DRAINING,
    INTERNAL,
    MESSAGE_TOO_LARGE,
    ApiError,
    AwayError,
    FullError,
    InternalError,
    MalformedError,
    trailers,
)

MAX_MESSAGE_BYTES: Final = 256 * 1024
RETRY_AFTER_MS: Final = 500
_AWAY: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})

Translation = Callable[[Any], ApiError]
Context = grpc.aio.ServicerContext[Any, Any]


class _Call:
    """One RPC under way, for its log line, its counts, and its end."""

    __slots__ = ("_busy", "began_s", "method", "rpc", "task", "told_to_end")

    def __init__(self, method: _Method, task: asyncio.Task[Any] | None = None) -> None:
        self.method = method
        self.rpc = RpcContext()
        current_rpc.set(self.rpc)
        self.began_s = time.perf_counter()
        self.task = task
        self.told_to_end = False
        self._busy = False

    def end(self) -> None:
        """Ends a stream, though never in the midst of a write: gRPC could then send nothing more, not even the end."""
        self.told_to_end = True
        if not self._busy and self.task is not None:
            self.task.cancel()

    def keep_going(self) -> None:
        """From here on nothing cancels it."""
        self._busy = True

    async def write(self, context: Context, message: Any) -> None:
        self._busy = True
        try:
            await context.write(message)
        finally:
            self._busy = False
        if self.told_to_end:
            raise _draining()


class _Writer:
    """The context of a servicer that writes its stream by itself."""

    def __init__(self, call: _Call, context: Context) -> None:
        self._call = call
        self._context = context

    async def write(self, message: Any) -> None:
        await self._call.write(self._context, message)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class _Method:
    """What is known of a method from the start."""

    __slots__ = ("count", "name", "parse", "quiet", "roles", "serialize")

    def __init__(self, name: str, handler: Any, roles: frozenset[Role], metrics: Metrics, *, quiet: bool) -> None:
        self.name = name
        self.roles = roles
        self.parse: Callable[[bytes], Any] = handler.request_deserializer or bytes
        self.serialize: Callable[[Any], bytes] = handler.response_serializer or bytes
        self.quiet = quiet
        self.count = metrics.rpc(name, unary=not (handler.request_streaming or handler.response_streaming))


class Guard:
    """Wraps method handlers. ``translations`` say, by exception type, which typed error another error becomes."""

    def __init__(self, verifier: TokenVerifier, metrics: Metrics) -> None:
        self._admission = Admission(verifier)
        self._metrics = metrics
        self._log = structlog.get_logger("kit.guard").bind()
        self._streams: set[_Call] = set()
        self._answering_now = 0
        self._draining = False
        self._settled = asyncio.Event()
        self.translations: dict[type[Exception], Translation] = {grpc.aio.AioRpcError: _from_call}

    def wrap(self, name: str, handler: Any, roles: frozenset[Role], *, quiet: bool = False) -> Any:
        """The handler of the method ``name`` (``package.Service/Method``), admitting ``roles`` alone.

        ``quiet`` logs at the debug level (probes). Raises TypeError for a servicer method that is not ``async``.
        """
        method = _Method(name, handler, roles, self._metrics, quiet=quiet)
        behave = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
        if not (inspect.iscoroutinefunction(behave) or inspect.isasyncgenfunction(behave)):
            raise TypeError(f"{name} must be an async method")
        if handler.request_streaming and handler.response_streaming:
            wrapped = self._streaming(method, behave, _messages)
            return grpc.stream_stream_rpc_method_handler(wrapped, None, _encoded(method.serialize))
        if handler.response_streaming:
            wrapped = self._streaming(method, behave, _message)
            return grpc.unary_stream_rpc_method_handler(wrapped, None, _encoded(method.serialize))
        if handler.request_streaming:
            return grpc.stream_unary_rpc_method_handler(self._answering(method, behave, _messages), None, None)
        return grpc.unary_unary_rpc_method_handler(self._answering(method, behave, _message), None, None)

    def end_streams(self) -> None:
        """Ends every stream with ``DRAINING``, and any that still comes: one open would hold the server's stop."""
        self._draining = True
        for call in self._streams:
            call.end()

    async def settled(self) -> None:
        """Returns once no call but streams is under way; for a server that takes no new ones."""
        while self._answering_now > 0:
            self._settled.clear()
            await self._settled.wait()

    def _answering(
        self, method: _Method, behave: Callable[..., Awaitable[Any]], read: Callable[[_Method, Any], Any]
    ) -> Callable[[Any, Context], Awaitable[bytes]]:
        async def answer(raw: Any, context: Context) -> bytes:
            call = _Call(method)
            self._answering_now += 1
            try:
                self._admission.admit(call.rpc, context.invocation_metadata() or (), method.roles)
                response = method.serialize(await behave(read(method, raw), context))
            except BaseException as fault:
                await self._fail(call, context, fault)
                raise
            finally:
                self._answering_now -= 1
                if self._draining and self._answering_now == 0:
                    self._settled.set()
            self._finish(call, "OK")
            return response

        return answer

    def _streaming(
        self, method: _Method, behave: Callable[..., Any], read: Callable[[_Method, Any], Any]
    ) -> Callable[[Any, Context], Awaitable[None]]:
        generates = inspect.isasyncgenfunction(behave)

        async def stream(raw: Any, context: Context) -> None:
            call = _Call(method, asyncio.current_task())
            self._streams.add(call)
            self._metrics.open_streams.inc()
            try:
                if self._draining:
                    raise _draining()
                self._admission.admit(call.rpc, context.invocation_metadata() or (), method.roles)
                if generates:
                    async with aclosing(behave(read(method, raw), context)) as messages:
                        async for message in messages:
                            await call.write(context, message)
                else:
                    await behave(read(method, raw), _Writer(call, context))
            except BaseException as fault:
                await self._fail(call, context, fault)
                raise
            finally:
                self._streams.discard(call)
                self._metrics.open_streams.dec()
            self._finish(call, "OK")

        return stream

    async def _fail(self, call: _Call, context: Context, fault: BaseException) -> None:
        """Tells the log and the caller how the RPC failed; returns only where ``fault`` itself is to be raised."""
        if isinstance(fault, grpc.aio.AbortError):
            code = context.code()
            self._finish(call, getattr(code, "name", str(code)))
            return
        if isinstance(fault, asyncio.CancelledError):
            if not call.told_to_end or call.task is None:
                self._finish(call, "CANCELLED")
                return
            call.task.uncancel()
            fault = _draining()
        if not isinstance(fault, Exception):
            return
        call.keep_going()
        error = self.typed_error(fault)
        unexpected = fault if error.status is grpc.StatusCode.INTERNAL else None
        self._finish(call, error.status.name, error.code, unexpected)
        await context.abort(error.status, error.message, trailers(error))

    def typed_error(self, fault: Exception) -> ApiError:
        """The typed error that a fault becomes: itself, by a translation, or INTERNAL without a word."""
        if isinstance(fault, ApiError):
            return fault
        for kind in type(fault).__mro__:
            if (translation := self.translations.get(kind)) is not None:
                return translation(fault)
        return InternalError(INTERNAL)

    def _finish(self, call: _Call, code: str, reason: str = "", fault: Exception | None = None) -> None:
        took_s = time.perf_counter() - call.began_s
        method, caller = call.method, call.rpc.principal
        method.count(code, took_s)
        line: dict[str, Any] = {
            "method": method.name,
            "code": code,
            "ms": round(took_s * 1000, 2),
            "role": caller.role.value,
        }
        if caller.account:
            line["account"] = caller.account
        if call.rpc.via is not None:
            line["via"] = call.rpc.via.role.value
        if reason:
            line["reason"] = reason
        if fault is not None:
            self._log.error("rpc.finished", **line, exc_info=fault)
        elif method.quiet:
            self._log.debug("rpc.finished", **line)
        else:
            self._log.info("rpc.finished", **line)


def _encoded(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Lets a stream yield bytes: a message that goes to many is encoded once."""
    return lambda message: message if isinstance(message, bytes) else serialize(message)


def _message(method: _Method, raw: bytes) -> Any:
    if len(raw) > MAX_MESSAGE_BYTES:
        raise FullError(MESSAGE_TOO_LARGE, f"a message may have {MAX_MESSAGE_BYTES} bytes")
    try:
        return method.parse(raw)
    except Exception:
        raise MalformedError(BAD_REQUEST, "the message cannot be read") from None


async def _messages(method: _Method, requests: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    async for raw in requests:
        yield _message(method, raw)


def _draining() -> AwayError:
    return AwayError(DRAINING, "this server is going away: ask again, another answers", retry_after_ms=0)


def _from_call(fault: grpc.aio.AioRpcError) -> ApiError:
    """A call that this service made failed, and the servicer had no answer to that."""
    if fault.code() in _AWAY:
        return AwayError(DEPENDENCY_AWAY, "a service that this one needs is away", retry_after_ms=RETRY_AFTER_MS)
    return InternalError(INTERNAL)
