"""What a table waits for from other services: read off its state, so that a restart asks for it again."""

from typing import NamedTuple, TypeAlias

from services.table.ceremony import Ceremony, CeremonyStep
from services.table.gathering import Gathered
from services.table.state import Stage, TableState
from shared.fairness.context import DealContext


class NeedsStakes(NamedTuple):
    """Every seat's stake has to be held, or none."""

    match_id: bytes
    stake: int
    """Coins, of each seat."""
    accounts: tuple[str, ...]
    """Of the seats in playing order."""


class NeedsCommitment(NamedTuple):
    """The deal's ceremony has to begin."""

    context: DealContext


class NeedsClosedSet(NamedTuple):
    """The set of who takes part has to be closed."""

    context: DealContext
    promises: tuple[bytes, ...]
    """Each seat's h, empty where it sent none."""


class NeedsOutcome(NamedTuple):
    """The time for contributions is over: there is to be a transcript, or the attempt is void."""

    context: DealContext
    contributions: tuple[bytes, ...]
    """Each seat's c, empty where it sent none."""
    with_deck: bool = False
    """Whether the deal can be dealt at once."""


class NeedsDeck(NamedTuple):
    """The deal is settled and has to be dealt."""

    context: DealContext


class NeedsStock(NamedTuple):
    """The pile has to become a new stock (R6.1)."""

    context: DealContext
    number: int
    pile: bytes
    """Faces bottom to top, without the top card."""


class NeedsReveal(NamedTuple):
    """An ended deal's secret has to be revealed."""

    context: DealContext
    match_over: bool
    """Whether it is the last deal of a match that is won."""


OfShuffle: TypeAlias = NeedsCommitment | NeedsClosedSet | NeedsOutcome | NeedsDeck | NeedsStock | NeedsReveal
"""What the shuffle service is asked for."""
Due: TypeAlias = OfShuffle | NeedsStakes


def what_is_due(state: TableState, gathered: Gathered) -> Due | None:
    """The next thing to ask for, or ``None``. What the game waits for comes before a reveal."""
    deal = state.deal
    if state.standstill is not None:
        return _reveal_due(state)
    if state.stage is Stage.DEAL and deal is not None and deal.reshuffle_due:
        return NeedsStock(state.context(), deal.reshuffles_used + 1, deal.pile[:-1])
    if state.stage is Stage.FUNDING:
        # The prize of the match before is paid once its secrets are out: it may be what the next one is staked of.
        return _reveal_due(state) or _stakes_due(state)
    if state.next_fair is not None:
        due = _due_of(state.next_fair, gathered, may_deal=state.stage is Stage.CEREMONY)
        if due is not None:
            return due
    return _reveal_due(state)


def _stakes_due(state: TableState) -> NeedsStakes | None:
    """Once everybody is there: nobody's coins are staked behind their back."""
    return None if any(seat.away for seat in state.seats) else stakes_of(state)


def stakes_of(state: TableState) -> NeedsStakes:
    """The stakes of the match that is to begin."""
    return NeedsStakes(state.match_id, state.options.stake, tuple(seat.account for seat in state.seats))


def _reveal_due(state: TableState) -> NeedsReveal | None:
    return NeedsReveal(state.unrevealed[0], _ends_match(state)) if state.unrevealed else None


def _due_of(ceremony: Ceremony, gathered: Gathered, *, may_deal: bool) -> OfShuffle | None:
    ctx = ceremony.context
    match ceremony.step:
        case CeremonyStep.BEGUN:
            return NeedsCommitment(ctx)
        case CeremonyStep.PROMISING:
            wanted = gathered.is_over and not may_cut(ceremony, gathered)
            return NeedsClosedSet(ctx, gathered.values) if wanted else None
        case CeremonyStep.CUTTING:
            return None
        case CeremonyStep.CLOSING:
            return NeedsClosedSet(ctx, ceremony.promises)
        case CeremonyStep.OPENING:
            return NeedsOutcome(ctx, gathered.values, may_deal) if gathered.is_over else None
        case CeremonyStep.SETTLED:
            return NeedsDeck(ctx) if may_deal else None


def may_cut(ceremony: Ceremony, gathered: Gathered) -> bool:
    """Whether a cut is due (R3.2) and its host takes part; any other cut is automatic."""
    return ceremony.host is not None and bool(gathered.values[ceremony.host])


def _ends_match(state: TableState) -> bool:
    """Whether the first unrevealed deal is the last one of a match that is won."""
    ctx, *later = state.unrevealed
    is_last = not any(other.match == ctx.match for other in later)
    return is_last and (ctx.match != state.match_id or state.match.winner is not None)


def due_id(due: Due) -> str:
    """The id of the command that answers it: however often it is asked for, it is applied once."""
    if isinstance(due, NeedsStakes):
        return f"{type(due).__name__}:{due.match_id.hex()}"
    ctx = due.context
    number = due.number if isinstance(due, NeedsStock) else 0
    return f"{type(due).__name__}:{ctx.match.hex()}:{ctx.deal_no}:{ctx.attempt}:{number}"


def vacancies(state: TableState) -> tuple[tuple[int, str], ...]:
    """Seats that wait for a house bot, with the id that it may take them by."""
    return tuple((number, seat.vacancy) for number, seat in enumerate(state.seats) if seat.is_offered)
