"""A room: a table to be. What may happen in one, as values; who asks and where it is kept is not known here."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from services.lobby.refusals import BadRequestError, NotHostError, RoomFullError, RoomStartedError, SeatsVacantError
from shared.rules.options import Options


class RoomState(StrEnum):
    """Where a room stands."""

    WAITING = "waiting"
    """Seats are vacant."""
    STARTING = "starting"
    """Nobody comes or goes any more; the table has still to be made."""
    STARTED = "started"
    """The table is there."""
    ENDED = "ended"
    """Its last match is decided: its players are free for another, and may yet look at the result."""
    OVER = "over"
    """The table is closed."""
    CLOSED = "closed"
    """Given up before there was a table."""


HOLDING: Final = frozenset({RoomState.WAITING, RoomState.STARTING, RoomState.STARTED})
"""States in which an account is held: it can be in one such room at the most."""


class Account(NamedTuple):
    """Somebody who can sit down."""

    account_id: str
    name: str
    bot: bool
    username: str = ""
    """Empty for a guest's account, and beside a seat."""


class Sitter(NamedTuple):
    """A seat that is taken."""

    seat: int
    """The seat it will be at the table, 0..3."""
    account: Account
    arrival: int
    """Lower than that of all who came later."""
    left: bool = False
    """Whether it has left the table while it plays: it is free for another."""


class Room(NamedTuple):
    """A room and who sits in it. Times in Unix milliseconds."""

    room_id: str
    table_id: str
    """The id that its table has, or will have: fixed from the start, so that making it twice makes it once."""
    code: str
    """What friends join by; empty in quick play."""
    options: Options
    made_ms: int
    deadline_ms: int
    """When it starts with house bots (quick play for no coins), or is given up."""
    state: RoomState = RoomState.WAITING
    sitters: tuple[Sitter, ...] = ()
    """By seat."""
    again_of: str = ""
    """The table whose players play again here; empty where the room is for anybody."""
    bot_level: int = 0
    """How well house bots play in vacant seats, 1..5; 0 where nothing was said."""

    @property
    def is_quick(self) -> bool:
        """Whether it came about by quick play, be it the game before."""
        return not self.code

    @property
    def host(self) -> Sitter | None:
        """Who waited longest: in a room with a code who made it. None in an empty room."""
        return min(self.sitters, key=lambda sitter: sitter.arrival, default=None)

    def sitter(self, account_id: str) -> Sitter | None:
        """The seat of an account, if it has one."""
        return next((sitter for sitter in self.sitters if sitter.account.account_id == account_id), None)


def queue_of(options: Options) -> str:
    """The name of the quick-play queue for tables like this."""
    return f"{options.preset}/{options.mode}" + (f"/{options.stake}" if options.stake else "")


def sit_down(room: Room, account: Account, wanted: int | None = None) -> Room:
    """The room with the account in the seat wanted, or in the first vacant one; the last seat taken starts it.

    First is the host's partner's seat where friends come by code; in quick play the seats go round, so that two people
    among house bots play against each other and not both against the house. Raises `RoomStartedError` and
    `RoomFullError`.
    """
    if room.state is not RoomState.WAITING:
        raise RoomStartedError
    seat = _vacant_seat(room, wanted)
    arrival = max((sitter.arrival for sitter in room.sitters), default=-1) + 1
    room = _with(room, (*room.sitters, Sitter(seat, account, arrival)))
    return room._replace(state=RoomState.STARTING) if len(room.sitters) == room.options.seats else room


def sit_again(room: Room, before: Room, account: Account) -> Room:
    """The room with somebody who played in the one before; it starts with the last of them.

    Each has the same seat again, where it is vacant, and a host is host again. Raises `RoomStartedError` and
    `RoomFullError`.
    """
    if room.state is not RoomState.WAITING:
        raise RoomStartedError
    was = before.sitter(account.account_id)
    if was is None:
        raise ValueError("who was not there does not play again")
    is_vacant = all(sitter.seat != was.seat for sitter in room.sitters)
    seat = was.seat if is_vacant else _vacant_seat(room, None)
    room = _with(room, (*room.sitters, Sitter(seat, account, was.arrival)))
    all_there = all(room.sitter(sitter.account.account_id) for sitter in before.sitters)
    is_full = len(room.sitters) == room.options.seats
    return room._replace(state=RoomState.STARTING) if all_there or is_full else room


def seated_as(room: Room, accounts: Sequence[str]) -> Room:
    """The room with its sitters in the seats that these accounts have at its table, where some may have swapped."""
    seats = {account: seat for seat, account in enumerate(accounts) if account}
    sitters = (sitter._replace(seat=seats.get(sitter.account.account_id, sitter.seat)) for sitter in room.sitters)
    return _with(room, tuple(sitters))


def change_seat(room: Room, sitter: Sitter, wanted: int) -> Room:
    """The room with the sitter in another seat. Raises as `sit_down`."""
    if room.state is not RoomState.WAITING:
        raise RoomStartedError
    others = tuple(other for other in room.sitters if other != sitter)
    return _with(room, (*others, sitter._replace(seat=_vacant_seat(room, wanted))))


def stand_up(room: Room, account_id: str) -> Room:
    """The room without the account; given up where its host left it or nobody is there any more.

    An account that is not in the room changes nothing. Raises `RoomStartedError`.
    """
    sitter = room.sitter(account_id)
    if sitter is None or room.state is RoomState.CLOSED:
        return room
    if room.state is not RoomState.WAITING:
        raise RoomStartedError
    others = tuple(other for other in room.sitters if other != sitter)
    if not others or (sitter == room.host and not room.is_quick):
        return room._replace(state=RoomState.CLOSED)
    return room._replace(sitters=others)


def leave_table(room: Room, accounts: Iterable[str]) -> Room:
    """The room of a table that these have left for the match: they are held by it no more."""
    gone = frozenset(accounts)
    left = (sitter._replace(left=sitter.left or sitter.account.account_id in gone) for sitter in room.sitters)
    return _with(room, tuple(left))


def start(room: Room, account_id: str, bot_level: int = 0) -> Room:
    """The room started at its host's word; as it is where it has been.

    Raises `NotHostError`, `SeatsVacantError`, and `BadRequestError` where bots are asked for at a stake (R11.2).
    """
    if room.host is None or room.host.account.account_id != account_id:
        raise NotHostError
    if room.options.stake and bot_level:
        raise BadRequestError("house bots play for no coins")
    if room.state is not RoomState.WAITING:
        return room
    if room.options.stake and len(room.sitters) < room.options.seats:
        raise SeatsVacantError
    return room._replace(state=RoomState.STARTING, bot_level=bot_level or room.bot_level)


def time_out(room: Room, now_ms: int) -> Room:
    """The room once its time is over: started with house bots in quick play, else given up; before that as it is.

    Where a stake is played for there are no house bots (R11.2).
    """
    if room.state is not RoomState.WAITING or now_ms < room.deadline_ms:
        return room
    starts = room.is_quick and room.sitters and not room.options.stake
    return room._replace(state=RoomState.STARTING if starts else RoomState.CLOSED)


def _vacant_seat(room: Room, wanted: int | None) -> int:
    taken = {sitter.seat for sitter in room.sitters}
    for seat in _by_preference(room) if wanted is None else (wanted,):
        if seat not in taken and seat < room.options.seats:
            return seat
    raise RoomFullError


def _by_preference(room: Room) -> Iterator[int]:
    if room.host is not None and not room.is_quick:
        yield (room.host.seat + room.options.seats // 2) % room.options.seats
    yield from range(room.options.seats)


def _with(room: Room, sitters: tuple[Sitter, ...]) -> Room:
    return room._replace(sitters=tuple(sorted(sitters)))
