"""What must hold of a table after each step of an evening (``random_evening.py``)."""

import json
from collections import Counter
from typing import Final

from services.table.away import GATEWAY_BACK_MS
from services.table.clocks import ABSENT_MS, ALL_ABSENT_MS
from services.table.events import (
    AwayChanged,
    Closed,
    Dealt,
    Frozen,
    GraceOver,
    MatchBegan,
    Moved,
    PauseBegan,
    ResultShown,
    SeatLeft,
    SeatsSwapped,
    StakesHeld,
    SwapOpened,
    TableEvent,
    Unfrozen,
)
from services.table.journal import Entry, StoredEntry, StoredTable
from services.table.replaying import replayed
from services.table.ring import Step
from services.table.state import Occupant, Stage, TableState
from services.table.stored import read_event, read_state, write_event, write_state
from services.table.wire import write_view
from shared.rules.cards import FULL_DECK
from shared.rules.events import Discarded, Reshuffled, TimeRanOut
from shared.rules.state import all_cards
from shared.rules.views import Viewer, view_of
from tests.support.follower import Follower
from tests.support.tables import PureTable

_THE_DECK: Final = sorted(FULL_DECK)
_SET_ANEW: Final = (Moved, Dealt, ResultShown, SwapOpened, MatchBegan, StakesHeld, SeatsSwapped, Closed)
"""Events with which another clock may run, or none."""


class EveningChecks:
    """Raises ``AssertionError`` for the first thing that does not hold."""

    def __init__(self, table: PureTable) -> None:
        self.kept: dict[tuple[bool, str], Follower] = {}
        """What clients that are gone remember, by whether they look on and who they are."""
        self._table = table
        self._last_ms = table.now_ms
        self.resumed_since_ms: int | None = None
        """Where the next step is that of a process which goes on with the table: since when it has stood still."""
        self._left_ms: int | None = None
        """What the clock had to run as the table was stopped."""
        self._graces: dict[str, int] = {
            seat.account: seat.grace_until_ms - table.now_ms for seat in table.state.seats if seat.grace_until_ms
        }
        """What is left of each account's grace."""
        self._told: Counter[str] = Counter()
        self._entries: list[StoredEntry] = []
        self._start: tuple[TableState | None, bytes] = None, b""
        self._keep(table.entries[0])

    def taken(self, step: Step, entry: Entry, now_ms: int) -> None:
        """Looks at a step."""
        before, after = step.states[0], step.after
        assert after.revision == before.revision + 1
        self._cards(step)
        self._seats(after)
        is_resumed = self.resumed_since_ms is not None
        if self.resumed_since_ms is not None:
            outage_ms = now_ms - self.resumed_since_ms
            assert after.deadline_ms == (None if before.deadline_ms is None else before.deadline_ms + outage_ms)
        else:
            self._clock(step, now_ms)
        self._grace(step, now_ms, is_resumed=is_resumed)
        self._facts(step, entry)
        self._keep(entry)
        self._last_ms = now_ms
        if after.revision % 16 == 0 or after.stage is Stage.CLOSED:
            self.replays()

    def over(self) -> None:
        """The table has come to its end."""
        state = self._table.state
        assert state.stage is Stage.CLOSED
        assert (state.deal, state.next_fair, state.standstill, state.pause.until_ms) == (None, None, None, 0)
        if state.options.stake:
            assert self._told[f"end of {state.match_id.hex()}"] == 1, "nobody hears what becomes of the stakes"
        self.replays()

    def seen(self, follower: Follower, viewer: Viewer) -> None:
        """Who has followed the deltas sees what a snapshot shows."""
        state = self._table.state
        view = write_view(state, viewer)
        view.ClearField("deal")
        assert follower.view == view, f"seat {viewer} has another view at revision {state.revision}"
        in_play = state.deal is not None and state.deal.end is None
        assert follower.deal == (view_of(state.deal, viewer) if in_play and state.deal else None)

    def replays(self) -> None:
        """The journal tells the table as it is."""
        start, deck = self._start
        assert replayed(StoredTable(start, deck, tuple(self._entries), {}, 0)) == self._table.state

    def _keep(self, entry: Entry) -> None:
        if any(isinstance(event, Dealt) for event in entry.events):
            start = read_state(json.loads(json.dumps(write_state(entry.state))))
            self._start, self._entries = (start, entry.hidden), []
            return
        events = [read_event(json.loads(json.dumps(write_event(event))), entry.hidden) for event in entry.events]
        self._entries.append(StoredEntry(entry.revision, entry.at_ms, tuple(events), entry.hidden))

    def _cards(self, step: Step) -> None:
        """All 106 are there, and who comes, goes or stands in moves none of them."""
        before, after = step.states[0], step.after
        if any(isinstance(event, Dealt | Moved) for event in step.events):
            assert after.deal is not None
            assert all_cards(after.deal) == _THE_DECK
        elif before.deal is not None and after.deal is not None:
            assert after.deal is before.deal
        if before.stage is Stage.DEAL and after.stage is Stage.DEAL:
            assert [seat.account for seat in before.seats] == [seat.account for seat in after.seats]

    def _seats(self, state: TableState) -> None:
        accounts = [account for seat in state.seats for account in (seat.account, seat.stand_in) if account]
        assert len(set(accounts)) == len(accounts), "an account has two seats"
        for seat in state.seats:
            assert not seat.stand_in or (seat.away and not seat.grace_until_ms and not state.options.stake)
            assert seat.away or not (seat.left or seat.grace_until_ms)
            assert seat.occupant in (Occupant.PERSON, Occupant.BOT) or not (seat.away or seat.stand_in or seat.left)
            assert seat.occupant is Occupant.PERSON or not seat.grace_until_ms
            assert not (seat.vacancy and state.options.stake)

    def _clock(self, step: Step, now_ms: int) -> None:
        before, after = step.states[0], step.after
        was_ms, is_ms = before.deadline_ms, after.deadline_ms
        if any(map(_is_rung, step.events)):
            assert was_ms is not None
            assert was_ms <= now_ms, f"a clock rang {was_ms - now_ms} ms early"
        if _begins_turn(step):
            assert after.deal is not None
            full_ms = after.options.turn_seconds * 1000
            assert is_ms == now_ms + min(full_ms, _limit_ms(after) or full_ms)
        elif any(isinstance(event, Frozen) for event in step.events):
            assert (before.standstill, is_ms) == (None, None)
            self._left_ms = None if was_ms is None else was_ms - now_ms
        elif any(isinstance(event, Unfrozen) for event in step.events):
            wanted_ms = None if self._left_ms is None else now_ms + self._left_ms
            assert is_ms == _hurried(after, wanted_ms, now_ms), "a table that goes on has other clocks"
        elif not any(isinstance(event, _SET_ANEW) for event in step.events) and is_ms != was_ms:
            # Only the own turn is shortened, and only of who is absent; or what rang has nothing more to ring for.
            over = is_ms is None and was_ms is not None and was_ms <= now_ms and after.stage is not Stage.DEAL
            assert over or is_ms == _hurried(after, was_ms, now_ms), "somebody's clock was changed"

    def _grace(self, step: Step, now_ms: int, *, is_resumed: bool) -> None:
        before, after = step.states[0], step.after
        if before.standstill is None:
            for account in self._graces:
                self._graces[account] -= now_ms - self._last_ms
        goes_on = any(isinstance(event, Unfrozen) for event in step.events)
        full_ms = after.options.grace_seconds * 1000
        table_ms = now_ms if before.standstill is None else before.standstill.since_ms
        for event in step.events:
            match event:
                case AwayChanged(seat, True, until_ms) if not goes_on:
                    begun_ms = until_ms - table_ms
                    account = after.seats[seat].account
                    fresh_ms = max(full_ms, GATEWAY_BACK_MS, before.seats[seat].grace_until_ms - table_ms)
                    assert begun_ms in ((fresh_ms,) if is_resumed else (full_ms, full_ms + GATEWAY_BACK_MS))
                    self._graces[account] = begun_ms
                case AwayChanged(seat, False) | SeatLeft(seat):
                    self._graces.pop(after.seats[seat].account, None)
                case GraceOver(seat):
                    assert self._graces.pop(after.seats[seat].account) <= 0, "a grace was cut short"
        runs = {seat.account: seat.grace_until_ms - now_ms for seat in after.seats if seat.grace_until_ms}
        assert runs.keys() == self._graces.keys()
        if after.standstill is None and after.stage is not Stage.CLOSED:
            assert runs == self._graces, "a grace has other time left than it should"

    def _facts(self, step: Step, entry: Entry) -> None:
        """Each vacancy, and each match's end, is told once; a match that was won is not aborted, and nobody plays one
        for coins that is not funded."""
        assert not step.after.options.stake or (step.after.stage is Stage.FUNDING) == _waits_for_stakes(step.after)
        for fact in entry.facts:
            match fact.WhichOneof("fact"):
                case "seat_vacated":
                    key = fact.seat_vacated.vacancy_id
                case "match_ended":
                    key = f"end of {fact.match_ended.match_id}"
                case "match_aborted":
                    key = f"end of {fact.match_aborted.match_id}"
                case _:
                    continue
            self._told[key] += 1
            assert self._told[key] == 1, f"{key} was told twice"
        if any(isinstance(event, PauseBegan) for event in step.events) and not step.states[0].pause.until_ms:
            key = f"pause of {step.after.match_id.hex()}"
            self._told[key] += 1
            assert self._told[key] == 1, "a match has had two pauses"


def _waits_for_stakes(state: TableState) -> bool:
    return state.funding is not None and not state.funding.failed


def _is_rung(event: TableEvent) -> bool:
    """Whether it only comes of a clock that has run out."""
    if isinstance(event, Moved):
        return isinstance(event.event, TimeRanOut) or (isinstance(event.event, Discarded) and event.event.by_clock)
    return isinstance(event, ResultShown | SwapOpened)


def _begins_turn(step: Step) -> bool:
    """Whether a turn begins that has its whole time."""
    before, after = step.states[0].deal, step.after.deal
    if after is None or after.end is not None or after.reshuffle_due or step.after.stage is not Stage.DEAL:
        return False
    if any(isinstance(event, Moved) and isinstance(event.event, Reshuffled) for event in step.events):
        return True
    return before is None or before.end is not None or before.turn_no != after.turn_no


def _limit_ms(state: TableState) -> int | None:
    if not state.options.stake or state.deal is None or not state.seats[state.deal.turn].is_absent:
        return None
    return ALL_ABSENT_MS if all(seat.is_absent for seat in state.seats) else ABSENT_MS


def _hurried(state: TableState, wanted_ms: int | None, now_ms: int) -> int | None:
    limit_ms = _limit_ms(state) if state.stage is Stage.DEAL else None
    return wanted_ms if wanted_ms is None or limit_ms is None else min(wanted_ms, now_ms + limit_ms)
