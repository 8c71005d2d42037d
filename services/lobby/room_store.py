"""Rooms, kept. Each function works in its caller's transaction.

Who locks takes the account before the room, so that no two transactions wait for each other.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.rooms import HOLDING, Account, Room, RoomState, Sitter, queue_of
from services.lobby.schema import COMMANDS, ROOM_SEATS, ROOMS
from shared.rules.options import make_options

_VISIBLE: Final = (RoomState.STARTED, RoomState.ENDED)
"""Where there is a table to look at."""


async def lock_room(connection: AsyncConnection, room_id: str) -> Room | None:
    """The room with this id, locked to the transaction's end."""
    return await _one(connection, ROOMS.c.room_id == room_id, lock=True)


async def lock_room_with_code(connection: AsyncConnection, code: str) -> Room | None:
    """The room that friends join by this code, locked."""
    return await _one(connection, ROOMS.c.code == code, lock=True)


async def lock_room_of_table(connection: AsyncConnection, table_id: str) -> Room | None:
    """The room that became this table, locked."""
    return await _one(connection, ROOMS.c.table_id == table_id, lock=True)


async def lock_open_room(connection: AsyncConnection, queue: str) -> Room | None:
    """The room that takes in who comes to this queue, locked."""
    return await _one(connection, (ROOMS.c.queue == queue) & (ROOMS.c.state == RoomState.WAITING), lock=True)


async def lock_room_again(connection: AsyncConnection, table_id: str) -> Room | None:
    """The room in which the players of this table play again, locked; none that was given up."""
    return await _one(connection, _is_again(table_id), lock=True)


async def find_room_again(connection: AsyncConnection, table_id: str) -> Room | None:
    """The same, as it is."""
    return await _one(connection, _is_again(table_id))


async def find_room_of_table(connection: AsyncConnection, table_id: str) -> Room | None:
    """The room that became this table."""
    return await _one(connection, ROOMS.c.table_id == table_id)


async def find_room(connection: AsyncConnection, room_id: str) -> Room | None:
    """The room with this id."""
    return await _one(connection, ROOMS.c.room_id == room_id)


async def find_room_with_code(connection: AsyncConnection, code: str) -> Room | None:
    """The room that friends join by this code."""
    return await _one(connection, ROOMS.c.code == code)


async def find_held(connection: AsyncConnection, account_id: str) -> Room | None:
    """The room in which the account waits, or whose table it plays at."""
    held = select(ROOM_SEATS.c.room_id).where((ROOM_SEATS.c.account_id == account_id) & ROOM_SEATS.c.holds)
    return await _one(connection, ROOMS.c.room_id.in_(held.scalar_subquery()))


async def live_tables(connection: AsyncConnection, account_id: str, most: int) -> list[Room]:
    """The rooms whose tables the account has a seat at and has not left, the newest first."""
    mine = select(ROOM_SEATS.c.room_id).where(ROOM_SEATS.c.account_id == account_id)
    held = mine.where(ROOM_SEATS.c.holds)
    plays = (ROOMS.c.state == RoomState.STARTED) & ROOMS.c.room_id.in_(held)
    looks = (ROOMS.c.state == RoomState.ENDED) & ROOMS.c.room_id.in_(mine)
    live = select(ROOMS).where(plays | looks)
    found = await connection.execute(live.order_by(ROOMS.c.made_ms.desc(), ROOMS.c.room_id).limit(most))
    return await _with_sitters(connection, found.all())


async def count_waiting(connection: AsyncConnection) -> int:
    """How many rooms wait."""
    counted = select(func.count()).select_from(ROOMS).where(ROOMS.c.state == RoomState.WAITING)
    return await connection.scalar(counted) or 0


async def add_room(connection: AsyncConnection, room: Room) -> bool:
    """Stores an empty room. False where its queue has an open one already, the players of a table have a room to play
    again, or its code is another's."""
    row = {
        "room_id": room.room_id,
        "table_id": room.table_id,
        "code": room.code or None,
        "queue": queue_of(room.options) if room.is_quick and not room.again_of else None,
        "options": json.dumps(asdict(room.options)),
        "state": room.state,
        "made_ms": room.made_ms,
        "deadline_ms": room.deadline_ms,
        "seen_ms": room.made_ms,
        "again_of": room.again_of or None,
        "bot_level": room.bot_level,
    }
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    stored = await connection.execute(dialect.insert(ROOMS).values(row).on_conflict_do_nothing())
    return stored.rowcount == 1


async def save_room(connection: AsyncConnection, room: Room, now_ms: int) -> None:
    """Stores where a room stands and who sits in it."""
    this = ROOMS.c.room_id == room.room_id
    stands = {"state": room.state, "seen_ms": now_ms, "bot_level": room.bot_level}
    await connection.execute(update(ROOMS).where(this).values(stands))
    await connection.execute(delete(ROOM_SEATS).where(ROOM_SEATS.c.room_id == room.room_id))
    seats = [
        {
            "room_id": room.room_id,
            "seat": sitter.seat,
            "account_id": sitter.account.account_id,
            "name": sitter.account.name,
            "bot": sitter.account.bot,
            "arrival": sitter.arrival,
            "holds": room.state in HOLDING and not sitter.left,
        }
        for sitter in room.sitters
    ]
    if seats:
        await connection.execute(insert(ROOM_SEATS), seats)


async def due_rooms(connection: AsyncConnection, now_ms: int, most: int) -> Sequence[str]:
    """The ids of rooms that are to start now or whose time is over, the longest due first."""
    late = (ROOMS.c.state == RoomState.WAITING) & (ROOMS.c.deadline_ms <= now_ms)
    due = select(ROOMS.c.room_id).where(late | (ROOMS.c.state == RoomState.STARTING))
    return (await connection.scalars(due.order_by(ROOMS.c.deadline_ms).limit(most))).all()


async def next_deadline_ms(connection: AsyncConnection) -> int | None:
    """When the next waiting room's time is over."""
    first = select(func.min(ROOMS.c.deadline_ms)).where(ROOMS.c.state == RoomState.WAITING)
    found: int | None = await connection.scalar(first)
    return found


async def quiet_tables(connection: AsyncConnection, before_ms: int, most: int) -> list[tuple[str, str]]:
    """The room's and the table's id of rooms whose table was last heard of before then, the longest first."""
    quiet = ROOMS.c.state.in_(_VISIBLE) & (ROOMS.c.seen_ms < before_ms)
    asked = select(ROOMS.c.room_id, ROOMS.c.table_id).where(quiet).order_by(ROOMS.c.seen_ms).limit(most)
    return [(row.room_id, row.table_id) for row in await connection.execute(asked)]


async def forget_rooms(connection: AsyncConnection, before_ms: int, most: int) -> int:
    """Deletes rooms that were over before then, with their seats and commands; how many."""
    over = ROOMS.c.state.in_((RoomState.OVER, RoomState.CLOSED)) & (ROOMS.c.seen_ms < before_ms)
    mine = select(ROOMS.c.room_id).where(over).limit(most).with_for_update(skip_locked=True)
    ids = (await connection.scalars(mine)).all()
    for table in (COMMANDS, ROOM_SEATS, ROOMS):
        await connection.execute(delete(table).where(table.c.room_id.in_(ids)))
    return len(ids)


def _is_again(table_id: str) -> ColumnElement[bool]:
    return (ROOMS.c.again_of == table_id) & (ROOMS.c.state != RoomState.CLOSED)


async def _one(connection: AsyncConnection, which: ColumnElement[bool], *, lock: bool = False) -> Room | None:
    asked = select(ROOMS).where(which)
    found = await connection.execute(asked.with_for_update(key_share=True) if lock else asked)
    rooms = await _with_sitters(connection, found.all())
    return rooms[0] if rooms else None


async def _with_sitters(connection: AsyncConnection, rows: Iterable[Row[Any]]) -> list[Room]:
    rooms = {row.room_id: _room(row) for row in rows}
    if rooms:
        # Read only now that the room is locked: an older look would miss who sat down last.
        seats = select(ROOM_SEATS).where(ROOM_SEATS.c.room_id.in_(rooms)).order_by(ROOM_SEATS.c.seat)
        for row in await connection.execute(seats):
            room = rooms[row.room_id]
            left = room.state in HOLDING and not row.holds
            sitter = Sitter(row.seat, Account(row.account_id, row.name, row.bot), row.arrival, left)
            rooms[row.room_id] = room._replace(sitters=(*room.sitters, sitter))
    return list(rooms.values())


def _room(row: Row[Any]) -> Room:
    return Room(
        row.room_id,
        row.table_id,
        row.code or "",
        make_options(json.loads(row.options)),
        row.made_ms,
        row.deadline_ms,
        RoomState(row.state),
        again_of=row.again_of or "",
        bot_level=row.bot_level,
    )
