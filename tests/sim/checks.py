"""What must hold at every step of the world."""

import hashlib
from typing import TYPE_CHECKING, Final

from banakil.table.v1 import table_pb2

from services.table.events import Dealt, PauseBegan, SeatsSwapped
from services.table.player_calls import digest_of
from services.table.state import TableState
from services.table.wire import write_view
from shared.kit.status import ApiError, AwayError, FullError
from shared.rules.cards import bag_faces, codes
from shared.rules.state import DealState
from shared.rules.views import Viewer, view_of
from tests.sim.disk import observe
from tests.sim.loop import Process
from tests.sim.mirror import Mirror
from tests.sim.world import World
from tests.support.books import Appended, Book
from tests.support.card_scan import codes_sent
from tests.support.clock_checks import clock_faults, credit_faults, is_resumed, stands_or_goes_on, standstill_faults
from tests.support.follower import Follower
from tests.support.seat_checks import seat_faults

if TYPE_CHECKING:
    from tests.sim.services import TableProcess

STANDSTILL_MS: Final = 120_000
"""The longest that a table may stand still once nothing goes wrong any more: a turn, a result, a whole ceremony."""
BROKEN_MS: Final = 1_000
"""A table whose last append's outcome is not known stands still while its process says that it lives. Where that dies
too before the table was loaded anew, so much is not given back at the most."""


class Checks:
    """Looks at everything, and tells the world of what is wrong."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.mirror = Mirror(observe(world.folder / "table.db"), world.fail)
        self.mirror.tell += [self._note, self._owners, self._clocks, self._goes_on]
        self._refused: dict[tuple[str, str, bytes], bool] = {}
        """Of each command that a server answered: whether it was always refused for good."""
        self._unsure_ms = world.plan.chances.latency_ms if world.plan.pods else 0
        """How well several processes know the time of the database that they share."""
        self._shuffle = observe(world.folder / "shuffle.db")
        self._asked: dict[str, int] = {}
        """The epoch in which each table has last asked the shuffle service."""
        self._seen: dict[Process, dict[str, TableState]] = {}

    # Of the processes

    def committed(self, process: Process, file: str) -> None:
        """Something was committed."""
        if file == "table.db":
            self.mirror.read(process)
        elif file == "shuffle.db":
            for table_id, epoch in self._shuffle.execute("SELECT table_id, epoch FROM owners"):
                if epoch < self._asked.get(table_id, 0):
                    self.world.fail(f"the shuffle service answers {table_id} in an epoch that is over")
                self._asked[table_id] = epoch

    def step_taken(self, process: Process) -> None:
        """A process has taken a step: what it holds in memory is what the journal tells."""
        tables = process.tables
        if tables is None or process.dead:
            return
        seen = self._seen.setdefault(process, {})
        for table_id, table in tables._live.items():
            state = table.actor.state
            if table.actor.broken_ms is not None:
                self.stands_still(process.name, table_id)
            if seen.get(table_id) is state:
                continue
            seen[table_id] = state
            book = self.mirror.books.get(table_id)
            if book is None or state.revision not in book.states:
                self.world.fail(f"{process.name} has {table_id} at revision {state.revision}, the journal has not")
            elif book.states[state.revision] != state:
                self.world.fail(f"{process.name} has another {table_id} than its journal tells")

        for table_id in [table_id for table_id in seen if table_id not in tables._live]:
            del seen[table_id]
            self.stands_still(process.name, table_id)

    def stands_still(self, process: str, table_id: str) -> None:
        """Who wrote last keeps the table's clock no more."""
        book = self.mirror.books.get(table_id)
        if book is not None and book.down_since_ms is None and book.owners[-1][1] == process:
            book.down_since_ms = self.world.clock.now_ms()

    def goes_on(self, process: "TableProcess") -> None:
        """A process goes on that has stood still: with its tables as if nothing had been, unless another has them."""
        for table in () if process.tables is None else process.tables.all():
            book = self.mirror.books[table.state.table_id]
            if book.owners[-1][1] == process.name:
                book.down_since_ms = None
            else:
                self.world.counts["zombies"] += 1

    def acted(self, account: str, request: table_pb2.ActRequest, outcome: int | ApiError) -> None:
        """A server has answered an Act: by now what it accepts is in the journal, and what it refuses is not."""
        book = self.mirror.books.get(request.table_id)
        if book is None:
            return
        command_id, digest = f"{account}:{request.command_id}", digest_of(request)
        stored = book.commands.get(command_id)
        kept = stored is not None and stored.command_digest == digest
        key = (request.table_id, command_id, digest)
        if isinstance(outcome, int):
            self._refused[key] = False
            if stored is None or not kept or stored.revision != outcome:
                self.world.fail(f"{command_id} was acknowledged as revision {outcome}; the journal has {stored}")
        elif isinstance(outcome, AwayError | FullError):
            self._refused[key] = False
        else:
            self._refused.setdefault(key, True)
            if kept:
                self.world.fail(f"{command_id} was refused ({outcome.code}) and is in the journal: {stored}")

    def all_refused_stayed_out(self) -> None:
        """At the end: what was never anything but refused is in no journal."""
        for (table_id, command_id, digest), refused in self._refused.items():
            stored = self.mirror.books[table_id].commands.get(command_id)
            if refused and stored is not None and stored.command_digest == digest:
                self.world.fail(f"{command_id} was always refused and is in the journal")

    # Of the clients

    def seen(self, table_id: str, client: Follower, message: table_pb2.WatchResponse) -> None:
        """A client has followed an update: it has the view of that revision, and was told of no other card."""
        states, revision = self.mirror.books[table_id].states, client.revision
        viewer: Viewer = client.view.viewer_seat if client.view.HasField("viewer_seat") else None
        state, before = states.get(revision), states.get(revision - 1)
        if state is None:
            self.world.fail(f"seat {viewer} of {table_id} was told of revision {revision}, which the journal has not")
            return
        if not _sees(client, state, viewer):
            self.world.fail(f"seat {viewer} of {table_id} has another deal at revision {revision}")
        if not message.HasField("delta") or before is None or _public(before) != _public(state):
            view = write_view(state, viewer)
            view.ClearField("deal")
            if view != client.view:
                self.world.fail(f"seat {viewer} of {table_id} has another view at revision {revision}")
        if message.HasField("delta"):
            untold = codes_sent(message) - _known(viewer, before, state)
            if untold:
                self.world.fail(f"seat {viewer} of {table_id} was told of {untold} at revision {revision}")

    # Of each entry

    def _note(self, book: Book, entry: Appended) -> None:
        self.world.note("appends", entry.process, book.table_id, book.head, entry.command_id, _digest(entry))
        self.world.counts["deals"] += any(isinstance(event, Dealt) for event in entry.events)
        self.world.counts["entries"] += 1
        for kind, what in ((SeatsSwapped, "swaps"), (PauseBegan, "breaks")):
            self.world.counts[what] += any(isinstance(event, kind) for event in entry.events)

    def _owners(self, book: Book, entry: Appended) -> None:
        """One process appends in an epoch, and none after another did."""
        owner = (entry.epoch, entry.process)
        if book.owners and book.owners[-1] == owner:
            return
        shared = self.world.plan.pods and any(epoch == entry.epoch for epoch, _ in book.owners)
        if shared or owner in book.owners:
            self.world.fail(f"{entry.process} appends to {book.table_id} though another owner has meanwhile")
        if book.owners and entry.epoch < book.owners[-1][0]:
            self.world.fail(f"{entry.process} appends to {book.table_id} in an epoch that is over")
        book.owners.append(owner)

    def _clocks(self, book: Book, entry: Appended) -> None:
        """No clock rings early or twice; nobody's time is ever shortened; who comes and goes changes no hand."""
        if entry.before is None:
            return
        if stands_or_goes_on(entry):
            faults = standstill_faults(entry)
        elif is_resumed(entry):
            least_ms = self._unsure_ms + BROKEN_MS
            faults = credit_faults(book, entry, least_unsure_ms=least_ms, most_unsure_ms=self._unsure_ms)
        else:
            faults = clock_faults(entry, entry.after.options.turn_seconds * 1000)
        for fault in (*faults, *seat_faults(entry)):
            self.world.fail(f"revision {book.head} of {book.table_id} ({entry.command_id}): {fault}")

    def _goes_on(self, book: Book, _entry: Appended) -> None:
        """Somebody keeps its clock again."""
        book.down_since_ms = None


def _sees(client: Follower, state: TableState, viewer: Viewer) -> bool:
    """Whether a client has the deal, or none, as the table has it."""
    if state.deal is None or state.deal.end is not None:
        return client.deal is None
    return client.deal_no == state.deal_no and client.deal == view_of(state.deal, viewer)


def _public(state: TableState) -> tuple[object, ...]:
    """All that a view shows besides the deal."""
    return (
        state.stage,
        state.seats,
        state.match_id,
        state.match,
        state.series,
        state.last,
        state.fair,
        state.next_fair,
        state.standstill,
        state.swap,
        state.pause,
    )


def _known(viewer: Viewer, *states: TableState | None) -> set[str]:
    """The cards that a viewer may be told of between these states."""
    faces: set[int] = set()
    for state in states:
        if state is not None and state.deal is not None:
            faces |= _open_to(viewer, state.deal)
    return set(codes(faces))


def _open_to(viewer: Viewer, deal: DealState) -> set[int]:
    faces = {*deal.pile, *bag_faces(deal.duties), *(face for meld in deal.melds for face in meld.cards)}
    for seat, hand in enumerate(deal.hands):
        if seat == viewer or deal.end is not None:
            faces.update(bag_faces(hand))
    return faces


def _digest(entry: Appended) -> str:
    """Tells an entry from any other, whatever it holds."""
    return hashlib.sha256(repr((entry.at_ms, entry.events)).encode()).hexdigest()[:16]
