"""What must hold of the journal, by itself and beside what the players were told."""

from typing import Final

from services.table.player_calls import digest_of
from services.table.state import TableState
from services.table.wire import write_view
from shared.kit.clock import Pace
from shared.kit.sealing import SealingKeys
from shared.rules.views import Viewer, view_of
from tests.chaos.player import Notes, Player, view_hash
from tests.support.books import Appended, Book, Books
from tests.support.clock_checks import clock_faults, credit_faults, is_resumed, is_rung

UNSURE_MS: Final = 500
"""How well a process knows the database's time: half of the longest round trip that it believes, and as much again for
its first one, which it has to believe."""


class ChaosError(AssertionError):
    """Something does not hold."""


def fail(what: str) -> None:
    """Say so."""
    raise ChaosError(what)


class Checks:
    """Looks at each entry as it comes, and at what players were told when asked to."""

    def __init__(self, seal: SealingKeys, pace: float) -> None:
        self.seal = seal
        self.books = Books(seal, fail)
        self.books.tell += [self._owners, self._clocks]
        self.rung = 0
        """Clocks that have run out."""
        self.credited = 0
        """Outages that were given back."""
        self._pace = Pace(pace)

    def stands_still(self, table_ids: list[str], since_ms: int) -> None:
        """Nobody has kept these tables' clocks since then."""
        for table_id in table_ids:
            book = self.books.books.get(table_id)
            if book is not None and book.down_since_ms is None:
                book.down_since_ms = since_ms

    def told(self, player: Player, notes: Notes) -> None:
        """What a player was told until now, which the journal must have by now."""
        book = self.books.books[player.table_id]
        for answer in notes.answers:
            command_id = f"{player.account}:{answer.request.command_id}"
            stored, digest = book.commands.get(command_id), digest_of(answer.request)
            is_kept = stored is not None and stored.command_digest == digest
            if answer.revision is None and is_kept:
                fail(f"{command_id} was refused ({answer.code}) and is in the journal of {book.table_id}: {stored}")
            if answer.revision is not None and (stored is None or not is_kept or stored.revision != answer.revision):
                fail(f"{command_id} was acknowledged as {answer.revision} of {book.table_id}, which has {stored}")
        for revision, seen in notes.seen.items():
            state = book.states.get(revision)
            if state is None:
                fail(f"{player.account} was shown revision {revision} of {book.table_id}, which ends at {book.head}")
            elif shown(state, player.number) != seen:
                fail(f"{player.account} has another view of revision {revision} of {book.table_id} than the journal")

    def _owners(self, book: Book, entry: Appended) -> None:
        """One process appends in an epoch, and none after another did."""
        owner = (entry.epoch, entry.process)
        if book.owners and book.owners[-1] == owner:
            return
        if any(epoch >= entry.epoch for epoch, _ in book.owners):
            fail(f"{entry.process} appends to {book.table_id} in epoch {entry.epoch}, after {book.owners}")
        book.owners.append(owner)

    def _clocks(self, book: Book, entry: Appended) -> None:
        """No clock rings early or twice, and nobody's time is ever shortened."""
        if entry.before is None:
            return
        if is_resumed(entry):
            self.credited += entry.before.deadline_ms is not None
            faults = credit_faults(book, entry, least_unsure_ms=UNSURE_MS, most_unsure_ms=UNSURE_MS)
        else:
            self.rung += is_rung(entry)
            faults = clock_faults(entry, self._pace.ms(entry.after.options.turn_seconds * 1000))
        for fault in faults:
            fail(f"revision {book.head} of {book.table_id} ({entry.command_id}): {fault}")
        if is_resumed(entry) or (book.down_since_ms is not None and entry.at_ms > book.down_since_ms + UNSURE_MS):
            book.down_since_ms = None  # somebody goes on with it, who may have had nothing to give back


def shown(state: TableState, viewer: Viewer) -> bytes:
    """The hash of the view that this viewer has of a table."""
    view = write_view(state, viewer)
    view.ClearField("deal")
    is_dealt = state.deal is not None and state.deal.end is None
    return view_hash(view, state.deal_no, view_of(state.deal, viewer) if is_dealt and state.deal is not None else None)
