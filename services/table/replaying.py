"""The table that its journal tells."""

from services.table.events import Created, Dealt
from services.table.evolve import created, evolve
from services.table.journal import StoredTable
from services.table.state import TableState


def replayed(stored: StoredTable) -> TableState:
    """The table after its last entry: the deal that ``start`` begins, and what came after."""
    state = stored.start
    if state is not None:
        assert state.fair is not None
        assert state.starter is not None
        state = evolve(state, Dealt(state.fair, state.starter), stored.deck)
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
