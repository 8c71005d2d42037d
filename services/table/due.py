"""What a table waits for from other services: read off its state, so that a restart asks for it again."""

from typing import NamedTuple, TypeAlias

from services.table.state import Occupant, Stage, TableState
from shared.fairness.context import DealContext


class NeedsCommitment(NamedTuple):
    """The deal's ceremony has to begin."""

    context: DealContext


class NeedsDeck(NamedTuple):
    """The ceremony has to be closed, and the deck fetched."""

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


Due: TypeAlias = NeedsCommitment | NeedsDeck | NeedsStock | NeedsReveal


def what_is_due(state: TableState) -> Due | None:
    """The next thing to ask for, or ``None``. What the game waits for comes before a reveal."""
    if state.stage is Stage.CEREMONY:
        return NeedsCommitment(state.context()) if state.fair is None else NeedsDeck(state.context())
    deal = state.deal
    if state.stage is Stage.DEAL and deal is not None and deal.reshuffle_due:
        return NeedsStock(state.context(), deal.reshuffles_used + 1, deal.pile[:-1])
    if state.unrevealed:
        return NeedsReveal(state.unrevealed[0])
    return None


def due_id(due: Due) -> str:
    """The id of the command that answers it: however often it is asked for, it is applied once."""
    ctx = due.context
    number = due.number if isinstance(due, NeedsStock) else 0
    return f"{type(due).__name__}:{ctx.match.hex()}:{ctx.deal_no}:{ctx.attempt}:{number}"


def cut_is_due(state: TableState) -> bool:
    """Whether this deal's starter comes from the host's cut (R3.2)."""
    return state.options.starter == "host_cut" and state.starter is None


def vacancies(state: TableState) -> tuple[tuple[int, str], ...]:
    """Seats that wait for a house bot, with the id that it may take them by."""
    return tuple((number, seat.vacancy) for number, seat in enumerate(state.seats) if seat.occupant is Occupant.VACANT)
