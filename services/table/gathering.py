"""What clients send for one step of a shuffle, until the shuffle service has it: in memory alone.

A restart forgets it. Nothing is lost by that: a client whose receipt is not published sends the same again.
"""

from typing import NamedTuple

from services.table.ceremony import Ceremony, CeremonyStep
from services.table.refusals import CommandReusedError, ContributionNotAwaitedError
from services.table.shuffling import awaited_seats
from services.table.state import TableState


class Gathered(NamedTuple):
    """What has come in for a step."""

    values: tuple[bytes, ...] = ()
    """Each seat's h or c, empty where none came."""
    is_over: bool = False
    """Whether nothing more is waited for."""


class Gathering:
    """One step of one attempt: who is awaited, and what came."""

    def __init__(self, state: TableState) -> None:
        self.ceremony = state.next_fair
        self._values = [b""] * len(state.seats)
        self._awaited = set(awaited_seats(state))
        self._time_is_up = False

    def is_of(self, ceremony: Ceremony | None) -> bool:
        """Whether it gathers for that step."""
        own = self.ceremony
        if own is None or ceremony is None:
            return own is ceremony
        return (own.context, own.step) == (ceremony.context, ceremony.step)

    @property
    def gathered(self) -> Gathered:
        """What came until now."""
        return Gathered(tuple(self._values), self._time_is_up or not self._awaited)

    def take(self, step: CeremonyStep, seat: int, value: bytes) -> bool:
        """Take in a seat's h or c for a step; whether nothing more is waited for.

        Raises ``CommandReusedError`` where the seat sent another before, ``ContributionNotAwaitedError`` where it is
        not awaited, or no more.
        """
        if self.ceremony is None or self.ceremony.step is not step:
            raise ContributionNotAwaitedError
        if self._values[seat]:
            if self._values[seat] != value:
                raise CommandReusedError
            return not self._awaited
        if self._time_is_up or seat not in self._awaited:
            raise ContributionNotAwaitedError
        self._values[seat] = value
        self._awaited.remove(seat)
        return not self._awaited

    def end(self) -> None:
        """The time for the step is over."""
        self._time_is_up = True
