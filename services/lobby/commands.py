"""Commands that were carried out: the same id with the same body finds what it did, with another body it is refused."""

import hashlib
import json
from dataclasses import asdict
from typing import NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.lobby.refusals import CommandReusedError
from services.lobby.schema import COMMANDS
from shared.rules.options import Options


class Command(NamedTuple):
    """A command of an account that makes or finds a room."""

    account_id: str
    command_id: str
    digest: bytes
    """Of its body."""


def digest_of(kind: str, options: Options, bot_level: int = 0) -> bytes:
    """The digest of a command's body: 32 bytes."""
    body = [kind, asdict(options), *([bot_level] if bot_level else [])]
    return hashlib.sha256(json.dumps(body).encode()).digest()


async def find_room_of(connection: AsyncConnection, command: Command) -> str | None:
    """The id of the room that the command led to, if it was carried out. Raises `CommandReusedError`."""
    same = (COMMANDS.c.account_id == command.account_id) & (COMMANDS.c.command_id == command.command_id)
    row = (await connection.execute(select(COMMANDS).where(same))).one_or_none()
    if row is None:
        return None
    if bytes(row.digest) != command.digest:
        raise CommandReusedError
    return str(row.room_id)


async def remember(connection: AsyncConnection, command: Command, room_id: str) -> None:
    """Keeps that the command led to the room, for as long as the room is kept."""
    await connection.execute(insert(COMMANDS).values(**command._asdict(), room_id=room_id))
