"""The game record (docs/record.md): reading a file, with everything that can be wrong with it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.rules.cards import codes
from shared.rules.options import Options, make_options
from shared.rules.record_fields import as_bool, as_half_points, as_int, as_list, as_mapping, points_json
from shared.rules.refusal import RecordError

FORMAT: Final = "banakil-record"
VERSION: Final = 1
LARGEST_BYTES: Final = 2_000_000
"""A file of more bytes is refused unread; a long match is under 400,000."""
MOST_DEALS: Final = 200
MOST_ACTIONS: Final = 50_000
"""In all deals together; 400 turns (R6.3) have about 2,000, refused ones aside."""
MOST_RESHUFFLES: Final = 400
MOST_POINTS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Record:
    """A file as read: its deals are looked at one by one as they are replayed."""

    options: Options
    totals: tuple[int, int]
    """Running totals before the first deal, in half-points."""
    tiebreak: bool
    deals: list[object]
    players: tuple[str, ...] = ()
    """One name per seat as written, empty where the record has none. Not to be trusted on a terminal."""


def read_record(data: bytes) -> Record:
    """Read a record file. Raises ``RecordError`` where it can't be read."""
    return record_of(read_json(data))


def record_of(value: object) -> Record:
    """The record that a JSON value describes. Raises ``RecordError``."""
    fields = as_mapping(value, "a record")
    options, players = read_head(fields)
    if "matches" in fields:
        raise RecordError("the record of a whole series, where one of a match is wanted")
    totals = as_list(fields.get("totals", [0, 0]), "totals", 2)
    if len(totals) != 2:
        raise RecordError("totals are two numbers")
    return Record(
        options=options,
        totals=(as_half_points(totals[0], "a total", MOST_POINTS), as_half_points(totals[1], "a total", MOST_POINTS)),
        tiebreak=as_bool(fields.get("tiebreak", False), "tiebreak"),
        deals=as_list(fields.get("deals"), "deals", MOST_DEALS),
        players=players,
    )


def read_head(fields: Mapping[str, object]) -> tuple[Options, tuple[str, ...]]:
    """The options and the players of a file. Raises ``RecordError``."""
    if fields.get("format") != FORMAT:
        raise RecordError(f"format is {FORMAT!r}")
    as_int(fields.get("version"), "version", VERSION, VERSION)
    options = make_options(as_mapping(fields.get("options"), "options"))
    players = as_list(fields.get("players", [""] * options.seats), "players", options.seats)
    if len(players) != options.seats or not all(isinstance(name, str) for name in players):
        raise RecordError("players are one name per seat")
    return options, tuple(map(str, players))


def read_json(data: bytes) -> object:
    """The value in a file. Raises ``RecordError`` for one that is too long or no JSON, or has a name twice."""
    if len(data) > LARGEST_BYTES:
        raise RecordError(f"the file is over {LARGEST_BYTES} bytes")
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_named_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise RecordError("not JSON in UTF-8") from None


def _named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, unless it has a name twice: two readers could then see two different records."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name is there twice")
    return fields


def _no_number(word: str) -> object:
    """``NaN`` and ``Infinity``, which Python reads and JSON does not have."""
    raise ValueError(f"{word} is no number")


def compact_json(value: object) -> str:
    """JSON without spaces, in ASCII."""
    return json.dumps(value, separators=(",", ":"))


def write_deal(starter: int, deck: bytes, reshuffles: list[bytes], actions: list[str]) -> dict[str, object]:
    """A deal of a record, told by its deck."""
    return {
        "starter": starter,
        "deck": codes(deck),
        "reshuffles": [codes(stock) for stock in reshuffles],
        "actions": actions,
    }


def write_record(
    options: Options,
    deals: list[dict[str, object]],
    players: list[str] | None = None,
    totals: tuple[int, int] = (0, 0),
    *,
    tiebreak: bool = False,
) -> dict[str, object]:
    """A whole record as JSON values; ``totals`` in half-points, left out where they are 0."""
    record: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "options": {"preset": options.preset, **options.changed},
    }
    if players is not None:
        record["players"] = players
    if totals != (0, 0):
        record["totals"] = [points_json(total) for total in totals]
    if tiebreak:
        record["tiebreak"] = True
    return {**record, "deals": deals}
