"""`banakil bot`: bots of anybody's meet in a room by its code and play each other, by the public API alone."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT, Process

from tests.support.kit import PATIENCE_S
from tests.support.up import Up, environment

FAST = ("--pace", "100")


async def bot(up: Up, *options: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shared.cli", "bot", "--address", up.address, *options,
        stdout=PIPE, stderr=STDOUT, env=environment(),
    )  # fmt: skip


async def said(process: Process) -> str:
    """Its next line."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        return (await process.stdout.readline()).decode().strip()


async def test_bots_play_a_match_against_one_another_and_say_the_same_of_it(quick: Up) -> None:
    host = await bot(quick, "--policy", "safe", "--mode", "duel", "--set", "target=50", "--name", "Zaid", *FAST)
    word, code = (await said(host)).split()
    assert word == "room"
    guest = await bot(quick, "--level", "1", "--room", code, *FAST)
    assert await said(guest) == f"room {code}"
    ours, theirs = (await said(host)).split(maxsplit=1), (await said(guest)).split(maxsplit=1)
    assert {ours[0], theirs[0]} == {"won", "lost"}
    assert ours[1].split(" : ") == theirs[1].split(" : ")[::-1]
    assert [await process.wait() for process in (host, guest)] == [0, 0]


async def test_a_bot_that_cannot_play_says_why(quick: Up) -> None:
    nowhere = await bot(quick, "--room", "00000000")
    assert (await said(nowhere)).startswith("NO_SUCH_ROOM")
    assert await nowhere.wait() == 1
    reckless = await bot(quick, "--policy", "reckless")
    assert reckless.stdout is not None
    assert b"reckless" in await reckless.stdout.read()
    assert await reckless.wait() == 2
