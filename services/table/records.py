"""The record of a match (docs/record.md) from its journal: revealed deals only."""

import json

from services.table.journal import StoredDeal
from services.table.state import TableState
from shared.rules.record import compact_json, write_record


def record_json(table: TableState, deals: list[StoredDeal]) -> str:
    """A ``banakil-record``. Deals whose secret is not out yet are left out, with all that follow them."""
    written: list[dict[str, object]] = []
    for number, deal in enumerate(deals, 1):
        if deal.deal_no != number:
            break
        written.append({"starter": deal.starter, "fair": json.loads(deal.fair_json), "actions": list(deal.actions)})
    return compact_json(write_record(table.options, written, [seat.name for seat in table.seats]))
