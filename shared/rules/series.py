"""A series of matches (R8.3): best of three, a seat swap after the first, and who starts each match (R3.2)."""

from typing import NamedTuple

from shared.rules.options import Options

MATCHES_TO_WIN = 2
SWAP_SECONDS = 10
"""How long teams may agree to swap seats after a series' first match (R8.3)."""


class SeriesState(NamedTuple):
    """A series between matches. A single match is a series of one (``format = single``)."""

    options: Options
    wins: tuple[int, int] = (0, 0)
    """Matches won by each team."""
    seating: tuple[int, ...] = ()
    """For each seat the place 0..3 in the first match of who sits there; empty until someone swaps."""

    @property
    def match_no(self) -> int:
        """Number of the next match, 1..3."""
        return sum(self.wins) + 1

    @property
    def winner(self) -> int | None:
        """The team that has won the series, or ``None``."""
        needed = MATCHES_TO_WIN if self.options.format == "best_of_3" else 1
        return next((team for team in (0, 1) if self.wins[team] >= needed), None)

    @property
    def may_swap(self) -> bool:
        """Whether teams may swap seats now: after the first match of an unfinished series, never in a duel."""
        return self.winner is None and sum(self.wins) == 1 and self.options.mode == "partners"


def after_match(series: SeriesState, winner: int) -> SeriesState:
    """The series after a match. Raises ``ValueError`` for one that is already won."""
    if series.winner is not None:
        raise ValueError("the series is over (R8.3)")
    wins = (series.wins[0] + (winner == 0), series.wins[1] + (winner == 1))
    return series._replace(wins=wins)


def swap_seats(series: SeriesState, team: int) -> SeriesState:
    """The series with one team's partners in each other's seats (R8.3). Raises ``ValueError`` where none may swap."""
    if not series.may_swap:
        raise ValueError("seats may be swapped only after a series' first match (R8.3)")
    seating = list(series.seating or range(series.options.seats))
    seating[team], seating[team + 2] = seating[team + 2], seating[team]
    return series._replace(seating=tuple(seating))


def starter_of_later_match(winner: int) -> int:
    """Who starts a later match of a series: the winning team's lowest seat (R3.2)."""
    return winner
