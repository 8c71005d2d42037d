"""Journals as version 1 kept them, from the golden file, and what it made of their tables."""

import json
from pathlib import Path
from typing import Any

from services.table.state import Stage, TableState

OLD = json.loads((Path(__file__).parents[1] / "golden" / "journals_v1.json").read_text())


def told(table: TableState) -> dict[str, Any]:
    """What the golden file says of a table."""
    return {
        "stage": table.stage.value,
        "deal_no": table.deal_no + (table.stage is Stage.CEREMONY),
        "revision": table.revision,
        "totals": list(table.match.totals),
        "wins": list(table.series.wins),
        "hands": None if table.deal is None else list(table.deal.hands),
        "unrevealed": len(table.unrevealed),
        "deadline_ms": table.deadline_ms,
    }
