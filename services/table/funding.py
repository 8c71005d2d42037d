"""The stakes of a coin table: held for all seats or for none before a match begins (R11.1). Pure.

    created, or the series' next match ──▶ funding ──▶ the match's first ceremony
                                              └──▶ closed: nobody's stake is kept

They are asked for once all players are there. Nobody's clock runs meanwhile; the table's own ends the waiting for a
player or a wallet that is away.
"""

from typing import Final

from services.table.commands import Funded, Unfunded
from services.table.events import CeremonyBegan, ClockSet, Closed, FundingBegan, StakesHeld, StakesMissing, TableEvent
from services.table.moment import Now
from services.table.refusals import NothingToDoError
from services.table.state import Funding, MissingStake, Obstacle, Stage, TableState

FUNDING_MS: Final = 120_000
"""For all to come, and for the stakes to be held. At no pace less: nobody plays."""

FundingCommand = Funded | Unfunded
FundingEvent = FundingBegan | StakesHeld | StakesMissing


def match_begins(stake: int, starter: int | None, now: Now) -> tuple[TableEvent, ...]:
    """A match's beginning: its first ceremony, at a coin table once the stakes are held.

    ``starter``: ``None`` where the shuffle draws it.
    """
    if stake:
        return FundingBegan(starter), ClockSet(now.ms + FUNDING_MS)
    return (CeremonyBegan(deal_no=1, attempt=0, starter=starter),)


def decide_funding(state: TableState, command: FundingCommand) -> tuple[TableEvent, ...]:
    """What the wallet has answered; ``NothingToDoError`` where it has been overtaken."""
    funding = state.funding
    if state.stage is not Stage.FUNDING or funding is None or command.match_id != state.match_id:
        raise NothingToDoError
    if isinstance(command, Funded):
        return StakesHeld(), ClockSet(None), CeremonyBegan(deal_no=1, attempt=0, starter=funding.starter)
    return ClockSet(None), StakesMissing(command.missing), Closed()


def given_up(state: TableState) -> tuple[TableEvent, ...]:
    """A player, or the wallet, was waited for in vain. What the wallet holds all the same it gives back: the match is
    told to be aborted."""
    absent = tuple(MissingStake(number, Obstacle.ABSENT) for number, seat in enumerate(state.seats) if seat.away)
    return ClockSet(None), StakesMissing(absent), Closed()


def evolve_funding(state: TableState, event: FundingEvent) -> TableState:
    """The table after such an event."""
    match event:
        case FundingBegan(starter):
            return state._replace(stage=Stage.FUNDING, funding=Funding(starter))
        case StakesHeld():
            return state._replace(funding=None)
        case StakesMissing(missing):
            return state._replace(funding=Funding(None, missing, failed=True))


def is_at_stake(state: TableState) -> bool:
    """Whether coins are held for a match that is being played: it is played to its end, whoever has gone (R10.3)."""
    playing = state.stage not in (Stage.SEATING, Stage.FUNDING, Stage.CLOSED)
    return state.options.stake > 0 and playing and state.match.winner is None


def leads_nowhere(state: TableState) -> bool:
    """Whether all are gone from a match for coins, and a deal has gone by in which nobody laid a card.

    The clock lays none either, so that the match would never end: it closes without a result, and the stakes go back.
    """
    idle = state.last is not None and not any(state.last.seen.score.laid_points)
    return is_at_stake(state) and idle and all(seat.is_absent for seat in state.seats)
