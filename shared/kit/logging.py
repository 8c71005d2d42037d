"""One line per thing that happened: JSON for machines, colours on a terminal.

Events are named ``noun.past_verb`` and everything else is a key. What libraries log goes the same way, through the same
redaction. Ids of the RPC being served are added by themselves; a service binds its own with structlog's contextvars.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import Any, Final, TextIO

import structlog

from shared.kit.redaction import exceptions, redact, scrub
from shared.kit.rpc_context import current_rpc

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure(service: str, *, level: str = "info", stream: TextIO | None = None, console: bool | None = None) -> None:
    """Sets up all logging of this process. ``console`` None: colours where ``stream`` (standard error) is a terminal.

    Raises KeyError for a level that is not one of :data:`LEVELS`.
    """
    stream = stream or sys.stderr
    console = stream.isatty() if console is None else console
    renderer = structlog.dev.ConsoleRenderer() if console else _json

    def add_service(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        event["service"] = service
        return event

    processors: list[Any] = [
        structlog.contextvars.merge_contextvars,
        add_rpc_ids,
        add_service,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        exceptions,
        redact,
        renderer,
    ]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,  # a second configure (a test's) must reach every module's logger
    )
    logging.basicConfig(handlers=[LibraryHandler()], level=max(LEVELS[level], logging.WARNING), force=True)


def add_rpc_ids(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A structlog processor: the ids of the RPC being served, where one is."""
    if (rpc := current_rpc.get()) is not None:
        event["trace_id"] = rpc.trace_id
        event["request_id"] = rpc.request_id
    return event


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


def _json(_logger: object, _method: str, event: dict[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
