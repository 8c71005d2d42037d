"""What the page's tests follow: tables played at random, each update that a seat gets, and what its view is then.

python -m tests.support.web_streams FILE
"""

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any

from banakil.table.v1.table_pb2 import WatchResponse
from banakil.table.v1.views_pb2 import View
from google.protobuf.json_format import MessageToDict

from services.table.commands import Presence, TakeVacancy
from services.table.ring import Step
from services.table.swapping import seat_after
from services.table.wire import write_delta, write_view
from shared.rules.options import make_options
from tests.support.play import Temper
from tests.support.tables import TABLE_ID, PureTable, seated

SEED = 7
TABLES: list[dict[str, object]] = [
    {"preset": "sahrat", "target": 50},
    {"preset": "banakil202", "format": "best_of_3", "target": 50},
    {"preset": "sahrat", "mode": "duel", "target": 50, "max_reshuffles": 1},
]
LIVELY = Temper(meld=0.7, amend=0.7, take=0.6, undo=0.4, timeout=0.05, mischief=0.0)


def played(values: dict[str, object], rng: random.Random) -> PureTable:
    """A table from its making to its end; a house bot sits in seat 1."""
    options = make_options(values)
    table = PureTable(options, seats=seated(*["ada", "", "cem", "dana"][: options.seats]))
    table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    table.apply(Presence("ada", away=False))
    table.play_on(rng, LIVELY)
    return table


def streams(table: PureTable, viewer: int) -> dict[str, Any]:
    """The stream of who sits in a seat at first: a snapshot, then of each step what is sent, and at each revision a
    snapshot and the view's hash."""
    first, *steps = table.steps
    told = []
    seat = viewer
    for step in steps:
        seat = seat_after(step.events, seat)
        told.append(
            {
                "sent": _snapshot(write_view(step.after, seat)) if step.moves_players else _delta(step, seat),
                "snapshot": _snapshot(write_view(step.after, seat)),
                "hash": view_hash(write_view(step.after, seat)),
            }
        )
    return {
        "tableId": TABLE_ID,
        "viewer": viewer,
        "first": _snapshot(write_view(first.after, viewer)),
        "steps": told,
    }


def view_hash(view: View) -> str:
    """SHA-256 over the view with every default written out and its keys sorted, as the page's `viewHash`."""
    full = MessageToDict(view, always_print_fields_with_no_presence=True)
    text = json.dumps(full, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _delta(step: Step, seat: int) -> dict[str, Any]:
    return MessageToDict(WatchResponse(server_now_ms=step.after.revision, delta=write_delta(step, seat)))


def _snapshot(view: View) -> dict[str, Any]:
    return MessageToDict(WatchResponse(server_now_ms=view.revision, snapshot=view))


def main(path: Path) -> None:
    """Writes all streams into one file."""
    rng = random.Random(f"web streams {SEED}")
    tables = [played(values, rng) for values in TABLES]
    found = [streams(table, viewer) for table in tables for viewer in (0, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
