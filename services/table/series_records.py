"""The record of a series (docs/record.md): the records of its matches in one, from the journal or from the archive."""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, NamedTuple

from services.table.journal import ArchivedMatch, Journal
from services.table.records import find_record, record_json
from services.table.refusals import UnknownMatchError, UnknownTableError
from services.table.state import Stage, TableState
from shared.rules.options import make_options
from shared.rules.record import compact_json
from shared.rules.series_record import write_match, write_series

StateOf = Callable[[str], Awaitable[TableState]]


class PlayedMatch(NamedTuple):
    """A match as its own record tells it, and for each seat the place in the first match of who had it."""

    record: dict[str, Any]
    seating: Sequence[int]


async def find_series(journal: Journal, state_of: StateOf, series_id: bytes) -> tuple[str, bool]:
    """A series' record, and whether it is complete; of a single match that one's.

    Raises ``UnknownMatchError``, ``JournalError``.
    """
    found = await _live_series(journal, state_of, series_id)
    if found is None:
        archived = await journal.archived_series(series_id)  # last: it may be archived meanwhile
        found = _in_order(archived, series_id), True
    matches, complete = found
    if make_options(matches[0].record["options"]).format == "single":
        return await find_record(journal, state_of, series_id)
    return series_json(matches), complete


def series_json(matches: Sequence[PlayedMatch]) -> str:
    """A ``banakil-record`` of a series' matches, in order."""
    first = matches[0].record
    told = [
        write_match(match.record["deals"], swapped) for match, swapped in zip(matches, _swaps(matches), strict=True)
    ]
    return compact_json(write_series(make_options(first["options"]), told, first["players"]))


async def _live_series(
    journal: Journal, state_of: StateOf, series_id: bytes
) -> tuple[Sequence[PlayedMatch], bool] | None:
    """From the journal: the matches up to the first with a deal that is not revealed; ``None`` where it has none."""
    table_id = await journal.table_of(series_id)
    if table_id is None:
        return None
    try:
        # Looked at before its records are read, so that one which is said to be complete is.
        table = await state_of(table_id)
    except UnknownTableError:
        return None
    if table.series_id != series_id:
        raise UnknownMatchError
    matches = []
    for match_id in await journal.matches_of(table_id):
        found = await journal.match_record(match_id)
        if found is None:
            break
        seating = found[0].series.seating or range(table.options.seats)
        matches.append(PlayedMatch(json.loads(record_json(*found)), seating))
        if match_id == table.match_id or any(ctx.match == match_id for ctx in table.unrevealed):
            break
    over = table.stage is Stage.CLOSED or table.series.winner is not None
    return (matches, over and not table.unrevealed) if matches else None


def _in_order(archived: Sequence[ArchivedMatch], series_id: bytes) -> Sequence[PlayedMatch]:
    """From the first match on, whose id is the series'. Raises ``UnknownMatchError`` where that is none."""
    matches = [PlayedMatch(json.loads(match.record), match.seating) for match in archived]
    played = sorted((match for match in matches if match.record["deals"]), key=lambda match: _fair(match)["match_no"])
    if not played or _fair(played[0])["match"] != series_id.hex():
        raise UnknownMatchError
    return played


def _fair(match: PlayedMatch) -> dict[str, Any]:
    fair: dict[str, Any] = match.record["deals"][0]["fair"]
    return fair


def _swaps(matches: Sequence[PlayedMatch]) -> Iterator[tuple[int, ...]]:
    """Before each match, the teams whose partners have swapped seats (R8.3)."""
    before: Sequence[int] = matches[0].seating
    for match in matches:
        yield tuple(team for team in range(2) if match.seating[team] != before[team])
        before = match.seating
