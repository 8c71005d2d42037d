"""A whole evening at one table, at random and in virtual time: who comes, goes, leaves, stands in, swaps, pauses, stops
the table, with play, shuffles and outages between. After each step all is looked at that must hold of a table."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from banakil.table.v1 import table_pb2

from services.table.ceremony import CeremonyStep
from services.table.commands import (
    Abandoned,
    Abort,
    Ask,
    CeremonyClockOut,
    ClockOut,
    Command,
    Freeze,
    GraceOut,
    NextMatch,
    PauseOut,
    Presence,
    Resume,
    TakeVacancy,
    Unfreeze,
    Wish,
)
from services.table.decide import match_is_due
from services.table.due import vacancies
from services.table.live import is_presence
from services.table.refusals import NothingToDoError
from services.table.ring import Ring
from services.table.seats import next_grace_end
from services.table.state import MissingStake, Obstacle, Occupant, Stage
from services.table.watching import StreamWatcher, Watchers
from shared.kit.clock import VirtualClock
from shared.kit.status import ApiError
from shared.rules.actions import Timeout
from shared.rules.options import Options, make_options
from shared.rules.refusal import RefusedError
from shared.rules.views import Viewer
from tests.support.fair_deals import drawn
from tests.support.follower import Follower
from tests.support.local_shuffle import NOW_MS, LocalShuffle
from tests.support.play import Temper, next_action
from tests.support.random_evening_checks import EveningChecks
from tests.support.tables import PEOPLE, PureTable, seated

LIVELY: Final = Temper(meld=0.95, amend=0.95, take=0.2, undo=0.1, timeout=0.0, mischief=0.03)
LONGEST: Final = 6_000
"""Steps that a table is given to come to its end."""


def some_options(rng: random.Random) -> Options:
    """A table's options: free or for coins, short matches, odd graces."""
    preset = rng.choice(("sahrat", "sahrat", "banakil202"))
    return make_options(
        {
            "preset": preset,
            "mode": rng.choice(("partners", "partners", "duel")),
            "format": rng.choice(("single", "best_of_3", "best_of_3")),
            "target": 50,
            "stake": rng.choice((0, 0, 50)),
            "grace_seconds": rng.choice((0, 1, 20, 60, 60)),
            "turn_seconds": rng.choice((5, 20)),
        }
    )


class Evening:
    """One table, those who may watch it, and all that can happen to it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        options = some_options(rng)
        names = [name if rng.random() < 0.8 or options.stake else "" for name in PEOPLE[: options.seats]]
        bots = [seat for seat, name in enumerate(names) if name and rng.random() < 0.1]
        self.table = PureTable(
            options,
            seats=seated(*names, options=options, bots=bots),
            shuffle=LocalShuffle(str(rng.random())),
            private=rng.random() < 0.6,
        )
        self.table.clients = frozenset(rng.sample(range(options.seats), rng.randrange(options.seats + 1)))
        self.clock = VirtualClock(NOW_MS)
        self.checks = EveningChecks(self.table)
        self.houses = 0
        self._begin()

    def _begin(self) -> None:
        """A process has the table, and nobody watches yet."""
        self.ring = Ring()
        self.noted: list[Presence] = []
        self.watchers = Watchers(self.clock, lambda *about: self.noted.append(Presence(*about)))
        self.watching: dict[StreamWatcher, Follower] = {}

    def run(self, steps: int) -> None:
        """Lets so much happen, and then the table come to its end."""
        chances: list[tuple[int, Callable[[], None]]] = [
            (60, self.play), (16, self.serve), (8, self.pass_time), (10, self.ring_due), (10, self.come_or_go),
            (4, self.spectate), (5, self.take_vacancy), (1, self.leave), (3, self.wish), (1, self.operate),
            (1, self.outage), (4, self.too_early), (1, self.spend),
        ]  # fmt: skip
        weights, deeds = [weight for weight, _ in chances], [deed for _, deed in chances]
        for _ in range(steps):
            self.rng.choices(deeds, weights)[0]()
            self.tell_presence()
            if self.table.state.stage is Stage.CLOSED:
                break
        self.finish()

    def finish(self) -> None:
        """Nothing goes wrong any more: whoever is there, the table comes to an end."""
        for command in (Unfreeze(), PauseOut(self.table.state.pause.until_ms)):
            self.table.now_ms += 5 * 60_000
            self.apply(command)
        for seat in self.table.state.seats:
            if seat.occupant is Occupant.PERSON:
                self.open(seat.account, self.table.state.seat_of(seat.account))
        self.tell_presence()
        revision = -1
        for number in range(LONGEST):
            if self.table.state.stage is Stage.CLOSED:
                break
            if number % 500 == 0:
                assert self.table.state.revision > revision, "the table stands still"
                revision = self.table.state.revision
            self.rng.choices((self.play, self.serve, self.take_vacancy, self.ring_due), (9, 5, 1, 1))[0]()
            if self.rng.random() < 0.3 and not self.serves():
                self.pass_time()
        self.apply(Abort())  # a match that clocks alone play may be long
        self.serve()
        self.checks.over()

    # What may happen

    def play(self) -> None:
        """Whoever plays the seat to act does something, if it is there to do so."""
        state = self.table.state
        if state.stage is not Stage.DEAL or state.deal is None or state.deal.reshuffle_due:
            return
        self.table.now_ms += self.rng.randrange(1_500)
        seat = state.seats[state.deal.turn]
        action = next_action(self.rng, state.deal, LIVELY)
        if isinstance(action, Timeout) or (seat.away and not seat.stand_in):
            return
        # Sometimes the other of the two who may think that the seat is theirs.
        account = self.rng.choice((seat.account, seat.stand_in, "eve")) if self.rng.random() < 0.05 else ""
        self.attempt(lambda: self.table.act(action, account or seat.stand_in or seat.account))

    def serves(self) -> bool:
        """Whether a service had something to answer."""
        state = self.table.state
        if match_is_due(state):
            match_id = drawn(self.table.shuffle.seed, f"match {sum(state.series.wins)}", 16)
            return self.apply(NextMatch(match_id))
        ceremony = state.next_fair
        if ceremony is not None and ceremony.step is CeremonyStep.CUTTING:
            host = ceremony.host
            assert host is not None
            if self.rng.random() < 0.5 or state.seats[host].away:
                return False
            return self.attempt(lambda: self.table.cut(53))
        return self.attempt(self.table.settle_once)

    def serve(self) -> None:
        """Services answer for a while."""
        if self.rng.random() < 0.02:
            seats = range(self.table.state.options.seats)
            self.table.clients = frozenset(self.rng.sample(seats, self.rng.randrange(len(seats) + 1)))
        for _ in range(self.rng.randrange(1, 8)):
            if not self.serves():
                return

    def pass_time(self) -> None:
        """A while, or up to the moment at which a clock rings, or to the one before."""
        due = self.due()
        left_ms = self.rng.choice(due)[0] - self.table.now_ms if due else 0
        for_ms = self.rng.choice((1, 500, 30_000, left_ms, left_ms - 1))
        self.table.now_ms += max(0, min(for_ms, min((at for at, _ in due), default=2**60) - self.table.now_ms))

    def due(self) -> list[tuple[int, Command]]:
        """The clocks that run, with what they do."""
        state = self.table.state
        clocks: list[tuple[int | None, Callable[[int], Command]]] = [
            (state.deadline_ms, ClockOut),
            (next_grace_end(state), GraceOut),
            (state.pause.until_ms or None, PauseOut),
        ]
        ceremony = state.next_fair
        if ceremony is not None and ceremony.step is CeremonyStep.CUTTING:
            clocks.append((ceremony.deadline_ms, CeremonyClockOut))
        return [(at_ms, command(at_ms)) for at_ms, command in clocks if at_ms is not None]

    def ring_due(self) -> None:
        """Those clocks ring whose time has come, in any order."""
        for at_ms, command in self.rng.sample(due := self.due(), len(due)):
            if at_ms <= self.table.now_ms:
                self.apply(command)

    def too_early(self) -> None:
        """A clock that rings before its time does nothing."""
        for at_ms, command in self.due():
            if at_ms > self.table.now_ms:
                assert not self.apply(command), f"{command} came too early"

    def come_or_go(self) -> None:
        """Somebody opens a Watch, whom the table lets or not, or closes one."""
        mine = [watcher for watcher in self.watching if watcher.viewer is not None]
        if mine and self.rng.random() < 0.4:
            self.watchers.close(self.let_go(self.rng.choice(mine)), is_ours=self.rng.random() < 0.2)
            return
        accounts = [account for seat in self.table.state.seats for account in (seat.account, seat.stand_in) if account]
        account = self.rng.choice(accounts or ["eve"])
        self.open(account, self.table.state.seat_of(account))

    def spectate(self) -> None:
        """Somebody looks on, who may have a seat there, or stops."""
        strangers = [watcher for watcher in self.watching if watcher.viewer is None]
        if strangers and self.rng.random() < 0.4:
            self.watchers.close(self.let_go(self.rng.choice(strangers)))
        elif len(strangers) < 4:
            self.open(self.rng.choice(("eve", "mallory", *PEOPLE)), None)

    def open(self, account: str, viewer: Viewer) -> None:
        """A Watch or a Spectate, from where it left off where it was there before."""
        seat = None if viewer is None else self.table.state.seats[viewer]
        if seat is not None and seat.left and account == seat.account:
            return
        spectates = viewer is None
        for older in [each for each in self.watching if (each.account, each.viewer is None) == (account, spectates)]:
            self.let_go(older)
        follower = Follower()
        watcher = StreamWatcher(viewer, account)
        self.watching[watcher] = follower
        remembered = self.checks.kept.get((viewer is None, account))
        last = 0
        if remembered is not None and self.rng.random() < 0.7:
            # As a page does: it goes on with the view that it has.
            follower, last = remembered, remembered.revision
            self.watching[watcher] = follower
        self.watchers.open(self.table.state, self.ring, watcher, last)
        self.read(watcher)

    def let_go(self, watcher: StreamWatcher) -> StreamWatcher:
        """Its client goes away, and remembers what it saw."""
        follower = self.watching.pop(watcher)
        self.checks.kept[(watcher.viewer is None, watcher.account)] = follower
        return watcher

    def tell_presence(self) -> None:
        """What the Watches that were opened and closed say of who is there."""
        while self.noted:
            presence = self.noted.pop(0)
            if is_presence(self.table.state, presence.account, presence.away):
                self.apply(presence)

    def take_vacancy(self) -> None:
        """A house bot takes a seat, or tries to take one that is not to be had."""
        offered = [vacancy for _, vacancy in vacancies(self.table.state)]
        used = [seat.vacancy for seat in self.table.state.seats if seat.vacancy]
        if offered and self.rng.random() < 0.7:
            vacancy = self.rng.choice(offered)
            self.apply(TakeVacancy(vacancy, f"house:{vacancy}", "Kitt"))
        elif used and self.rng.random() < 0.3:
            self.houses += 1
            self.apply(TakeVacancy(self.rng.choice(used), f"house:{self.houses}", "Kitt"))

    def leave(self) -> None:
        """Now and then somebody leaves on purpose."""
        if self.rng.random() < 0.3:
            self.apply(Ask(self.rng.choice(PEOPLE), Wish.LEAVE))

    def wish(self) -> None:
        """Somebody wants to swap or a pause, or the others to agree."""
        wish = self.rng.choice((Wish.SWAP, Wish.SWAP, Wish.PAUSE, Wish.END_PAUSE))
        for account in self.rng.sample(PEOPLE, self.rng.choice((1, 2, 4))):
            self.apply(Ask(account, wish))

    def spend(self) -> None:
        """Now and then somebody has no coins left for another match."""
        if self.rng.random() < 0.02:
            self.table.shuffle.missing = (MissingStake(0, self.rng.choice(tuple(Obstacle))),)

    def operate(self) -> None:
        """An operator does something."""
        end = self.rng.random() < 0.01
        self.apply(Abort() if end else self.rng.choice((Freeze(), Unfreeze(), Unfreeze())))
        if self.rng.random() < 0.02:
            self.apply(Abandoned())

    def outage(self) -> None:
        """The process is killed, and another goes on later."""
        for watcher in list(self.watching):
            self.let_go(watcher)
        self._begin()
        since_ms = self.table.now_ms
        self.table.now_ms += self.rng.choice((0, 1, 3_000, 90_000))
        self.checks.resumed_since_ms = since_ms
        self.apply(Resume(since_ms))
        self.checks.resumed_since_ms = None

    # How it happens

    def apply(self, command: Command) -> bool:
        """Whether a command was applied; one that is refused changes nothing."""
        return self.attempt(lambda: self.table.apply(command))

    def attempt(self, what: Callable[[], Any]) -> bool:
        """Does what makes a step, or is refused."""
        steps, state = len(self.table.steps), self.table.state
        done = False
        with suppress(ApiError, RefusedError, NothingToDoError):
            done = what() is not False
        if not done or len(self.table.steps) == steps:
            assert self.table.state is state, "what was refused has changed something"
            return False
        self.clock.advance(self.table.now_ms - self.clock.now_ms())
        for step, entry in zip(self.table.steps[steps:], self.table.entries[steps:], strict=True):
            self.checks.taken(step, entry, self.table.now_ms)
            self.ring.add(step)
            self.watchers.tell(step)
        for watcher in list(self.watching):
            self.read(watcher)
        return True

    def read(self, watcher: StreamWatcher) -> None:
        """A client follows what it was sent, and sees what the table shows it now."""
        follower = self.watching[watcher]
        for update in sent(watcher):
            follower.take_in(table_pb2.WatchResponse.FromString(update))
        if watcher._finished:
            self.let_go(watcher)
        else:
            self.checks.seen(follower, watcher.viewer)


def sent(watcher: StreamWatcher) -> Iterator[bytes]:
    """What waits to be sent."""
    while watcher._updates:
        yield watcher._updates.popleft()
