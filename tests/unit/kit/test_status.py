import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from shared.kit.status import (
    DETAILS_KEY,
    STATUS_BY_KIND,
    ApiError,
    FullError,
    StaleError,
    api_error,
    error_info,
    trailers,
)


def travelled(error: ApiError) -> AioRpcError:
    return AioRpcError(error.status, Metadata(), Metadata(*trailers(error)), error.message)


@pytest.mark.parametrize("kind", STATUS_BY_KIND)
def test_every_kind_of_error_travels_and_comes_back_as_itself(kind: type[ApiError]) -> None:
    read = api_error(travelled(kind("SOME_CODE", "some text", metadata={"turn": "7"})))
    assert type(read) is kind
    assert (read.code, read.message, read.metadata, read.retry_after_ms) == (
        "SOME_CODE",
        "some text",
        {"turn": "7"},
        None,
    )
    assert read.status is STATUS_BY_KIND[kind]


def test_the_delay_before_a_retry_travels_in_milliseconds() -> None:
    assert api_error(travelled(FullError("OVERLOADED", retry_after_ms=1_234))).retry_after_ms == 1_234


def test_the_code_and_its_metadata_can_be_read_alone() -> None:
    assert error_info(travelled(StaleError("STALE_TURN", metadata={"turn_no": "3"}))) == (
        "STALE_TURN",
        {"turn_no": "3"},
    )


def test_a_failure_without_a_code_of_ours_is_named_by_its_status() -> None:
    bare = AioRpcError(grpc.StatusCode.UNIMPLEMENTED, Metadata(), Metadata(), "Method not found!")
    assert error_info(bare) == ("UNIMPLEMENTED", {})
    assert api_error(bare).status is grpc.StatusCode.UNIMPLEMENTED


def test_garbage_in_the_details_does_no_harm() -> None:
    bad = AioRpcError(grpc.StatusCode.ABORTED, Metadata(), Metadata((DETAILS_KEY, b"\xff\xff\xff")), "")
    assert error_info(bad) == ("ABORTED", {})


def test_a_message_has_an_end() -> None:
    assert len(ApiError("X", "x" * 10_000).message) == 500
