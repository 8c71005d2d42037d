import asyncio

import pytest

from services.gateway.outgoing import MOST_CHARS, MOST_FRAMES, Outgoing


async def test_frames_come_out_in_the_order_in_which_they_went_in() -> None:
    out = Outgoing()
    assert all(out.put(str(n)) for n in range(5))
    assert [await out.next() for _ in range(5)] == list("01234")


async def test_who_waits_for_a_frame_gets_it_when_it_comes() -> None:
    out = Outgoing()
    waiting = asyncio.create_task(out.next())
    await asyncio.sleep(0)
    out.put("x")
    assert await waiting == "x"


async def test_only_so_many_frames_wait() -> None:
    out = Outgoing()
    assert all(out.put("x") for _ in range(MOST_FRAMES))
    assert not out.put("x")
    await out.next()
    assert out.put("x")


@pytest.mark.parametrize("size", [MOST_CHARS // 4, MOST_CHARS])
async def test_only_so_much_waits_though_the_largest_of_frames_passes(size: int) -> None:
    out = Outgoing()
    taken = 0
    while out.put("x" * size):
        taken += 1
    assert taken == MOST_CHARS // size
    large = Outgoing()
    assert large.put("x" * (MOST_CHARS + 1))
    assert not large.put("x")


async def test_the_last_frame_comes_in_place_of_those_that_wait_and_nothing_after_it() -> None:
    out = Outgoing()
    out.put("x")
    out.finish("bye")
    out.finish("another")
    assert out.put("y")
    assert [await out.next(), await out.next(), await out.next()] == ["bye", None, None]
