"""Finished matches, kept for the players who were there."""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, delete, insert, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.refusals import BadRequestError
from services.lobby.schema import MATCH_SEATS, MATCHES

MAX_TOKEN_CHARS: Final = 100


class MatchSeat(NamedTuple):
    """A seat in a finished match."""

    account_id: str
    """Empty for a house bot's."""
    name: str


class FinishedMatch(NamedTuple):
    """A match that is won."""

    match_id: str
    """32 lower-case hex digits."""
    preset: str
    mode: str
    seats: tuple[MatchSeat, ...]
    """In playing order."""
    totals: tuple[int, ...]
    """Of each team, in half-points."""
    winner_team: int
    ended_ms: int
    """Unix milliseconds."""


class Page(NamedTuple):
    """Some of an account's matches, the newest first."""

    matches: tuple[tuple[FinishedMatch, int], ...]
    """With the account's seat in each."""
    next_token: str
    """Empty on the last page."""


async def add_match(connection: AsyncConnection, match: FinishedMatch) -> None:
    """Keeps a match; once, however often it is told."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    row = {
        **match._asdict(),
        "seats": json.dumps(match.seats, ensure_ascii=False),
        "totals": json.dumps(match.totals),
    }
    stored = await connection.execute(dialect.insert(MATCHES).values(row).on_conflict_do_nothing())
    seats = [
        {"account_id": player.account_id, "match_id": match.match_id, "seat": seat, "ended_ms": match.ended_ms}
        for seat, player in enumerate(match.seats)
        if player.account_id
    ]
    if stored.rowcount == 1 and seats:
        await connection.execute(insert(MATCH_SEATS), seats)


async def list_matches(connection: AsyncConnection, account_id: str, size: int, token: str) -> Page:
    """A page of the account's matches, from where `token` says. Raises `BadRequestError` for a token that is none."""
    seats = MATCH_SEATS.c
    mine = seats.account_id == account_id
    if token:
        mine &= tuple_(seats.ended_ms, seats.match_id) < tuple_(*_read_token(token))
    newest = select(MATCHES, seats.seat).join(MATCH_SEATS).where(mine)
    newest = newest.order_by(seats.ended_ms.desc(), seats.match_id.desc()).limit(size + 1)
    rows = (await connection.execute(newest)).all()
    page = tuple((_match(row), int(row.seat)) for row in rows[:size])
    return Page(page, _write_token(page[-1][0]) if len(rows) > size else "")


async def forget_matches(connection: AsyncConnection, before_ms: int, most: int) -> int:
    """Deletes matches that ended before then; how many."""
    old = select(MATCHES.c.match_id).where(MATCHES.c.ended_ms < before_ms).limit(most)
    ids: Sequence[str] = (await connection.scalars(old.with_for_update(skip_locked=True))).all()
    for table in (MATCH_SEATS, MATCHES):
        await connection.execute(delete(table).where(table.c.match_id.in_(ids)))
    return len(ids)


def _match(row: Row[Any]) -> FinishedMatch:
    return FinishedMatch(
        match_id=row.match_id,
        preset=row.preset,
        mode=row.mode,
        seats=tuple(MatchSeat(*seat) for seat in json.loads(row.seats)),
        totals=tuple(json.loads(row.totals)),
        winner_team=row.winner_team,
        ended_ms=row.ended_ms,
    )


def _write_token(match: FinishedMatch) -> str:
    return base64.urlsafe_b64encode(f"{match.ended_ms}.{match.match_id}".encode()).decode()


def _read_token(token: str) -> tuple[int, str]:
    try:
        if len(token) <= MAX_TOKEN_CHARS:
            ended_ms, _, match_id = (
                base64.b64decode(token, altchars=b"-_", validate=True).decode("ascii").partition(".")
            )
            if len(ended_ms) <= 15 and ended_ms.isdecimal():
                return int(ended_ms), match_id
    except ValueError:
        pass
    raise BadRequestError("not a page token of this history")
