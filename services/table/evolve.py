"""``evolve(state, event) -> state``: what an event makes of a table."""

from typing import Any

from services.table.events import (
    AwayChanged,
    CeremonyBegan,
    ClockSet,
    Closed,
    Committed,
    Created,
    Dealt,
    MatchBegan,
    Moved,
    Revealed,
    SeatTaken,
    TableEvent,
)
from services.table.state import LastDeal, Stage, TableState
from shared.rules import events as rules
from shared.rules.evolve import evolve as evolve_deal
from shared.rules.match import MatchState, after_deal, next_starter
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
        case AwayChanged(seat, away):
            return _with_seat(state, seat, away=away)
        case SeatTaken(seat, account, name, occupant):
            return _with_seat(state, seat, account=account, name=name, occupant=occupant)
        case CeremonyBegan(deal_no, attempt, starter):
            return state._replace(
                stage=Stage.CEREMONY, deal_no=deal_no, attempt=attempt, starter=starter, fair=None, deal=None
            )
        case Committed(fair):
            return state._replace(fair=fair)
        case Dealt(fair, starter):
            deal = start_deal(state.options, starter, deck)
            return state._replace(stage=Stage.DEAL, fair=fair, starter=starter, deal=deal)
        case Revealed(match_id, deal_no, _):
            left = tuple(ctx for ctx in state.unrevealed if (ctx.match, ctx.deal_no) != (match_id, deal_no))
            return state._replace(unrevealed=left)
        case MatchBegan(match_id):
            return state._replace(match_id=match_id, match=MatchState(state.options), deal_no=0, attempt=0)
        case Closed():
            return state._replace(stage=Stage.CLOSED, deal=None)
        case Created():
            raise ValueError("a table is made once")


def _with_seat(state: TableState, number: int, **changes: Any) -> TableState:
    seats = (*state.seats[:number], state.seats[number]._replace(**changes), *state.seats[number + 1 :])
    return state._replace(seats=seats)


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
        starter=next_starter(deal.starter, state.options),
        last=LastDeal(ctx.deal_no, match.totals, SeenDealEnded(end, deal.hands, score)),
        unrevealed=(*state.unrevealed, ctx),
    )
