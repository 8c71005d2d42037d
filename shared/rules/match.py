"""The end of a match (R8.1, R8.2): totals, targets and tie-breaks, in half-points."""

from typing import Final, NamedTuple

from shared.rules.options import Options

TIE_GAP: Final = 10
"""A gap over 5 points decides under ``gap_over_5`` (R8.2)."""


class MatchState(NamedTuple):
    """A match between deals."""

    options: Options
    totals: tuple[int, int] = (0, 0)
    """Each team's running total in half-points."""
    deals: int = 0
    """Deals ended."""
    tiebreak: bool = False
    """An extra deal is due (R8.1 level at the top, R8.2)."""
    winner: int | None = None
    """The team that has won, 0 or 1."""


def resumed(options: Options, totals: tuple[int, int], *, tiebreak: bool) -> MatchState:
    """A match with deals played already, as a record tells it; ``tiebreak``: whether tie-break deals have begun (R8.2).

    Where level plays on that says nothing: an extra deal is due exactly when the totals are level at the top (R8.1).
    """
    if options.tie_rule == "level_plays_on":
        tiebreak = totals[0] == totals[1] >= 2 * options.target
    return MatchState(options, totals, tiebreak=tiebreak)


def after_deal(match: MatchState, teams: tuple[int, int]) -> MatchState:
    """The match after a deal with these team scores in half-points."""
    totals = (match.totals[0] + teams[0], match.totals[1] + teams[1])
    winner, tiebreak = _decided(match, totals)
    return MatchState(match.options, totals, match.deals + 1, tiebreak, winner)


def _decided(match: MatchState, totals: tuple[int, int]) -> tuple[int | None, bool]:
    """The winner, if any, and whether an extra deal is due."""
    target = 2 * match.options.target
    leader = 0 if totals[0] >= totals[1] else 1
    gap = abs(totals[0] - totals[1])
    if match.options.tie_rule == "level_plays_on":
        if totals[leader] < target:
            return None, False
        return (leader, False) if gap else (None, True)
    if not match.tiebreak:
        if totals[leader] < target:
            return None, False
        if totals[1 - leader] < target:
            return leader, False
    return (leader, False) if gap > TIE_GAP else (None, True)


def next_starter(starter: int, options: Options) -> int:
    """Who starts the next deal of a match: the seat after the last starter (R3.2)."""
    return (starter + 1) % options.seats
