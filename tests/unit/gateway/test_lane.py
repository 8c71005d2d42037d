import asyncio

from services.gateway.lane import Lane


async def test_work_is_done_one_after_another_in_order() -> None:
    lane, done = Lane("test", 10), list[str]()
    all_done = asyncio.Event()

    def work(name: str, waits: int, last: bool = False) -> None:
        async def act() -> None:
            for _ in range(waits):
                await asyncio.sleep(0)
            done.append(name)
            if last:
                all_done.set()

        assert lane.put(act)

    work("a", 5)
    work("b", 0)
    work("c", 3, last=True)
    await all_done.wait()
    assert done == ["a", "b", "c"]
    all_done.clear()
    work("d", 0, last=True)
    await all_done.wait()
    assert done[-1] == "d"


async def test_only_so_much_work_waits_and_a_stop_drops_it() -> None:
    lane = Lane("test", 2)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def never() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    assert lane.put(never)
    await begun.wait()
    assert lane.put(never)
    assert lane.put(never)
    assert not lane.put(never)
    lane.stop()
    await ended.wait()
    begun.clear()
    await asyncio.sleep(0)
    assert not begun.is_set()
