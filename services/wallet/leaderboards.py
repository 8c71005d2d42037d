"""Players by their ratings: pages, ranks, and where somebody stands. Each query reads a stretch of one index."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wallet.refusals import BadRequestError
from services.wallet.schema import FOLLOWED, PEOPLE, RATINGS
from services.wallet.seasons import ALL_TIME
from shared.kit.database import Database
from shared.kit.identity import MAX_ACCOUNT_CHARS

MOST_RANKED: Final = 100_000
"""Nobody counts further than this."""
NEIGHBOURS: Final = 5
MAX_TOKEN_CHARS: Final = 4 * MAX_ACCOUNT_CHARS
POINTS_MAX: Final = 2**31 - 1


class Board(NamedTuple):
    """Which ratings are compared."""

    preset: str
    mode: str
    season: int = ALL_TIME


class Entry(NamedTuple):
    """A player on a board. `rank` is 0 where nobody has counted so far."""

    rank: int
    account_id: str
    name: str
    points: int
    played: int
    won: int


class Page(NamedTuple):
    """Some of a board, the best first."""

    entries: list[Entry]
    next_token: str
    """Empty on the last page."""


class Standing(NamedTuple):
    """Somebody on a board, among those just above and below."""

    entries: list[Entry]
    own_index: int


class Leaderboards:
    """Reads boards. Those with the same points have the same rank; among them the order is that of their accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, board: Board, size: int, token: str) -> Page:
        """A page, from where `token` says. Raises `BadRequestError` for a token that is none."""
        best = _on(board).order_by(*_BEST_FIRST).limit(size + 1)
        if token:
            best = best.where(tuple_(*_read_token(token)) > _PLACE)
        async with self._database.reading() as connection:
            rows = (await connection.execute(best)).all()
            entries = await self._ranked(connection, board, rows[:size])
        return Page(entries, _write_token(entries[-1]) if len(rows) > size else "")

    async def standing(self, board: Board, account_id: str) -> Standing | None:
        """Where an account stands; None where it is not on the board."""
        async with self._database.reading() as connection:
            own = (await connection.execute(_on(board).where(RATINGS.c.account_id == account_id))).one_or_none()
            if own is None:
                return None
            place = tuple_(own.board_points, account_id)
            above = _on(board).where(place < _PLACE).order_by(RATINGS.c.board_points, RATINGS.c.account_id)
            below = _on(board).where(place > _PLACE).order_by(*_BEST_FIRST)
            better = (await connection.execute(above.limit(NEIGHBOURS))).all()[::-1]
            worse = (await connection.execute(below.limit(NEIGHBOURS))).all()
            return Standing(await self._ranked(connection, board, [*better, own, *worse]), len(better))

    async def standing_among_friends(self, board: Board, account_id: str) -> Standing | None:
        """Where an account stands among those whom it follows; None where it is not on the board."""
        entries = await self.friends(board, account_id)
        at = next((at for at, entry in enumerate(entries) if entry.account_id == account_id), None)
        if at is None:
            return None
        first = max(0, at - NEIGHBOURS)
        return Standing(entries[first : at + NEIGHBOURS + 1], at - first)

    async def friends(self, board: Board, account_id: str) -> list[Entry]:
        """The account and whom it follows, as far as they are on the board, ranked among themselves."""
        whom = select(FOLLOWED.c.followed_id).where(FOLLOWED.c.account_id == account_id)
        async with self._database.reading() as connection:
            accounts = [account_id, *await connection.scalars(whom)]
            rows = (await connection.execute(_on(board).where(RATINGS.c.account_id.in_(accounts)))).all()
        rows = sorted(rows, key=lambda row: (row.board_points, row.account_id), reverse=True)
        return list(_numbered(rows, 1, 1))

    async def _ranked(self, connection: AsyncConnection, board: Board, rows: Sequence[Row[Any]]) -> list[Entry]:
        """The rows, which follow upon one another on the board, with their ranks."""
        if not rows:
            return []
        points, first = RATINGS.c.board_points, rows[0]
        rank = 1 + await _count(connection, *_of(board), points > first.board_points)
        alike = (points == first.board_points, RATINGS.c.account_id > first.account_id)
        return list(_numbered(rows, rank, rank + await _count(connection, *_of(board), *alike)))


_PLACE: Final = tuple_(RATINGS.c.board_points, RATINGS.c.account_id)
_BEST_FIRST: Final = (RATINGS.c.board_points.desc(), RATINGS.c.account_id.desc())


def _on(board: Board) -> Select[Any]:
    """The players on a board, with their names."""
    ratings = RATINGS.c
    asked = select(ratings.account_id, PEOPLE.c.display_name, ratings.board_points, ratings.played, ratings.won)
    return asked.join(PEOPLE, PEOPLE.c.account_id == ratings.account_id).where(*_of(board))


def _of(board: Board) -> Sequence[ColumnElement[bool]]:
    """What makes a rating one of the board's."""
    ratings = RATINGS.c
    return (
        ratings.preset == board.preset,
        ratings.mode == board.mode,
        ratings.season == board.season,
        ratings.board_points.is_not(None),
    )


async def _count(connection: AsyncConnection, *which: ColumnElement[bool]) -> int:
    """How many ratings there are of that kind, as far as is counted."""
    some = select(RATINGS.c.account_id).where(*which).limit(MOST_RANKED).subquery()
    return int(await connection.scalar(select(func.count()).select_from(some)) or 0)


def _numbered(rows: Iterable[Row[Any]], rank: int, place: int) -> Iterable[Entry]:
    """The rows as entries: the first has the rank and, counting those alike above it, the place."""
    points = None
    for at, row in enumerate(rows, place):
        if points is not None and row.board_points != points:
            rank = at
        points = row.board_points
        yield Entry(rank if rank <= MOST_RANKED else 0, row.account_id, row.display_name, points, row.played, row.won)


def _write_token(last: Entry) -> str:
    return base64.urlsafe_b64encode(f"{last.points}.{last.account_id}".encode()).decode()


def _read_token(token: str) -> tuple[int, str]:
    try:
        if len(token) <= MAX_TOKEN_CHARS:
            points, _, account_id = base64.b64decode(token, altchars=b"-_", validate=True).decode().partition(".")
            if abs(int(points)) <= POINTS_MAX and account_id.isprintable():
                return int(points), account_id
    except ValueError:
        pass
    raise BadRequestError("not a page token of a leaderboard")
