"""The facts that a table tells other services: public, each with an id that a repetition shares."""

import uuid
from collections.abc import Iterator
from typing import Any

from banakil.events.v1 import facts_pb2 as wire

from services.table.due import vacancies
from services.table.events import (
    Aborted,
    CeremonyBegan,
    ClockSet,
    Closed,
    Created,
    GraceOver,
    Moved,
    SeatLeft,
    TableEvent,
)
from services.table.ring import Step
from services.table.state import Occupant, Seat, TableState
from shared.codec.options import write_options
from shared.rules.events import DealEnded

_NAMESPACE = uuid.UUID("5f0c7c1e-6c3b-5d0a-9a44-0a1d7f1f6b2e")


def facts_of(step: Step, at_ms: int) -> tuple[wire.Fact, ...]:
    """The facts in one step."""
    facts: list[wire.Fact] = []
    for event, after in zip(step.events, step.states[1:], strict=True):
        if isinstance(event, ClockSet) or (isinstance(event, Moved) and not isinstance(event.event, DealEnded)):
            continue  # as most are
        for body in _bodies(event, after):
            number = len(facts)
            fact_id = uuid.uuid5(_NAMESPACE, f"{after.table_id}:{step.revision}:{number}")
            body.fact_id = str(fact_id)
            body.at_ms = at_ms
            body.table_id = after.table_id
            facts.append(body)
    return tuple(facts)


def _bodies(event: TableEvent, after: TableState) -> Iterator[wire.Fact]:
    match event:
        case Created():
            for seat, vacancy in vacancies(after):
                yield _vacated(after, seat, vacancy)
        case SeatLeft(seat, vacancy):
            yield wire.Fact(player_left=wire.PlayerLeft(account_id=after.seats[seat].account))
            if vacancy:
                yield _vacated(after, seat, vacancy)
        case GraceOver(seat, vacancy) if vacancy:
            yield _vacated(after, seat, vacancy)
        case CeremonyBegan(deal_no=1, attempt=0):
            yield wire.Fact(match_started=wire.MatchStarted(**_match(after)))
        case Moved(DealEnded()):
            yield wire.Fact(deal_ended=_deal_ended(after))
            if after.match.winner is not None:
                yield wire.Fact(match_ended=_match_ended(after, after.match.winner))
        case Aborted() if after.match.winner is None:
            yield _aborted(after)
        case Closed():
            if after.options.stake and after.match.winner is None and not after.aborted:
                yield _aborted(after)
            yield wire.Fact(table_closed=wire.TableClosed())


def _vacated(after: TableState, seat: int, vacancy: str) -> wire.Fact:
    level = after.seats[seat].bot_level
    return wire.Fact(seat_vacated=wire.SeatVacated(vacancy_id=vacancy, seat=seat, bot_level=level))


def _seat(seat: Seat) -> wire.MatchSeat:
    own = seat.occupant is not Occupant.HOUSE_BOT
    return wire.MatchSeat(
        account_id=seat.account if own else "", display_name=seat.name, bot=seat.occupant is not Occupant.PERSON
    )


def _match(table: TableState) -> dict[str, Any]:
    """What every fact about a match says of it."""
    return {
        "series_id": table.series_id.hex(),
        "match_id": table.match_id.hex(),
        "match_no": table.match_no,
        "options": write_options(table.options),
        "seats": map(_seat, table.seats),
    }


def _aborted(table: TableState) -> wire.Fact:
    return wire.Fact(match_aborted=wire.MatchAborted(**_match(table), last_deal_no=table.deal_no))


def _deal_ended(table: TableState) -> wire.DealEnded:
    assert table.last is not None
    return wire.DealEnded(
        match_id=table.match_id.hex(),
        deal_no=table.deal_no,
        attempt=table.context().attempt,
        team_half_points=table.last.seen.score.teams,
    )


def _match_ended(table: TableState, winner: int) -> wire.MatchEnded:
    return wire.MatchEnded(
        **_match(table),
        total_half_points=table.match.totals,
        winner_team=winner,
        last_deal_no=table.deal_no,
    )
