"""The journal, read beside those who write it: after each commit, what is new in it is evolved and checked."""

import json
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from services.table.events import Created, Dealt, TableEvent
from services.table.evolve import created, evolve
from services.table.facts import facts_of
from services.table.journal import StoredCommand
from services.table.journal_rows import _open
from services.table.ring import Step
from services.table.state import TableState
from services.table.stored import read_event, read_state
from services.table.upcasting import up_to_date_events
from shared.kit.sealing import SealingKeys
from shared.rules.cards import FULL_DECK
from shared.rules.state import all_cards
from tests.sim.loop import Process
from tests.support.fair_deals import drawn

TABLE_SEAL = SealingKeys([drawn("table", "seal", 32)])
_NEW = (
    "SELECT e.rowid, e.table_id, t.epoch, e.start, e.revision, e.command_id, e.command_digest, e.at_ms, e.version,"
    " e.events, e.sealed FROM entries e JOIN tables t USING (table_id) WHERE e.rowid > ? ORDER BY e.rowid"
)
_DECK = sorted(FULL_DECK)


class Appended(NamedTuple):
    """An entry of the journal, as it came."""

    process: str
    epoch: int
    command_id: str
    at_ms: int
    events: tuple[TableEvent, ...]
    before: TableState | None
    after: TableState


class Book:
    """One table by its journal."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.states: dict[int, TableState] = {}
        """By revision."""
        self.commands: dict[str, StoredCommand] = {}
        self.facts: dict[str, bytes] = {}
        """All that its entries tell others, by id."""
        self.matches: list[bytes] = []
        self.deals = 0
        self.owners: list[tuple[int, str]] = []
        """Who has appended, in which epoch, in the order of their first entries."""
        self.last_ms = 0
        self.down_since_ms: int | None = None
        """Since when nobody keeps its clock."""

    @property
    def head(self) -> int:
        """Its last revision."""
        return len(self.states)

    @property
    def state(self) -> TableState:
        """The table after the last entry."""
        return self.states[self.head]


class Mirror:
    """All tables by the journal."""

    def __init__(self, journal: sqlite3.Connection, fail: Callable[[str], None]) -> None:
        self.books: dict[str, Book] = {}
        self.tell: list[Callable[[Book, Appended], None]] = []
        """Who wants to know of each entry."""
        self._journal = journal
        self._fail = fail
        self._last_row = 0

    def read(self, process: Process, now_ms: int) -> None:
        """Take in what a process has committed."""
        rows = self._journal.execute(
            _NEW,
            (self._last_row,),
        ).fetchall()
        for number, table_id, epoch, start, *values in rows:
            self._last_row = number
            book = self.books.get(table_id)
            if book is None:
                book = self.books[table_id] = Book(table_id)
            self._take(book, process, epoch, start, tuple(values))

    def _take(self, book: Book, process: Process, epoch: int, start: str | None, row: tuple) -> None:  # type: ignore[type-arg]  # a row
        revision, command_id, digest, at_ms, version, written, sealed = row
        if revision != book.head + 1:
            self._fail(f"revision {revision} follows {book.head} in the journal of {book.table_id}")
            return
        hidden = b"" if sealed is None else _open(book.table_id, revision, sealed, TABLE_SEAL)
        events = tuple(read_event(value, hidden) for value in up_to_date_events(version, json.loads(written)))
        before = book.states.get(book.head)
        states = _evolved(before, events, hidden, revision)
        after = states[-1]
        if start is not None and read_state(json.loads(start)) != after._replace(deal=None):
            self._fail(f"the start kept at revision {revision} of {book.table_id} is another table")
        if after.deal is not None and all_cards(after.deal) != _DECK:
            self._fail(f"not the 106 cards at revision {revision} of {book.table_id}")
        if command_id in book.commands:
            self._fail(f"the command {command_id} is twice in the journal of {book.table_id}")
        book.states[revision] = after
        book.commands[command_id] = StoredCommand(digest, revision)
        book.deals += any(isinstance(event, Dealt) for event in events)
        if after.match_id not in book.matches:
            book.matches.append(after.match_id)
        step = Step(events, (states[0] if before is None else before, *states))
        for fact in facts_of(step, at_ms):
            book.facts[fact.fact_id] = fact.SerializeToString()
        appended = Appended(process.name, epoch, command_id, at_ms, events, before, after)
        for tell in self.tell:
            tell(book, appended)
        book.last_ms = at_ms


def _evolved(
    before: TableState | None, events: tuple[TableEvent, ...], hidden: bytes, revision: int
) -> list[TableState]:
    """The table after each of these events."""
    states: list[TableState] = []
    state = before
    for event in events:
        if isinstance(event, Created):
            state = created(event)
        else:
            assert state is not None
            state = evolve(state, event, hidden)
        states.append(state)
    states[-1] = states[-1]._replace(revision=revision)
    return states
