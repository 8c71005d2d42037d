import asyncio
import io
import json
import logging as stdlib_logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from shared.kit import logging
from shared.kit.log_sink import MOST_WAITING
from shared.kit.rpc_context import RpcContext, current_rpc

MARK = "S7-D9-JOKER"


class Lines(io.StringIO):
    """A stream that gives back what was written as events."""

    def events(self) -> list[dict[str, Any]]:
        structlog.get_config()["logger_factory"]().flush()
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    root = stdlib_logging.getLogger()
    before = (root.handlers[:], root.level)
    written = Lines()
    logging.configure("table", stream=written, console=False)
    yield written
    structlog.reset_defaults()
    root.handlers[:], root.level = before


def test_a_line_is_one_json_object_with_what_every_line_has(lines: Lines) -> None:
    structlog.get_logger("x").info("table.opened", table_id="t1", seats=4)
    (event,) = lines.events()
    assert {name: event[name] for name in ("event", "level", "service", "table_id", "seats")} == {
        "event": "table.opened", "level": "info", "service": "table", "table_id": "t1", "seats": 4,
    }  # fmt: skip
    assert event["time"].endswith("+00:00")


def test_hands_secrets_and_tokens_are_never_written(lines: Lines) -> None:
    log = structlog.get_logger("x").bind(hand=MARK)
    with structlog.contextvars.bound_contextvars(token=MARK):
        log.info("deal.started", deck=[MARK], view={"seat": 1, "stock": [MARK]}, c=MARK, secret=MARK)
    assert MARK not in lines.getvalue()
    assert lines.events()[0]["view"] == {"seat": 1, "stock": "[redacted]"}


def test_an_exception_is_written_with_its_causes_but_not_their_text(lines: Lines) -> None:
    try:
        try:
            raise KeyError(MARK)
        except KeyError as cause:
            raise ValueError(f"cannot draw {MARK}") from cause
    except ValueError:
        structlog.get_logger("x").exception("draw.failed")
    (event,) = lines.events()
    assert MARK not in lines.getvalue()
    assert [told["type"] for told in event["exception"]] == ["builtins.ValueError", "builtins.KeyError"]
    assert "test_an_exception_is_written" in event["exception"][0]["at"][-1]


def test_what_libraries_log_comes_out_the_same_way(lines: Lines) -> None:
    try:
        raise ValueError(MARK)
    except ValueError as fault:
        stdlib_logging.getLogger("grpc").error("failed with %s and %s", fault, "reason", exc_info=True)
    (event,) = lines.events()
    assert (event["event"], event["logger"]) == ("library.logged", "grpc")
    assert event["message"] == "failed with <ValueError> and reason"
    assert MARK not in lines.getvalue()


async def test_a_fault_of_the_loop_is_written_without_its_text(lines: Lines) -> None:
    logging.log_loop_fault(
        asyncio.get_running_loop(),
        {"message": f"Task exception was never retrieved\nfuture: {MARK}", "exception": ValueError(MARK)},
    )
    (event,) = lines.events()
    assert event["message"] == "Task exception was never retrieved"
    assert MARK not in lines.getvalue()


def test_lines_written_while_serving_an_rpc_bear_its_ids(lines: Lines) -> None:
    rpc = RpcContext()
    restore = current_rpc.set(rpc)
    structlog.get_logger("x").info("move.applied")
    current_rpc.reset(restore)
    structlog.get_logger("x").info("clock.ticked")
    first, second = lines.events()
    assert (first["trace_id"], first["request_id"]) == (rpc.trace_id, rpc.request_id)
    assert "trace_id" not in second


async def test_a_line_waits_for_others_but_an_error_waits_for_nothing(lines: Lines) -> None:
    log = structlog.get_logger("x")
    log.info("first.thing")
    assert lines.getvalue() == ""
    log.error("second.thing")
    assert [json.loads(line)["event"] for line in lines.getvalue().splitlines()] == ["first.thing", "second.thing"]


async def test_no_more_than_so_many_lines_wait(lines: Lines) -> None:
    log = structlog.get_logger("x")
    for _ in range(MOST_WAITING):
        log.info("much.happened")
    assert len(lines.getvalue().splitlines()) == MOST_WAITING


def test_below_the_level_nothing_is_written(lines: Lines) -> None:
    structlog.get_logger("x").debug("little.happened")
    assert lines.events() == []


def test_a_terminal_gets_text_with_the_same_redaction() -> None:
    written = io.StringIO()
    logging.configure("table", stream=written, console=True)
    structlog.get_logger("x").error("deal.started", hand=MARK, table_id="t1")
    structlog.reset_defaults()
    assert "deal.started" in written.getvalue()
    assert MARK not in written.getvalue()
