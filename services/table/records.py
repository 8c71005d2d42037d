"""The record of a match (docs/record.md): from its journal, revealed deals only; or from the archive."""

import json
from collections.abc import Awaitable, Callable

from services.table.journal import Journal, StoredDeal
from services.table.refusals import UnknownMatchError, UnknownTableError
from services.table.state import Stage, TableState
from shared.rules.record import compact_json, write_record


def record_json(table: TableState, deals: list[StoredDeal]) -> str:
    """A ``banakil-record``. Deals whose secret is not out yet are left out, with all that follow them."""
    written: list[dict[str, object]] = []
    for number, deal in enumerate(deals, 1):
        if deal.deal_no != number:
            break
        written.append({"starter": deal.starter, "fair": json.loads(deal.fair_json), "actions": list(deal.actions)})
    return compact_json(write_record(table.options, written, [seat.name for seat in table.seats]))


async def find_record(
    journal: Journal, state_of: Callable[[str], Awaitable[TableState]], match_id: bytes
) -> tuple[str, bool]:
    """A match's record, and whether it is complete. Raises ``UnknownMatchError``, ``JournalError``."""
    found = await _live_record(journal, state_of, match_id)
    if found is not None:
        return found
    archived = await journal.archived(match_id)  # last: it may be archived meanwhile
    if archived is None:
        raise UnknownMatchError
    return archived, True


async def _live_record(
    journal: Journal, state_of: Callable[[str], Awaitable[TableState]], match_id: bytes
) -> tuple[str, bool] | None:
    """From the journal; ``None`` where it has no such match."""
    table_id = await journal.table_of(match_id)
    if table_id is None:
        return None
    try:
        # Looked at before its record is read, so that one which is said to be complete is.
        table = await state_of(table_id)
    except UnknownTableError:
        return None
    found = await journal.match_record(match_id)
    if found is None:
        return None
    over = table.match_id != match_id or table.match.winner is not None or table.stage is Stage.CLOSED
    complete = over and not any(ctx.match == match_id for ctx in table.unrevealed)
    return record_json(*found), complete
