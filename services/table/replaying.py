"""The table that its journal tells."""

from services.table.events import Created
from services.table.evolve import created, evolve
from services.table.journal import StoredTable
from services.table.state import TableState
from shared.rules.state import start_deal


def at_the_start(stored: StoredTable) -> TableState | None:
    """The table as its last deal begins; ``None`` where none did."""
    state = stored.start
    if state is None:
        return None
    if state.fair is None or state.fair.starter is None:
        raise ValueError("a deal began that nobody shuffled")
    return state._replace(deal=start_deal(state.options, state.fair.starter, stored.deck))


def replayed(stored: StoredTable) -> TableState:
    """The table after its last entry: the deal that ``start`` begins, and what came after."""
    state = at_the_start(stored)
    for entry in stored.entries:
        for event in entry.events:
            if isinstance(event, Created):
                state = created(event)
            else:
                assert state is not None
                state = evolve(state, event, entry.hidden)
        assert state is not None
        state = state._replace(revision=entry.revision)
    assert state is not None
    return state
