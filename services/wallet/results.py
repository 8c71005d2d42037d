"""The result of a finished match."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Final

from shared.rules.options import Options

TEAMS: Final = 2
MATCH_NO_MAX: Final = 3
MAX_NAME_CHARS: Final = 100
"""More than any lobby gives."""
HALF_POINTS_MAX: Final = 10_000_000
"""Either way: far beyond what a match can come to, and within every column that will ever add them up."""


class BadResultError(ValueError):
    """What was told of a match cannot be its result."""


@dataclass(frozen=True, slots=True)
class ResultSeat:
    """Who had a seat. `account_id` is empty for a house bot's own; `bot` where an account that is flagged so, too.

    `name`: the name shown, which is no part of the result.
    """

    account_id: str
    bot: bool
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match; seats in playing order, their teams taking turns (R1).

    Raises `BadResultError` for values that contradict each other or are out of range.
    """

    match_id: str
    series_id: str
    match_no: int
    table_id: str
    options: Options
    seats: tuple[ResultSeat, ...]
    half_points: tuple[int, int]
    winner_team: int
    last_deal_no: int
    ended_ms: int

    def __post_init__(self) -> None:
        accounts = [seat.account_id for seat in self.seats if seat.account_id]
        sound = {
            "seats": len(self.seats) == self.options.seats,
            "accounts": len(set(accounts)) == len(accounts),
            "bots": all(seat.account_id or seat.bot for seat in self.seats),
            "match_no": 1 <= self.match_no <= MATCH_NO_MAX,
            "winner_team": 0 <= self.winner_team < TEAMS,
            "half_points": all(abs(points) <= HALF_POINTS_MAX for points in self.half_points),
            "last_deal_no": 1 <= self.last_deal_no < 2**31,
            "ended_ms": 0 < self.ended_ms < 2**63,
        }
        wrong = [name for name, right in sound.items() if not right]
        if wrong:
            raise BadResultError(f"wrong: {', '.join(wrong)}")

    def options_text(self) -> str:
        """The preset and what differs from it, as JSON; `make_options` reads it."""
        return json.dumps({"preset": self.options.preset, **self.options.changed}, separators=(",", ":"))

    def digest(self) -> bytes:
        """Tells this result from another of the same match, whenever and however often it is told; 32 bytes."""
        told = [
            self.match_id,
            self.series_id,
            self.match_no,
            self.table_id,
            self.options_text(),
            [[seat.account_id, seat.bot] for seat in self.seats],
            self.half_points,
            self.winner_team,
            self.last_deal_no,
        ]
        return hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).digest()

    def people(self) -> dict[str, int]:
        """The seats of those who are no bots by their accounts, in the accounts' order: in which they are locked."""
        return dict(sorted((seat.account_id, number) for number, seat in enumerate(self.seats) if not seat.bot))

    def partners(self) -> list[tuple[str, str]]:
        """Each of the people who had a person for a partner, with who that is; both ways, in order."""
        people = {number: account_id for account_id, number in self.people().items()}
        both = ((account_id, people.get((number + TEAMS) % len(self.seats))) for number, account_id in people.items())
        return sorted((one, other) for one, other in both if other is not None and other != one)

    def has_won(self, seat: int) -> bool:
        """Whether the seat's team won."""
        return seat % TEAMS == self.winner_team

    def winners(self) -> list[str]:
        """The accounts of the people whose team won."""
        return [seat.account_id for number, seat in enumerate(self.seats) if self.has_won(number) and not seat.bot]
