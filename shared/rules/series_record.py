"""The record of a series (docs/record.md): its matches in one file, and the swaps of seats between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.rules.options import Options
from shared.rules.record import FORMAT, MOST_DEALS, VERSION, Record, read_head
from shared.rules.record_fields import as_int, as_list, as_mapping
from shared.rules.refusal import RecordError

MOST_MATCHES: Final = 3


@dataclass(frozen=True, slots=True)
class SeriesMatch:
    """One match of a series."""

    swapped: tuple[int, ...]
    """The teams whose partners have swapped seats before it."""
    deals: list[object]


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """A file as read: deals are looked at one by one as they are replayed."""

    options: Options
    matches: tuple[SeriesMatch, ...]
    players: tuple[str, ...]
    """One name per seat of the first match, empty where the record has none. Not to be trusted on a terminal."""

    def match(self, at: int) -> Record:
        """A match of it as a record, without what the matches before say of it."""
        return Record(self.options, (0, 0), tiebreak=False, deals=self.matches[at].deals)


def is_series(value: object) -> bool:
    """Whether a file's JSON value is, or wants to be, the record of a series."""
    return isinstance(value, Mapping) and "matches" in value


def series_of(value: object) -> SeriesRecord:
    """The series that a JSON value describes. Raises ``RecordError``."""
    fields = as_mapping(value, "a record")
    options, players = read_head(fields)
    if options.format != "best_of_3":
        raise RecordError("a record of matches is one of a series: format best_of_3")
    if not fields.keys().isdisjoint(("deals", "totals", "tiebreak")):
        raise RecordError("a record has either matches, or deals and what went before them")
    matches = as_list(fields["matches"], "matches", MOST_MATCHES)
    return SeriesRecord(options, tuple(map(_match, matches)), players)


def write_series(
    options: Options, matches: list[dict[str, object]], players: list[str] | None = None
) -> dict[str, object]:
    """A whole record as JSON values; of matches as ``write_match`` gives them."""
    head = {"format": FORMAT, "version": VERSION, "options": {"preset": options.preset, **options.changed}}
    named = {} if players is None else {"players": players}
    return {**head, **named, "matches": matches}


def write_match(deals: list[object], swapped: tuple[int, ...] = ()) -> dict[str, object]:
    """A match of a series, with the teams whose partners have swapped seats before it."""
    return {**({"swapped": list(swapped)} if swapped else {}), "deals": deals}


def _match(value: object) -> SeriesMatch:
    fields = as_mapping(value, "a match")
    swapped = [as_int(team, "swapped", 0, 1) for team in as_list(fields.get("swapped", []), "swapped", 2)]
    if len(set(swapped)) != len(swapped):
        raise RecordError("a team swaps seats once")
    return SeriesMatch(tuple(sorted(swapped)), as_list(fields.get("deals"), "deals", MOST_DEALS))
