"""Scores as messages."""

from collections.abc import Iterable

from banakil.common.v1 import rule_options_pb2 as options
from banakil.wallet.v1 import leaderboards_pb2 as boards
from banakil.wallet.v1 import scores_pb2 as wire

from services.wallet.leaderboards import Board, Entry
from services.wallet.rating_store import Rating, RatingChange
from services.wallet.ratings import matches_needed
from services.wallet.refusals import BadRequestError
from services.wallet.results import MatchResult
from services.wallet.seasons import ALL_TIME, Season


def read_board(
    request: boards.GetLeaderboardRequest | boards.GetStandingRequest, now_ms: int
) -> tuple[Board, boards.Season | None]:
    """Which ratings to compare, with their season. Raises `BadRequestError`."""
    season = None
    if request.board == boards.BOARD_SEASON:
        try:
            season = Season.numbered(request.season) if request.season else Season.at(now_ms)
        except ValueError:
            raise BadRequestError("season is the year times ten plus the quarter") from None
    elif request.board not in (boards.BOARD_ALL_TIME, boards.BOARD_FRIENDS) or request.season:
        raise BadRequestError("which board, and a season for one of a season alone")
    number = season.number if season else ALL_TIME
    board = Board(_read_preset(request.preset), _read_mode(request.mode), number)
    return board, write_season(season) if season else None


def write_preset(name: str) -> "options.Preset.ValueType":
    """A rule set as a message's value."""
    return options.Preset.Value(f"PRESET_{name.upper()}")


def write_mode(name: str) -> "options.Mode.ValueType":
    """A mode as a message's value."""
    return options.Mode.Value(f"MODE_{name.upper()}")


def write_season(season: Season) -> boards.Season:
    """A season with its dates."""
    return boards.Season(number=season.number, starts_at_ms=season.starts_ms, ends_at_ms=season.ends_ms)


def write_rating(rating: Rating) -> wire.Rating:
    """A rating as it is shown."""
    return wire.Rating(
        preset=write_preset(rating.preset),
        mode=write_mode(rating.mode),
        season=rating.season,
        points=rating.skill.points,
        played=rating.played,
        won=rating.won,
        matches_needed=matches_needed(rating.played),
    )


def write_entries(entries: Iterable[Entry]) -> list[boards.LeaderboardEntry]:
    """Players on a board."""
    return [
        boards.LeaderboardEntry(
            rank=entry.rank,
            account_id=entry.account_id,
            display_name=entry.name,
            points=entry.points,
            played=entry.played,
            won=entry.won,
        )
        for entry in entries
    ]


def write_changes(result: MatchResult, changes: Iterable[RatingChange]) -> list[wire.RatingChange]:
    """What a match did to ratings, with whose they are."""
    return [
        wire.RatingChange(
            account_id=result.seats[change.seat].account_id,
            points_before=change.before.points,
            points_after=change.after.points,
        )
        for change in changes
    ]


def _read_preset(number: "options.Preset.ValueType") -> str:
    if number not in options.Preset.values() or number == options.PRESET_UNSPECIFIED:
        raise BadRequestError("which preset")
    return options.Preset.Name(number).removeprefix("PRESET_").lower()


def _read_mode(number: "options.Mode.ValueType") -> str:
    if number not in options.Mode.values() or number == options.MODE_UNSPECIFIED:
        raise BadRequestError("which mode")
    return options.Mode.Name(number).removeprefix("MODE_").lower()
