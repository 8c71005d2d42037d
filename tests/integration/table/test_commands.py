"""Commands to live tables: each is applied once however often it comes, and one that is refused changes nothing."""

import asyncio
import random

import pytest

from services.table.actor import REMEMBERED_COMMANDS
from services.table.commands import Play, Presence, TakeVacancy
from services.table.due import NeedsOutcome
from services.table.refusals import (
    CommandReusedError,
    NotSeatedError,
    StaleTurnError,
    VacancyTakenError,
)
from services.table.state import Stage
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo
from shared.rules.options import make_options
from shared.rules.refusal import RefusedError
from shared.rules.state import all_cards
from tests.support.play import next_action
from tests.support.table_process import TableProcess, put, throw
from tests.support.tables import PEOPLE, QUICK, TABLE_ID, creation


async def journal_size(process: TableProcess) -> int:
    stored = await process.journal.load(TABLE_ID)
    assert stored is not None
    return len(stored.entries)


USABLE = "sahrat 0 draw r0 / 5H6H9D4S KC QC 8D / 4SJS / 3C7H / 0:5S6S7S"
COMMANDS: list[tuple[str, SeatAction]] = [
    (USABLE, Draw(0)),
    (USABLE, Take(0, 1)),
    ("sahrat 0 play r0 / 5H6H7H9D KC QC 8D / 4SJS / 3C / -", Lay(0, (b"\x11\x12\x13",))),
    ("sahrat 0 play r0 / 8S9D KC QC 8D / 4SJS / 3C / 0:5S6S7S", Amend(0, 1, b"\x04\x05\x06\x07")),
    ("sahrat 0 play r0 / 8S9D KC QC 8D / 4SJS / 3C / 0:5S6S7S", Discard(0, 34)),
    ("sahrat max_reshuffles=0 0 draw r0 / 5H6H9D KC QC 8D / - / 7H / 0:5S6S7S", Pass(0)),
]


@pytest.mark.parametrize(("position", "action"), COMMANDS, ids=lambda value: type(value).__name__)
async def test_a_command_sent_twice_and_again_is_applied_once(
    process: TableProcess, position: str, action: SeatAction
) -> None:
    await process.make()
    await put(process, position)
    actor = await process.actor()
    begun = actor.state.revision
    command = Play("ada", 1, 1, action)
    sent = [process.tables.submit(TABLE_ID, command, "ada:1", b"body") for _ in range(3)]
    assert await asyncio.gather(*sent) == [begun + 1] * 3
    await process.settle()
    after = actor.state
    assert await process.tables.submit(TABLE_ID, command, "ada:1", b"body") == begun + 1
    assert actor.state is after
    with pytest.raises(CommandReusedError):
        await process.tables.submit(TABLE_ID, command, "ada:1", b"another body")
    assert actor.state is after


async def test_an_undo_sent_twice_takes_back_once(process: TableProcess) -> None:
    await process.make()
    await put(process, USABLE)
    take, undo = Play("ada", 1, 1, Take(0, 1)), Play("ada", 1, 1, Undo(0))
    await process.tables.submit(TABLE_ID, take, "ada:1", b"")
    revision = await process.tables.submit(TABLE_ID, undo, "ada:2", b"")
    await process.tables.submit(TABLE_ID, take, "ada:3", b"")
    assert await process.tables.submit(TABLE_ID, undo, "ada:2", b"") == revision
    deal = (await process.state()).deal
    assert deal is not None
    assert deal.duties


async def test_a_table_made_twice_is_one(process: TableProcess) -> None:
    create = creation()
    made = [process.tables.create(TABLE_ID, create, b"body") for _ in range(3)]
    assert await asyncio.gather(*made) == [1, 1, 1]
    await process.settle()
    actor = await process.actor()
    assert len(process.tables.all()) == 1
    assert [type(due) for due in process.shuffle.asked].count(NeedsOutcome) == 1
    assert await process.tables.create(TABLE_ID, create, b"body") == 1
    with pytest.raises(CommandReusedError):
        await process.tables.create(TABLE_ID, create, b"another body")
    assert await process.actor() is actor


async def test_a_vacancy_taken_twice_by_one_account_is_its_seat_and_refused_to_another(process: TableProcess) -> None:
    await process.make(make_options({"preset": "sahrat"}), "ada", "", "cem", "")

    async def take(account: str, name: str) -> int:
        command = TakeVacancy("vacancy:1", account, name)
        return await process.tables.submit(TABLE_ID, command, f"vacancy:vacancy:1:{account}", b"")

    revisions = await asyncio.gather(take("house:one", "Kitt"), take("house:one", "Kitt"))
    await process.tables.submit(TABLE_ID, Presence("ada", away=False), "presence:1", b"")
    assert [*revisions, await take("house:one", "Hal")] == [2, 2, 2]
    with pytest.raises(VacancyTakenError):
        await take("house:two", "Hal")
    assert (await process.state()).seats[1].name == "Kitt"


async def test_a_resend_long_after_still_gets_the_first_answer(process: TableProcess) -> None:
    """Its turn has passed and the table's memory has forgotten it: the journal has not."""
    actor = await process.make()
    first = throw(actor.state)
    command = Play(PEOPLE[first.seat], 1, 1, first)
    revision = await process.tables.submit(TABLE_ID, command, "ada:1", b"body")
    for number in range(REMEMBERED_COMMANDS + 1):
        await process.tables.submit(TABLE_ID, Presence("ada", away=bool(number % 2)), f"presence:{number}", b"")
    state = actor.state
    assert await process.tables.submit(TABLE_ID, command, "ada:1", b"body") == revision
    with pytest.raises(CommandReusedError):
        await process.tables.submit(TABLE_ID, command, "ada:1", b"another body")
    fresh = Play(PEOPLE[first.seat], 1, 1, first)
    with pytest.raises(StaleTurnError):
        await process.tables.submit(TABLE_ID, fresh, "ada:2", b"body")
    assert actor.state is state


async def test_a_forgotten_command_that_could_be_applied_again_is_not(process: TableProcess) -> None:
    """Within one turn the same action may be legal twice: the journal takes its id once."""
    actor = await process.make()
    await put(process, "banakil202 0 play r0 / 9D8D KC QC 8D / 4SJS / 3C / 0:5S6S7S2S")
    actor.state = actor.state._replace(deal=actor.state.deal)
    moved = Play("ada", 1, 1, Amend(0, 1, bytes([1, 4, 5, 6])))
    back = Play("ada", 1, 1, Amend(0, 1, bytes([4, 5, 6, 1])))
    revision = await process.tables.submit(TABLE_ID, moved, "ada:1", b"")
    await process.tables.submit(TABLE_ID, back, "ada:2", b"")
    for number in range(REMEMBERED_COMMANDS):
        await process.tables.submit(TABLE_ID, Presence("ada", away=bool(number % 2)), f"presence:{number}", b"")
    before = actor.state
    assert await process.tables.submit(TABLE_ID, moved, "ada:1", b"") == revision
    assert actor.state is before


async def test_a_refused_command_leaves_state_and_journal_as_they_were(process: TableProcess) -> None:
    actor = await process.make()
    state, size = actor.state, await journal_size(process)
    assert state.deal is not None
    refusals: list[tuple[Play, type[Exception]]] = [
        (Play("ada", 1, 1, Draw(0)), RefusedError),
        (Play("ada", 1, 1, Lay(0, (bytes(3),))), RefusedError),
        (Play("ada", 1, 1, Amend(0, 1, b"")), RefusedError),
        (Play("ada", 1, 1, Undo(0)), RefusedError),
        (Play("bayan", 1, 1, Draw(1)), RefusedError),
        (Play("ada", 1, 2, Draw(0)), StaleTurnError),
        (Play("ada", 2, 1, Draw(0)), StaleTurnError),
        (Play("ada", 1, 1, Draw(0), "0f" * 16), StaleTurnError),
        (Play("eve", 1, 1, Draw(0)), NotSeatedError),
    ]
    for number, (command, error) in enumerate(refusals):
        for _ in range(2):
            with pytest.raises(error):
                await process.tables.submit(TABLE_ID, command, f"x:{number}", b"")
    assert actor.state is state
    assert await journal_size(process) == size
    revision = await process.act(throw(state), command_id="x:0")
    assert revision == state.revision + 1


async def test_cards_are_never_lost_or_doubled_by_two_who_send_the_same_at_once(
    process: TableProcess, rng: random.Random
) -> None:
    actor = await process.make(make_options({"preset": "banakil202", "mode": "duel"}))
    assert actor.state.deal is not None
    whole = all_cards(actor.state.deal)
    for turn in range(60):
        state = actor.state
        if state.stage is not Stage.DEAL or state.deal is None:
            break
        action = next_action(rng, state.deal, QUICK)
        twice = [process.act(action, command_id=f"{turn}") for _ in range(2)]  # type: ignore[arg-type]  # not the clock's
        first, second = await asyncio.gather(*twice)
        assert first == second == state.revision + 1
        await process.settle()
        if actor.state.deal is not None:
            assert all_cards(actor.state.deal) == whole
