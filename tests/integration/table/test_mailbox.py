"""A table's mailbox: bounded, heard by the clock, and patient while the pile is being shuffled."""

import asyncio

import pytest

from services.table.actor import MAILBOX, TableActor
from services.table.commands import Play, Presence
from services.table.due import NeedsStock
from services.table.refusals import (
    NotSeatedError,
    OverloadedError,
)
from shared.rules.actions import Discard, Draw
from shared.rules.refusal import Code, RefusedError
from tests.support.table_process import TableProcess, put, throw
from tests.support.tables import TABLE_ID


def fill(actor: TableActor) -> list["asyncio.Future[int]"]:
    """As many commands as a mailbox holds, all of somebody who has no seat."""
    eve = Play("eve", 1, 1, Draw(0))
    return [asyncio.ensure_future(actor.submit(eve, f"eve:{number}", b"")) for number in range(MAILBOX)]


async def test_a_mailbox_holds_so_many_commands_and_more_are_told_when_to_come_again(process: TableProcess) -> None:
    actor = await process.make()
    state = actor.state
    sent = [
        asyncio.ensure_future(actor.submit(Play("eve", 1, 1, Draw(0)), f"eve:{number}", b""))
        for number in range(1 + MAILBOX)
    ]
    await asyncio.sleep(0)
    with pytest.raises(OverloadedError) as full:
        await actor.submit(Play("ada", 1, 1, throw(state)), "ada:1", b"")
    assert full.value.retry_after_ms == 250
    answers = await asyncio.gather(*sent, return_exceptions=True)
    assert {type(answer) for answer in answers} == {NotSeatedError}
    assert await actor.submit(Play("ada", 1, 1, throw(state)), "ada:1", b"") == state.revision + 1


async def test_the_clock_is_heard_though_the_mailbox_is_full(process: TableProcess) -> None:
    actor = await process.make()
    sent = [
        asyncio.ensure_future(actor.submit(Play("eve", 1, 1, Draw(0)), f"eve:{number}", b""))
        for number in range(1 + MAILBOX)
    ]
    await asyncio.sleep(0)
    process.clock.advance(20_000)
    await asyncio.gather(*sent, return_exceptions=True)
    await process.settle()
    deal = actor.state.deal
    assert deal is not None
    assert deal.time_up


RESHUFFLE_NEXT = "sahrat 0 play r0 / 5H9D 4HKC QC 8D / - / 7D2S3C3S / 0:5S6S7S"


async def test_moves_that_come_while_the_pile_is_shuffled_wait_and_are_then_judged(process: TableProcess) -> None:
    await process.make()
    await put(process, RESHUFFLE_NEXT)
    process.shuffle.hold(NeedsStock)
    thrown = Play("ada", 1, 1, Discard(0, 34))
    revision = await process.tables.submit(TABLE_ID, thrown, "ada:1", b"")
    moves = [
        Play("bayan", 1, 2, Draw(1)),
        Play("bayan", 1, 2, Draw(1)),
        Play("cem", 1, 2, Draw(2)),
        Play("eve", 1, 2, Draw(0)),
    ]
    waiting = [
        asyncio.ensure_future(process.tables.submit(TABLE_ID, move, f"x:{number}", b""))
        for number, move in enumerate(moves)
    ]
    await process.settle()
    await process.pass_time(59_000)  # no clock runs, and nobody's grace is over
    assert not any(move.done() for move in waiting)
    assert await process.tables.submit(TABLE_ID, thrown, "ada:1", b"") == revision
    assert await process.tables.submit(TABLE_ID, Presence("ada", away=False), "presence:1", b"") == revision + 1
    process.shuffle.release(NeedsStock)
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert answers[0] == revision + 3
    assert [getattr(answer, "code", None) for answer in answers[1:3]] == [Code.ALREADY_DRAWN, Code.NOT_YOUR_TURN]
    assert isinstance(answers[3], NotSeatedError)
    state = await process.state()
    assert state.deal is not None
    assert len(state.deal.stock) == 3
    assert state.deadline_ms == process.clock.now_ms() + 20_000


async def test_no_more_than_so_many_moves_wait_for_a_new_stock(process: TableProcess) -> None:
    actor = await process.make()
    await put(process, RESHUFFLE_NEXT)
    process.shuffle.hold(NeedsStock)
    await process.tables.submit(TABLE_ID, Play("ada", 1, 1, Discard(0, 34)), "ada:1", b"")
    waiting = []
    for number in range(2 * MAILBOX):
        waiting.append(asyncio.ensure_future(actor.submit(Play("cem", 1, 2, Draw(2)), f"x:{number}", b"")))
        await process.settle()
    refused = [move for move in waiting if move.done()]
    assert len(refused) == MAILBOX
    assert all(isinstance(move.exception(), OverloadedError) for move in refused)
    process.shuffle.release(NeedsStock)
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert sum(isinstance(answer, RefusedError) for answer in answers) == MAILBOX
