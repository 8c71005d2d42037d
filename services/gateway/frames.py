"""What a client may send down its socket (docs/socket.md), read strictly."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from banakil.table.v1.contributing_pb2 import ContributeRequest
from banakil.table.v1.saying_pb2 import SayRequest
from banakil.table.v1.table_pb2 import ActRequest
from banakil.table.v1.wishes_pb2 import AskRequest

from services.gateway.json_mapping import decode, read_message
from shared.codec.errors import MalformedError
from shared.kit.identity import MAX_TOKEN_CHARS

MAX_FRAME_CHARS: Final = 16 * 1024
MAX_REVISION: Final = 2**32 - 1
MAX_NUMBER: Final = 2**53 - 1
"""Above this, numbers in a browser are not exact."""
_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


class BadFrameError(Exception):
    """Not a frame of this protocol."""


class Hello(NamedTuple):
    """Who is there."""

    protocol: int
    ticket: str


class Watch(NamedTuple):
    """Follow a table."""

    table_id: str
    last_revision: int


class Spectate(NamedTuple):
    """Follow what is public of a table."""

    table_id: str
    last_revision: int


class WatchRoom(NamedTuple):
    """Follow a room."""

    room_id: str


class Unwatch(NamedTuple):
    """Follow nothing."""


class Act(NamedTuple):
    """An action, or ``None`` for one that cannot be read."""

    command_id: str
    request: ActRequest | None


class Contribute(NamedTuple):
    """A part in a shuffle, or ``None`` for one that cannot be read."""

    command_id: str
    request: ContributeRequest | None


class Ask(NamedTuple):
    """A wish, or ``None`` for one that cannot be read."""

    command_id: str
    request: AskRequest | None


class Say(NamedTuple):
    """A phrase, or ``None`` for one that cannot be read."""

    command_id: str
    request: SayRequest | None


class AskHints(NamedTuple):
    """What could I do?"""

    table_id: str
    n: int


class Ping(NamedTuple):
    """Are you there?"""

    n: int


Frame = Hello | Watch | Spectate | WatchRoom | Unwatch | Act | Contribute | Ask | Say | AskHints | Ping


def read_frame(text: str) -> Frame:
    """The frame. Raises :class:`BadFrameError`."""
    if len(text) > MAX_FRAME_CHARS:
        raise BadFrameError("too long")
    try:
        fields = decode(text)
    except MalformedError as fault:
        raise BadFrameError(str(fault)) from None
    kind = fields.pop("t", None)
    read = READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise BadFrameError("of no kind that there is")
    return read(fields)


def _hello(fields: dict[str, Any]) -> Frame:
    ticket = fields.get("ticket")
    if not isinstance(ticket, str) or len(ticket) > MAX_TOKEN_CHARS:
        raise BadFrameError("without a ticket")
    return Hello(_number(fields, "protocol"), ticket)


def _watch(fields: dict[str, Any]) -> Frame:
    return Watch(_id(fields, "tableId"), _number(fields, "lastRevision", MAX_REVISION, default=0))


def _spectate(fields: dict[str, Any]) -> Frame:
    return Spectate(_id(fields, "tableId"), _number(fields, "lastRevision", MAX_REVISION, default=0))


def _watch_room(fields: dict[str, Any]) -> Frame:
    return WatchRoom(_id(fields, "roomId"))


def _unwatch(_fields: dict[str, Any]) -> Frame:
    return Unwatch()


def _act(fields: dict[str, Any]) -> Frame:
    command_id = _id(fields, "commandId")
    try:
        return Act(command_id, read_message(fields, ActRequest))
    except MalformedError:
        return Act(command_id, None)


def _ask(fields: dict[str, Any]) -> Frame:
    command_id = _id(fields, "commandId")
    try:
        return Ask(command_id, read_message(fields, AskRequest))
    except MalformedError:
        return Ask(command_id, None)


def _contribute(fields: dict[str, Any]) -> Frame:
    # The table knows a contribution by its seat and attempt: the command's id is for the answer alone.
    command_id = _id(fields, "commandId")
    del fields["commandId"]
    try:
        return Contribute(command_id, read_message(fields, ContributeRequest))
    except MalformedError:
        return Contribute(command_id, None)


def _say(fields: dict[str, Any]) -> Frame:
    # As with a contribution.
    command_id = _id(fields, "commandId")
    del fields["commandId"]
    try:
        return Say(command_id, read_message(fields, SayRequest))
    except MalformedError:
        return Say(command_id, None)


def _hints(fields: dict[str, Any]) -> Frame:
    return AskHints(_id(fields, "tableId"), _number(fields, "n"))


def _ping(fields: dict[str, Any]) -> Frame:
    return Ping(_number(fields, "n"))


READERS: Final[dict[str, Callable[[dict[str, Any]], Frame]]] = {
    "hello": _hello,
    "watch": _watch,
    "spectate": _spectate,
    "watchRoom": _watch_room,
    "unwatch": _unwatch,
    "act": _act,
    "contribute": _contribute,
    "ask": _ask,
    "say": _say,
    "hints": _hints,
    "ping": _ping,
}


def _id(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise BadFrameError(f"{name} is no id")
    return value


def _number(fields: dict[str, Any], name: str, most: int = MAX_NUMBER, default: int | None = None) -> int:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadFrameError(f"{name} is no number")
    return value
