"""One line per thing that happened: JSON for machines, colours on a terminal.

Events are named ``noun.past_verb`` and everything else is a key. What libraries log goes the same way, through the same
redaction. Ids of the RPC being served are added by themselves; a service binds its own with structlog's contextvars.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict

from shared.kit.log_sink import LogSink, Renderer
from shared.kit.redaction import exceptions, redact, scrub
from shared.kit.rpc_context import RpcContext, current_rpc

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_RPC: Final = "_rpc"


def configure(service: str, *, level: str = "info", stream: TextIO | None = None, console: bool | None = None) -> None:
    """Sets up all logging of this process. ``console`` None: colours where ``stream`` (standard error) is a terminal.

    Raises KeyError for a level that is not one of :data:`LEVELS`.
    """
    stream = stream or sys.stderr
    console = stream.isatty() if console is None else console
    sink = LogSink(stream, _renderer(service, structlog.dev.ConsoleRenderer() if console else _json))
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, _hand_over],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: sink,
        cache_logger_on_first_use=False,  # a second configure (a test's) must reach every module's logger
    )
    logging.basicConfig(handlers=[LibraryHandler()], level=max(LEVELS[level], logging.WARNING), force=True)


def log_loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The event loop's exception handler; asyncio's own would write the exception's text."""
    message = str(context.get("message", "")).split("\n", 1)[0]
    structlog.get_logger("asyncio").error("loop.failed", message=message, exc_info=context.get("exception"))


class LibraryHandler(logging.Handler):
    """Passes what libraries log through structlog. Arguments that are not plain are named by type alone."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        log = structlog.get_logger(record.name)
        write = log.error if record.levelno >= logging.ERROR else log.warning
        write("library.logged", logger=record.name, message=_message(record), exc_info=record.exc_info)


def _message(record: logging.LogRecord) -> str:
    args = record.args
    if isinstance(args, tuple):
        args = tuple(arg if isinstance(arg, str | int | float) else f"<{type(arg).__name__}>" for arg in args)
    try:
        return scrub(str(record.msg) % args) if args else scrub(str(record.msg))
    except (TypeError, ValueError):
        return scrub(str(record.msg))


def _hand_over(_logger: object, method: str, event: EventDict) -> tuple[tuple[EventDict], dict[str, Any]]:
    """Takes what must be taken while the event happens; all else is done when its line is written."""
    event["time"] = time.time()
    event["level"] = method
    event[_RPC] = current_rpc.get()
    if event.get("exc_info") is True:
        event["exc_info"] = sys.exc_info()
    return (event,), {}


def _renderer(service: str, write: Any) -> Renderer:
    def render(event: EventDict) -> str:
        rpc: RpcContext | None = event.pop(_RPC)
        if rpc is not None:
            event["trace_id"] = rpc.trace_id
            event["request_id"] = rpc.request_id
        event["service"] = service
        event["time"] = datetime.fromtimestamp(event["time"], UTC).isoformat(timespec="milliseconds")
        return str(write(None, "", redact(None, "", exceptions(None, "", event))))

    return render


def _json(_logger: object, _method: str, event: EventDict) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
