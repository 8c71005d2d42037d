"""Faults planted in the code: each a thing that somebody could well get wrong, and that the simulator must find."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy import text

from services.shuffle.ceremonies import Ceremonies
from services.table import decide, operating, pausing, sqlite_writing, wire
from services.table.actor import TableActor
from services.table.alarm import Alarm
from services.table.events import AwayChanged, SeatEvent, Unfrozen
from services.table.journal_reading import JournalReading
from services.table.mail import Envelope
from services.table.ring import Ring, Step
from services.table.seats import evolve_seat
from services.table.state import Seat
from services.table.tables import Tables
from shared.kit.bus import BusAwayError
from shared.kit.inbox import InboxConsumer
from shared.kit.outbox import Outbox
from shared.kit.tasks import spawn
from shared.rules.views import SeenDrew, seen_event

Mutant = Callable[[], AbstractContextManager[object]]


def answered_before_it_is_journalled() -> AbstractContextManager[object]:
    """A command is answered while its entry is still being written."""
    journal = TableActor._journal

    async def not_awaited(actor: TableActor, step: Step, envelope: Envelope, now_ms: int) -> None:
        spawn(_quietly(journal(actor, step, envelope, now_ms)), "an append")

    return patch.object(TableActor, "_journal", not_awaited)


def evolved_before_it_is_journalled() -> AbstractContextManager[object]:
    """The table goes on before its entry is written."""
    journal = TableActor._journal

    async def late(actor: TableActor, step: Step, envelope: Envelope, now_ms: int) -> Any:
        actor.state = step.after
        return await journal(actor, step, envelope, now_ms)

    return patch.object(TableActor, "_journal", late)


def old_commands_are_forgotten() -> AbstractContextManager[object]:
    """A command that was applied long ago is not looked up in the journal."""

    async def nothing(_journal: object, _table_id: str, _command_id: str) -> None:
        return None

    return patch.object(JournalReading, "find_command", nothing)


@contextmanager
def clocks_ring_that_were_set_anew() -> Iterator[None]:
    """An alarm that is put off rings when it was first to, and nobody looks what time it is."""

    def ring(alarm: Any) -> None:
        alarm._timer = None
        if alarm._due_ms is not None:
            alarm._ring(alarm._due_ms)

    with ExitStack() as stack:
        stack.enter_context(patch.object(Alarm, "_look", ring))
        stack.enter_context(patch.object(decide, "_require", lambda _wanted: None))
        yield


@contextmanager
def appends_are_not_fenced() -> Iterator[None]:
    """A process writes on about a table that another has claimed."""

    def raise_revisions(connection: Any, batch: Any) -> None:
        for rows in batch:
            connection.execute(
                "UPDATE tables SET revision = ?, live = ?, ended_ms = ? WHERE table_id = ?",
                (rows.revision, rows.ended_ms is None, rows.ended_ms, rows.table_id),
            )

    with patch.object(sqlite_writing, "_raise_revisions", raise_revisions):
        yield


def facts_go_before_they_are_published() -> AbstractContextManager[object]:
    """An outbox row is deleted whether or not NATS has taken it."""
    publish = Outbox._publish

    async def all_taken(outbox: Outbox, rows: Any) -> tuple[list[int], BusAwayError | None]:
        _, fault = await publish(outbox, rows)
        return [row.id for row in rows], fault

    return patch.object(Outbox, "_publish", all_taken)


def facts_are_not_remembered() -> AbstractContextManager[object]:
    """The inbox does a fact's work without keeping its id."""

    async def take(inbox: InboxConsumer, fact: Any) -> bool:
        async with inbox._database.transaction() as connection:
            await connection.execute(text("SELECT 1"))
            await inbox._handler(connection, fact)
        return True

    return patch.object(InboxConsumer, "take", take)


def outages_are_not_credited() -> AbstractContextManager[object]:
    """Who goes on with a table does not ask since when it has stood still."""
    run = Tables._run

    def now(tables: Tables, actor: TableActor, since_ms: int | None = None) -> Any:
        return run(tables, actor, None if since_ms is None else tables._clock.now_ms())

    return patch.object(Tables, "_run", now)


def a_drawn_card_is_told_to_all() -> AbstractContextManager[object]:
    """A delta says which card somebody has drawn."""

    def told(event: Any, before: Any, after: Any, viewer: Any) -> Any:
        seen = seen_event(event, before, after, viewer)
        return seen_event(event, before, after, seen.seat) if isinstance(seen, SeenDrew) else seen

    return patch.object(wire, "seen_event", told)


def who_comes_back_misses_an_update() -> AbstractContextManager[object]:
    """The ring leaves out the first step that was missed."""
    since = Ring.since

    def less(ring: Ring, revision: int) -> Any:
        missed = since(ring, revision)
        return missed if not missed else missed[1:]

    return patch.object(Ring, "since", less)


def the_deck_is_another() -> AbstractContextManager[object]:
    """The shuffle service deals other cards than the secret and the contributions give."""
    deck = Ceremonies._deck

    def swapped(ceremonies: Ceremonies, ctx: Any, derivation: Any) -> bytes:
        cards = deck(ceremonies, ctx, derivation)
        return bytes((cards[-1], *cards[1:-1], cards[0]))

    return patch.object(Ceremonies, "_deck", swapped)


def nobody_asks_for_reveals() -> AbstractContextManager[object]:
    """The table asks for no secret once its last deal is over."""
    ask_for = TableActor._ask_for

    def silent(actor: TableActor, due: Any) -> None:
        ask_for(actor, None if type(due).__name__ == "NeedsReveal" else due)

    return patch.object(TableActor, "_ask_for", silent)


def a_table_that_stood_still_has_its_old_clock() -> AbstractContextManager[object]:
    """What a clock had left is not given back."""
    return patch.object(operating, "gone_on", lambda _state, _now: (Unfrozen(),))


def a_break_costs_who_was_to_act() -> AbstractContextManager[object]:
    """What a clock had left is not given back after the players' break."""
    return patch.object(pausing, "gone_on", lambda _state, _now: (Unfrozen(),))


def who_is_back_has_a_bot_beside_them() -> AbstractContextManager[object]:
    """Who comes back is there, and the house bot keeps the seat."""

    def kept(seat: Seat, event: SeatEvent) -> Seat:
        after = evolve_seat(seat, event)
        return after._replace(stand_in=seat.stand_in) if isinstance(event, AwayChanged) else after

    return patch("services.table.evolve.evolve_seat", kept)


async def _quietly(work: Any) -> None:
    try:
        await work
    except (Exception, asyncio.CancelledError):
        return


MUTANTS: Final[tuple[Mutant, ...]] = (
    answered_before_it_is_journalled,
    evolved_before_it_is_journalled,
    old_commands_are_forgotten,
    clocks_ring_that_were_set_anew,
    appends_are_not_fenced,
    facts_go_before_they_are_published,
    facts_are_not_remembered,
    outages_are_not_credited,
    a_drawn_card_is_told_to_all,
    who_comes_back_misses_an_update,
    the_deck_is_another,
    nobody_asks_for_reveals,
    a_table_that_stood_still_has_its_old_clock,
    a_break_costs_who_was_to_act,
    who_is_back_has_a_bot_beside_them,
)
