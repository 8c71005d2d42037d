"""A table as one viewer sees it, on the wire: snapshots, and what a step changed. Of a deal only ``shared.rules.views``
says what may be seen; nothing else of a table is hidden from anybody.
"""

from collections.abc import Iterator
from typing import Final

from banakil.table.v1 import events_pb2 as events_wire
from banakil.table.v1 import results_pb2 as results_wire
from banakil.table.v1 import views_pb2 as wire

from services.table.events import (
    Aborted,
    AttemptVoid,
    AwayChanged,
    CeremonyBegan,
    CeremonyClockSet,
    ClockSet,
    Closed,
    Committed,
    Created,
    CutAwaited,
    CutOver,
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
    SetClosed,
    Settled,
    StakesHeld,
    StakesMissing,
    StandInTook,
    SwapAsked,
    SwapOpened,
    TableEvent,
    Unfrozen,
)
from services.table.fair_wire import write_fair_info
from services.table.ring import Step
from services.table.state import Funding, LastDeal, Obstacle, Occupant, Seat, Stage, TableState
from shared.codec.bot_levels import DEFAULT_BOT_LEVEL
from shared.codec.cards import write_hand
from shared.codec.events import write_event
from shared.codec.options import write_options
from shared.codec.results import Standing, write_result, write_standing
from shared.codec.views import write_deal_view
from shared.rules.events import DealEnded, Drew, Event, Undone
from shared.rules.views import Viewer, seen_event, view_of

_STAGES: Final = {stage: wire.Stage.Value(f"STAGE_{stage.name}") for stage in Stage}
_REASONS: Final = {
    obstacle: wire.MissingStakeReason.Value(f"MISSING_STAKE_REASON_{obstacle.name}") for obstacle in Obstacle
}
_UNTOLD: Final = (
    AttemptVoid,
    Aborted,
    CeremonyClockSet,
    ClockSet,
    Created,
    Revealed,
    SeatsSwapped,
    StakesHeld,
)
"""What another event or a snapshot tells, or nobody sees."""
_OCCUPANTS: Final = {occupant: wire.Occupant.Value(f"OCCUPANT_{occupant.name}") for occupant in Occupant}


def standing_of(table: TableState) -> Standing:
    """The match in its series."""
    return Standing(
        series_id=table.series_id.hex(),
        match_id=table.match_id.hex(),
        match_no=table.match_no,
        deal_no=table.deal_no,
        match=table.match,
        series_wins=table.series.wins,
    )


def write_view(table: TableState, viewer: Viewer) -> wire.View:
    """The whole view."""
    view = wire.View(
        table_id=table.table_id,
        revision=table.revision,
        stage=_STAGES[table.stage],
        options=write_options(table.options),
        viewer_seat=viewer,
        seats=[_seat(number, seat) for number, seat in enumerate(table.seats)],
        host_seat=table.host_seat,
        match=write_standing(standing_of(table)),
        frozen=table.is_frozen,
        aborted=table.aborted,
    )
    if table.deal is not None and table.deal.end is None:
        view.deal.CopyFrom(write_deal_view(view_of(table.deal, viewer), table.deal_no))
    if table.last is not None:
        view.last_result.CopyFrom(_result(table, table.last))
    if table.fair is not None:
        view.fair.CopyFrom(write_fair_info(table.fair))
    if table.next_fair is not None:
        view.next_fair.CopyFrom(write_fair_info(table.next_fair))
    if table.private:
        view.pause.CopyFrom(_pause(table))
    if table.funding is not None and table.funding.failed:
        view.stakes_missing.CopyFrom(_missing(table.funding))
    if table.swap:
        view.swap.CopyFrom(_swap(table))
    return view


def write_delta(step: Step, viewer: Viewer, into: events_wire.Delta | None = None) -> events_wire.Delta:
    """What a step changed, as the viewer may know it. ``into``: the message to write it to.

    Raises ``ValueError`` where players moved: see ``Step``.
    """
    if step.moves_players:
        raise ValueError("players sit elsewhere: that is told by a snapshot")
    after = step.after
    delta = events_wire.Delta() if into is None else into
    delta.revision = after.revision
    if after.stage is Stage.DEAL and after.deal is not None:
        delta.turn_no = after.deal.turn_no
        if after.deal.duties:
            delta.duties.extend(write_hand(after.deal.duties))
    for event, before, then in zip(step.events, step.states, step.states[1:], strict=False):
        if isinstance(event, Moved):
            _add_move(delta, event.event, before, then, viewer)
        else:
            delta.events.extend(_events(event, before, then, viewer))
    return delta


def seen_apart(step: Step) -> frozenset[Viewer] | None:
    """The viewers that see a step in their own way; all others see it alike. ``None``: every viewer does."""
    apart: set[Viewer] = set()
    for event in step.events:
        if isinstance(event, Dealt) or (isinstance(event, Moved) and isinstance(event.event, Undone)):
            return None
        if isinstance(event, Moved) and isinstance(event.event, Drew):
            apart.add(event.event.seat)
    return frozenset(apart)


def _add_move(delta: events_wire.Delta, move: Event, before: TableState, after: TableState, viewer: Viewer) -> None:
    assert before.deal is not None
    assert after.deal is not None
    standing = standing_of(after) if isinstance(move, DealEnded | Undone) else None
    write_event(seen_event(move, before.deal, after.deal, viewer), standing, delta.events.add())
    if isinstance(move, DealEnded) and after.match.winner is not None:
        delta.events.add().match_ended.match.CopyFrom(write_standing(standing_of(after)))


def _events(event: TableEvent, before: TableState, after: TableState, viewer: Viewer) -> Iterator[events_wire.Event]:
    wire_event = events_wire.Event
    if isinstance(event, _UNTOLD):
        return
    match event:
        case StakesMissing():
            assert after.funding is not None
            yield wire_event(stakes_missing=_missing(after.funding))
        case AwayChanged(seat) | GraceOver(seat) | SeatTaken(seat) | SeatLeft(seat) | StandInTook(seat):
            yield wire_event(seat_changed=wire_event.SeatChanged(seat=_seat(seat, after.seats[seat])))
        case SwapOpened() | SwapAsked():
            if before.stage is not after.stage:
                yield wire_event(stage_entered=wire_event.StageEntered(stage=_STAGES[after.stage]))
            yield wire_event(swap_changed=wire_event.SwapChanged(swap=_swap(after)))
        case MatchBegan():
            yield from _stood_still(before, after)
            yield wire_event(match_started=wire_event.MatchStarted(match=write_standing(standing_of(after))))
            for seat, (was, now) in enumerate(zip(before.seats, after.seats, strict=True)):
                if was != now:
                    yield wire_event(seat_changed=wire_event.SeatChanged(seat=_seat(seat, now)))
            yield wire_event(stage_entered=wire_event.StageEntered(stage=_STAGES[after.stage]))
        case CeremonyBegan():
            if before.stage is not after.stage:
                yield wire_event(stage_entered=wire_event.StageEntered(stage=_STAGES[after.stage]))
            yield _published(after)
        case Committed() | CutAwaited() | CutOver() | SetClosed() | Settled():
            yield _published(after)
        case ResultShown() | FundingBegan():
            yield wire_event(stage_entered=wire_event.StageEntered(stage=_STAGES[after.stage]))
        case Dealt():
            assert after.deal is not None
            deal = write_deal_view(view_of(after.deal, viewer), after.deal_no)
            yield wire_event(deal_started=wire_event.DealStarted(deal=deal))
        case Closed():
            yield from _stood_still(before, after)
            yield wire_event(table_closed=wire_event.TableClosed(aborted=after.aborted))
        case PauseAsked() | PauseBegan() | PauseOver() | Frozen() | Unfrozen():
            yield from _stood_still(before, after)


def _stood_still(before: TableState, after: TableState) -> Iterator[events_wire.Event]:
    """What a pause or an operator has changed; where one takes over from the other, both."""
    if before.pause != after.pause:
        yield events_wire.Event(pause_changed=events_wire.Event.PauseChanged(pause=_pause(after)))
    if before.is_frozen is not after.is_frozen:
        yield events_wire.Event(frozen_changed=events_wire.Event.FrozenChanged(frozen=after.is_frozen))


def _published(table: TableState) -> events_wire.Event:
    assert table.next_fair is not None
    return events_wire.Event(fair_published=events_wire.Event.FairPublished(fair=write_fair_info(table.next_fair)))


def _result(table: TableState, last: LastDeal) -> results_wire.DealResult:
    standing = standing_of(table)
    as_it_stood = standing._replace(deal_no=last.deal_no, match=standing.match._replace(totals=last.totals))
    return write_result(last.seen, as_it_stood)


def _pause(table: TableState) -> wire.PauseView:
    agreed, until_ms, used = table.pause
    return wire.PauseView(agreed_seats=agreed, until_ms=until_ms, used=used)


def _missing(funding: Funding) -> wire.StakesMissing:
    missing = [wire.MissingStake(seat=seat, reason=_REASONS[obstacle]) for seat, obstacle in funding.missing]
    return wire.StakesMissing(missing=missing)


def _swap(table: TableState) -> wire.SwapView:
    return wire.SwapView(teams=[wire.TeamSwap(asked_by_seat=team.asked_by, agreed=team.agreed) for team in table.swap])


def _seat(number: int, seat: Seat) -> wire.SeatView:
    return wire.SeatView(
        seat=number,
        account_id="" if seat.occupant is Occupant.HOUSE_BOT else seat.account,
        display_name=seat.name,
        occupant=_OCCUPANTS[seat.plays],
        away=seat.away,
        stand_in_name=seat.stand_in_name,
        grace_until_ms=seat.grace_until_ms,
        left=seat.left,
        bot_level=(seat.bot_level or DEFAULT_BOT_LEVEL) if seat.plays is Occupant.HOUSE_BOT else 0,
    )
