"""Tables by their journal: each entry, as it is read beside those who write it, is evolved and looked at."""

import json
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

_DECK = sorted(FULL_DECK)


class Row(NamedTuple):
    """An entry as the database has it."""

    revision: int
    command_id: str
    command_digest: bytes
    at_ms: int
    version: int
    events: str
    sealed: bytes | None
    start: str | None


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


class Books:
    """All tables by the journal. ``fail`` is told what is wrong with an entry."""

    def __init__(self, seal: SealingKeys, fail: Callable[[str], None]) -> None:
        self.books: dict[str, Book] = {}
        self.tell: list[Callable[[Book, Appended], None]] = []
        """Who wants to know of each entry."""
        self._seal = seal
        self._fail = fail

    def head_of(self, table_id: str) -> int:
        """The last revision of a table that was taken in; 0 if none."""
        book = self.books.get(table_id)
        return 0 if book is None else book.head

    def take(self, table_id: str, process: str, epoch: int, row: Row) -> None:
        """The next entry of a table, which this process has written in this epoch."""
        book = self.books.get(table_id)
        if book is None:
            book = self.books[table_id] = Book(table_id)
        if row.revision != book.head + 1:
            self._fail(f"revision {row.revision} follows {book.head} in the journal of {book.table_id}")
            return
        hidden = b"" if row.sealed is None else _open(book.table_id, row.revision, row.sealed, self._seal)
        events = tuple(read_event(value, hidden) for value in up_to_date_events(row.version, json.loads(row.events)))
        before = book.states.get(book.head)
        states = _evolved(before, events, hidden, row.revision)
        after = states[-1]
        if row.start is not None and read_state(json.loads(row.start)) != after._replace(deal=None):
            self._fail(f"the start kept at revision {row.revision} of {book.table_id} is another table")
        if after.deal is not None and all_cards(after.deal) != _DECK:
            self._fail(f"not the 106 cards at revision {row.revision} of {book.table_id}")
        if row.command_id in book.commands:
            self._fail(f"the command {row.command_id} is twice in the journal of {book.table_id}")
        book.states[row.revision] = after
        book.commands[row.command_id] = StoredCommand(row.command_digest, row.revision)
        book.deals += any(isinstance(event, Dealt) for event in events)
        if after.match_id not in book.matches:
            book.matches.append(after.match_id)
        step = Step(events, (states[0] if before is None else before, *states))
        for fact in facts_of(step, row.at_ms):
            book.facts[fact.fact_id] = fact.SerializeToString()
        appended = Appended(process, epoch, row.command_id, row.at_ms, events, before, after)
        for tell in self.tell:
            tell(book, appended)
        book.last_ms = row.at_ms


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
