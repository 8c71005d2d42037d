"""``decide(state, command, now) -> events``: what a table makes of a command, or why it refuses. Pure."""

from collections.abc import Iterator
from functools import reduce

from services.table.away import decide_seat, expected, suspended
from services.table.ceremony import CeremonyStep
from services.table.clocks import discard_end, result_end, turn_end
from services.table.commands import (
    Abandoned,
    Abort,
    Ask,
    CeremonyClockOut,
    ClockOut,
    ClosedSet,
    Command,
    Commitment,
    Create,
    Cut,
    CutDue,
    Deal,
    Freeze,
    Funded,
    GraceOut,
    NewStock,
    NextMatch,
    Outcome,
    PauseOut,
    Play,
    Presence,
    Resume,
    Reveal,
    TakeVacancy,
    Unfreeze,
    Unfunded,
)
from services.table.events import (
    CeremonyBegan,
    ClockSet,
    Closed,
    Created,
    Dealt,
    MatchBegan,
    Moved,
    ResultShown,
    Revealed,
    TableEvent,
)
from services.table.evolve import evolve
from services.table.funding import decide_funding, given_up, leads_nowhere, match_begins
from services.table.moment import Now
from services.table.operating import admit_while_still, decide_operator
from services.table.pausing import pause_out, prolonged
from services.table.refusals import NothingToDoError, StaleTurnError, TableClosedError
from services.table.seats import seat_to_play
from services.table.shuffling import decide_shuffle, resumed
from services.table.state import Occupant, Stage, TableState
from services.table.swapping import opened
from services.table.wishes import decide_wish
from shared.rules import engine
from shared.rules import events as rules
from shared.rules.actions import TIMEOUT, at_seat
from shared.rules.evolve import evolve as evolve_deal
from shared.rules.match import next_starter
from shared.rules.refusal import Code, RefusedError
from shared.rules.series import starter_of_later_match
from shared.rules.state import DealState


def decide(state: TableState, command: Command, now: Now) -> tuple[TableEvent, ...]:
    """The events that a command makes.

    Raises ``RefusedError`` by the rules, and the errors of ``refusals.py``; ``NothingToDoError`` where the command has
    been overtaken, so that nothing is to be done about it.
    """
    if state.standstill is not None:
        admit_while_still(state, command)
    match command:
        case Play():
            return _play(state, command, now)
        case ClockOut(deadline_ms):
            return _clock_out(state, deadline_ms, now)
        case TakeVacancy() | Presence() | GraceOut():
            return decide_seat(state, command, now)
        case Ask():
            return decide_wish(state, command, now)
        case PauseOut(deadline_ms):
            return pause_out(state, deadline_ms, now)
        case Commitment() | CutDue() | Cut() | CeremonyClockOut() | ClosedSet() | Outcome():
            if state.stage is Stage.CLOSED:
                raise TableClosedError if isinstance(command, Cut) else NothingToDoError
            events = decide_shuffle(state, command, now)
            if isinstance(command, Outcome) and command.deck and state.stage is Stage.CEREMONY:
                return *events, *_dealt(reduce(evolve, events, state), now)
            return events
        case Funded() | Unfunded():
            return decide_funding(state, command)
        case Deal() | NewStock() | Reveal():
            return _given(state, command, now)
        case NextMatch(match_id):
            return _next_match(state, match_id, now)
        case Resume(since_ms):
            return _resume(state, max(0, now.ms - since_ms), now)
        case Freeze() | Unfreeze() | Abort() | Abandoned():
            return decide_operator(state, command, now)
        case Create():
            raise ValueError("a table is made by create()")


def create(table_id: str, command: Create, now: Now) -> tuple[TableEvent, ...]:
    """The first events of a table. It begins at once where no seat is vacant."""
    options, seats = command.options, expected(command.seats, command.options, now)
    made = Created(table_id, options, seats, command.host_seat, command.series_id, command.match_id, command.private)
    if any(seat.occupant is Occupant.VACANT for seat in seats):
        return (made,)
    return made, *match_begins(options.stake, None, now)


def _require(wanted: bool) -> None:
    if not wanted:
        raise NothingToDoError


def _play(state: TableState, command: Play, now: Now) -> tuple[TableEvent, ...]:
    seat = seat_to_play(state, command.account)
    if state.stage is Stage.CLOSED:
        raise TableClosedError
    deal = state.deal
    if deal is None or (state.stage is Stage.RESULT and command.deal_no != state.deal_no):
        raise StaleTurnError
    if command.match_id not in ("", state.match_id.hex()):
        raise StaleTurnError
    if state.stage is Stage.RESULT:
        raise RefusedError(Code.DEAL_OVER)
    if (command.deal_no, command.turn_no) != (state.deal_no, deal.turn_no):
        raise StaleTurnError
    return _moved(state, engine.decide(deal, at_seat(command.action, seat)), now)


def _moved(state: TableState, moves: tuple[rules.Event, ...], now: Now) -> tuple[TableEvent, ...]:
    """The rules' events, the clock after them, and with a deal's end the shuffle of the next one."""
    deal = state.deal
    assert deal is not None
    events = tuple(_moves(state, deal, moves, now))
    if not isinstance(moves[-1], rules.DealEnded):
        return events
    after = reduce(evolve, events, state)
    if after.match.winner is not None:
        return events
    return *events, CeremonyBegan(state.deal_no + 1, 0, next_starter(deal.starter, state.options))


def _moves(state: TableState, deal: DealState, moves: tuple[rules.Event, ...], now: Now) -> Iterator[TableEvent]:
    """The rules' events, and the clock that runs after them (R9.1, R9.2)."""
    for move in moves:
        yield Moved(move)
    last = moves[-1]
    if isinstance(last, rules.DealEnded):
        yield ClockSet(result_end(now))
    elif isinstance(last, rules.TimeRanOut):
        yield ClockSet(discard_end(state, last.seat, now))
    elif isinstance(last, rules.Discarded):
        # The turn that waits for a new stock begins once it is there.
        waits = not deal.stock and evolve_deal(deal, last).reshuffle_due
        yield ClockSet(None if waits else turn_end(state, (last.seat + 1) % len(state.seats), now))


def _clock_out(state: TableState, deadline_ms: int, now: Now) -> tuple[TableEvent, ...]:
    _require(state.deadline_ms == deadline_ms and now.ms >= deadline_ms)
    if state.stage is Stage.DEAL and state.deal is not None:
        return _moved(state, engine.decide(state.deal, TIMEOUT), now)
    if state.stage is Stage.RESULT:
        return _after_result(state, now)
    if state.stage is Stage.FUNDING:
        return given_up(state)
    return (ClockSet(None),)


def _after_result(state: TableState, now: Now) -> tuple[TableEvent, ...]:
    """The result has been shown: the next deal, the swap of seats, or the end. A later match waits for its id
    (``NextMatch``)."""
    if state.match.winner is None:
        return ClockSet(None), Closed() if leads_nowhere(state) else ResultShown()
    if state.series.winner is None:
        return opened(state, now) or (ClockSet(None),)
    return ClockSet(None), Closed()


def _next_match(state: TableState, match_id: bytes, now: Now) -> tuple[TableEvent, ...]:
    _require(match_is_due(state))
    if state.options.stake and any(seat.is_absent for seat in state.seats):
        return (Closed(),)  # nobody's coins are staked behind their back, nor a partner's on a seat that nobody plays
    winner = state.match.winner
    assert winner is not None
    # Where a dealer is drawn, each match has its own draw (R3.2).
    starter = None if state.options.starter == "dealer_draw" else starter_of_later_match(winner)
    return MatchBegan(match_id), *match_begins(state.options.stake, starter, now)


def match_is_due(state: TableState) -> bool:
    """Whether the series waits for its next match."""
    return (
        state.stage in (Stage.RESULT, Stage.SWAP)
        and state.deadline_ms is None
        and state.standstill is None
        and state.match.winner is not None
        and state.series.winner is None
    )


def _given(state: TableState, command: Deal | NewStock | Reveal, now: Now) -> tuple[TableEvent, ...]:
    """What the shuffle service has given: a deck, a new stock, a secret."""
    match command:
        case Deal():
            return _deal(state, command, now)
        case NewStock():
            return _new_stock(state, command, now)
        case Reveal(match_id, deal_no, fair_json):
            _require(any((ctx.match, ctx.deal_no) == (match_id, deal_no) for ctx in state.unrevealed))
            return (Revealed(match_id, deal_no, fair_json),)


def _deal(state: TableState, command: Deal, now: Now) -> tuple[TableEvent, ...]:
    ceremony = state.next_fair
    _require(state.stage is Stage.CEREMONY and ceremony is not None)
    assert ceremony is not None
    _require(ceremony.step is CeremonyStep.SETTLED and command.context == ceremony.context)
    return _dealt(state, now)


def _dealt(state: TableState, now: Now) -> tuple[TableEvent, ...]:
    """A settled deal is dealt."""
    assert state.next_fair is not None
    if state.next_fair.starter is None:
        raise ValueError("nobody has drawn who starts (R3.2)")
    starter = state.next_fair.starter
    return Dealt(starter), ClockSet(turn_end(state, starter, now))


def _new_stock(state: TableState, command: NewStock, now: Now) -> tuple[TableEvent, ...]:
    deal = state.deal
    _require(state.stage is Stage.DEAL and deal is not None and deal.reshuffle_due)
    assert deal is not None
    _require((command.context, command.number) == (state.context(), deal.reshuffles_used + 1))
    return Moved(rules.Reshuffled(command.stock)), ClockSet(turn_end(state, deal.turn, now))


def _resume(state: TableState, outage_ms: int, now: Now) -> tuple[TableEvent, ...]:
    """Nobody is watching yet, and the clock that ran gets the outage back (R9.4)."""
    if state.stage is Stage.CLOSED:
        raise NothingToDoError
    credit = [] if state.deadline_ms is None else [ClockSet(state.deadline_ms + outage_ms)]
    shuffle = None if state.standstill is not None else resumed(state, outage_ms, now)
    events: list[TableEvent] = [*suspended(state, now), *credit, *prolonged(state, outage_ms)]
    if shuffle is not None:
        events.append(shuffle)
    _require(bool(events))
    return tuple(events)
