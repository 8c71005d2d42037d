"""Journal entries as rows of a database, and back. What may be seen by nobody lies sealed in a column of its own."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import to_json

from services.table.events import Created, Dealt, MatchBegan, Revealed, TableEvent
from services.table.journal import Entry, StoredCommand, StoredDeal, StoredEntry, StoredTable
from services.table.state import Stage, TableState
from services.table.stored import VERSION, read_event, read_state, write_event, write_state
from services.table.upcasting import up_to_date_events, up_to_date_state
from shared.codec.facts import fact_subject
from shared.kit.sealing import Sealed, SealingKeys

KEY_ID_CHARS: Final = 16
"""Of the key's id, which stands before what it seals."""
ENTRY_COLUMNS: Final = (
    "table_id, revision, command_id, command_digest, at_ms, match_id, deal_no, version, action, events, sealed, start"
)


class EntryRows(NamedTuple):
    """One entry as rows."""

    table_id: str
    epoch: int
    revision: int
    ended_ms: int | None
    """When it closed, its last secret out; ``None`` while it lives."""
    entry: tuple[Any, ...]
    """In the order of ``ENTRY_COLUMNS``."""
    match_id: str | None
    """The match that begins with it, if one does."""
    outbox: list[tuple[Any, ...]]
    owner: str | None
    """Who makes the table, with its first entry."""

    @property
    def command_id(self) -> str:
        """Of the command that it keeps."""
        return str(self.entry[2])


def write_entry(entry: Entry, sealer: SealingKeys) -> EntryRows:
    """The rows of an entry."""
    state = entry.state
    kinds = set(map(type, entry.events))
    starts_deal = Dealt in kinds
    new_match = not kinds.isdisjoint((Created, MatchBegan))
    match_id = entry.match_id.hex()
    return EntryRows(
        table_id=entry.table_id,
        epoch=entry.epoch,
        revision=entry.revision,
        ended_ms=entry.at_ms if state.stage is Stage.CLOSED and not state.unrevealed else None,
        entry=(
            entry.table_id,
            entry.revision,
            entry.command_id,
            entry.command_digest,
            entry.at_ms,
            match_id,
            entry.deal_no,
            VERSION,
            entry.action,
            to_json([write_event(event) for event in entry.events]).decode(),
            _seal(entry, sealer) if entry.hidden else None,
            to_json(write_state(state)).decode() if starts_deal else None,
        ),
        match_id=match_id if new_match else None,
        outbox=[(fact.fact_id, fact_subject(fact), fact.SerializeToString(), entry.at_ms) for fact in entry.facts],
        owner=entry.owner,
    )


def read_table(table_id: str, rows: Sequence[Any], sealer: SealingKeys) -> StoredTable:
    """A table from its rows since the last deal's start (epoch, rules_version, revision, command_id,
    command_digest, at_ms, version, events, sealed, start), the oldest first. Raises ``SealError``."""
    start: TableState | None = None
    deck = b""
    entries = []
    for _, _, revision, _, _, at_ms, version, events, sealed, its_start in rows:
        hidden = b"" if sealed is None else _open(table_id, revision, sealed, sealer)
        if its_start is not None:
            start, deck = read_state(up_to_date_state(version, json.loads(its_start))), hidden
        else:
            values = up_to_date_events(version, json.loads(events))
            read = tuple(read_event(value, hidden) for value in values)
            entries.append(StoredEntry(revision, at_ms, read, hidden))
    return StoredTable(
        epoch=rows[0][0],
        rules_version=rows[0][1],
        start=start,
        deck=deck,
        entries=tuple(entries),
        commands={row[3]: StoredCommand(row[4], row[2]) for row in rows},
        last_ms=rows[-1][5],
    )


def read_deals(rows: Sequence[Any]) -> tuple[TableState, list[StoredDeal]] | None:
    """A match's revealed deals, and its table at the last deal's start, from its rows, the oldest first (deal_no,
    version, action, events, start); ``None`` where no deal has begun."""
    table: TableState | None = None
    starters: dict[int, int] = {}
    fairs: dict[int, str] = {}
    actions: dict[int, list[str]] = {}
    for deal_no, version, action, events, start in rows:
        if start is not None:
            table = read_state(up_to_date_state(version, json.loads(start)))
        if action:
            actions.setdefault(deal_no, []).append(action)
            continue
        for event in _of_a_record(version, events):
            if isinstance(event, Dealt):
                starters[deal_no] = event.starter
            elif isinstance(event, Revealed):
                fairs[event.deal_no] = event.fair_json
    if table is None:
        return None
    return table, [
        StoredDeal(number, starters[number], fair_json, tuple(actions.get(number, ())))
        for number, fair_json in sorted(fairs.items())
    ]


def write_seating(seating: tuple[int, ...]) -> str | None:
    """As the archive keeps it: nothing where nobody has swapped seats."""
    return " ".join(map(str, seating)) or None


def read_seating(text: str | None) -> tuple[int, ...]:
    """As kept; for four seats where nothing is, since a duel has no swap."""
    return tuple(range(4)) if text is None else tuple(map(int, text.split()))


def _of_a_record(version: int, events: str) -> list[TableEvent]:
    """Those that a record needs; all others are not even read."""
    values = up_to_date_events(version, json.loads(events))
    return [read_event(value) for value in values if value[0] in (Dealt.__name__, Revealed.__name__)]


def _seal(entry: Entry, sealer: SealingKeys) -> bytes:
    sealed = sealer.seal(entry.hidden, _place(entry.table_id, entry.revision))
    return sealed.key_id.encode() + sealed.data


def _open(table_id: str, revision: int, sealed: bytes, sealer: SealingKeys) -> bytes:
    closed = Sealed(sealed[:KEY_ID_CHARS].decode(), sealed[KEY_ID_CHARS:])
    return sealer.open(closed, _place(table_id, revision))


def _place(table_id: str, revision: int) -> bytes:
    return f"{table_id}:{revision}".encode()
