"""``evolve(state, event) -> state``: what an event makes of a table."""

from services.table.ceremony import Ceremony
from services.table.events import (
    Aborted,
    AwayChanged,
    CeremonyBegan,
    ClockSet,
    Closed,
    Created,
    Dealt,
    Frozen,
    FundingBegan,
    GraceOver,
    MatchBegan,
    Moved,
    PauseAsked,
    PauseBegan,
    PauseOver,
    ResultShown,
    Revealed,
    SeatLeft,
    SeatsSwapped,
    SeatTaken,
    StakesHeld,
    StakesMissing,
    StandInTook,
    SwapAsked,
    SwapOpened,
    TableEvent,
    Unfrozen,
)
from services.table.funding import evolve_funding
from services.table.operating import evolve_operator
from services.table.pausing import evolve_pause
from services.table.seats import evolve_seat
from services.table.shuffling import evolve_shuffle
from services.table.state import LastDeal, Pause, Stage, TableState
from services.table.swapping import evolve_swap
from shared.fairness.derive import HOST_CUT
from shared.rules import events as rules
from shared.rules.evolve import evolve as evolve_deal
from shared.rules.match import MatchState, after_deal
from shared.rules.scoring import score_deal
from shared.rules.series import SeriesState, after_match
from shared.rules.state import DealState, start_deal
from shared.rules.views import SeenDealEnded


def created(event: Created) -> TableState:
    """The table that the first event makes."""
    return TableState(
        table_id=event.table_id,
        options=event.options,
        host_seat=event.host_seat,
        seats=event.seats,
        series_id=event.series_id,
        match_id=event.match_id,
        private=event.private,
        series=SeriesState(event.options),
        match=MatchState(event.options),
    )


def evolve(state: TableState, event: TableEvent, deck: bytes = b"") -> TableState:
    """The table after an event. ``deck`` is the sealed part of ``Dealt``: 106 faces in dealing order."""
    match event:
        case Moved(move):
            return _moved(state, move)
        case ClockSet(deadline_ms):
            return state._replace(deadline_ms=deadline_ms)
        case AwayChanged(seat) | GraceOver(seat) | SeatLeft(seat) | SeatTaken(seat) | StandInTook(seat):
            seats = (*state.seats[:seat], evolve_seat(state.seats[seat], event), *state.seats[seat + 1 :])
            return state._replace(seats=seats)
        case CeremonyBegan():
            return _ceremony_began(state, event)
        case PauseAsked() | PauseBegan() | PauseOver():
            return state._replace(pause=evolve_pause(state.pause, event))
        case SwapOpened() | SwapAsked() | SeatsSwapped():
            return evolve_swap(state, event)
        case Dealt(starter):
            deal = start_deal(state.options, starter, deck)
            fair = ceremony_of(state)._replace(starter=starter)
            return state._replace(stage=Stage.DEAL, deal_no=fair.context.deal_no, fair=fair, next_fair=None, deal=deal)
        case ResultShown():
            return state._replace(stage=Stage.CEREMONY, deal=None)
        case Revealed(match_id, deal_no, _):
            left = tuple(ctx for ctx in state.unrevealed if (ctx.match, ctx.deal_no) != (match_id, deal_no))
            return state._replace(unrevealed=left)
        case MatchBegan(match_id):
            return state._replace(
                stage=Stage.CEREMONY,
                match_id=match_id,
                match=MatchState(state.options),
                deal_no=0,
                deal=None,
                # Who left does not come back to that match, but may to this one (R10.3).
                seats=tuple(seat._replace(left=False) for seat in state.seats),
                swap=(),
                pause=Pause(),
            )
        case FundingBegan() | StakesHeld() | StakesMissing():
            return evolve_funding(state, event)
        case Closed() | Frozen() | Unfrozen() | Aborted():
            return evolve_operator(state, event)
        case Created():
            raise ValueError("a table is made once")
        case _:
            return state._replace(next_fair=evolve_shuffle(ceremony_of(state), event))


def ceremony_of(state: TableState) -> Ceremony:
    """The shuffle of the deal to come. Raises ``ValueError`` where none has begun."""
    if state.next_fair is None:
        raise ValueError("no deal is being shuffled")
    return state.next_fair


def _ceremony_began(state: TableState, event: CeremonyBegan) -> TableState:
    before = state.next_fair
    cut_due = state.options.starter == HOST_CUT and event.starter is None
    ceremony = Ceremony(
        context=state.context_of(event.deal_no, event.attempt),
        starter=event.starter,
        host=state.host_seat if cut_due else None,
        void=before.void if before is not None and event.attempt else (),
    )
    # While a result is shown, the shuffle of the next deal goes on beside it.
    stage = Stage.RESULT if state.stage is Stage.RESULT else Stage.CEREMONY
    return state._replace(next_fair=ceremony, stage=stage)


def _moved(state: TableState, move: rules.Event) -> TableState:
    if state.deal is None:
        raise ValueError("no deal is being played")
    deal = evolve_deal(state.deal, move)
    if not isinstance(move, rules.DealEnded):
        return state._replace(deal=deal)
    return _deal_ended(state, deal, move)


def _deal_ended(state: TableState, deal: DealState, end: rules.DealEnded) -> TableState:
    score = score_deal(deal)
    ctx = state.context()
    match = after_deal(state.match, score.teams)
    series = state.series if match.winner is None else after_match(state.series, match.winner)
    return state._replace(
        stage=Stage.RESULT,
        deal=deal,
        match=match,
        series=series,
        last=LastDeal(ctx.deal_no, match.totals, SeenDealEnded(end, deal.hands, score)),
        unrevealed=(*state.unrevealed, ctx),
    )
