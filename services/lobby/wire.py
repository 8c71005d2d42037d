"""Rooms, tables and matches on the wire."""

import uuid
from typing import Final

from banakil.common.v1.rule_options_pb2 import RuleOptions
from banakil.lobby.v1 import history_pb2 as history
from banakil.lobby.v1 import lobby_pb2 as wire

from services.lobby.history import FinishedMatch
from services.lobby.refusals import BadRequestError, OptionError
from services.lobby.rooms import Room, RoomState, Sitter
from shared.codec.errors import MalformedError
from shared.codec.options import read_options, write_options
from shared.rules.options import Options, preset_options

_STATES: Final = {
    RoomState.WAITING: wire.ROOM_STATE_WAITING,
    RoomState.STARTING: wire.ROOM_STATE_WAITING,
    RoomState.STARTED: wire.ROOM_STATE_STARTED,
    RoomState.ENDED: wire.ROOM_STATE_STARTED,
    RoomState.OVER: wire.ROOM_STATE_STARTED,
    RoomState.CLOSED: wire.ROOM_STATE_CLOSED,
}


QUICK_STAKES: Final = (0, 100, 500, 2_500)
"""In coins. Few, so that people meet."""


def read_quick_options(request: wire.QuickPlayRequest) -> Options:
    """The rules of quick play: a preset's, in one mode, for one of a few stakes.

    Raises `BadRequestError` and `OptionError` (`OPTION_OUT_OF_RANGE`).
    """
    if request.stake_coins not in QUICK_STAKES:
        raise OptionError(f"quick play is for {', '.join(map(str, QUICK_STAKES))} coins")
    if request.stake_coins and (request.with_house_bots or request.bot_level):
        raise BadRequestError("house bots play for no coins")
    rules = RuleOptions(preset=request.preset, mode=request.mode, stake_coins=request.stake_coins)
    try:
        return read_options(rules)
    except MalformedError as fault:
        raise BadRequestError(str(fault)) from None


def read_uuid(text: str, field: str) -> str:
    """A UUID in its one form. Raises `BadRequestError`."""
    try:
        if len(text) == 36 and str(uuid.UUID(text)) == text.lower():
            return text.lower()
    except ValueError:
        pass
    raise BadRequestError(f"{field} is a UUID")


def write_room(room: Room, now_ms: int) -> wire.Room:
    """The room as those in it see it."""
    message = wire.Room(
        room_id=room.room_id,
        code=room.code,
        state=_STATES[room.state],
        options=write_options(room.options),
        host_account_id=room.host.account.account_id if room.host is not None else "",
        seats=map(_write_sitter, room.sitters),
        again_of_table_id=room.again_of,
    )
    if room.is_quick and room.state is RoomState.WAITING and not room.options.stake:
        message.remaining_ms = max(0, room.deadline_ms - now_ms)
    if message.state == wire.ROOM_STATE_STARTED:
        message.table_id = room.table_id
    return message


def write_live_table(room: Room, account_id: str) -> wire.LiveTable:
    """The table that the room became."""
    sitter = room.sitter(account_id)
    return wire.LiveTable(
        table_id=room.table_id,
        seat=0 if sitter is None else sitter.seat,
        options=write_options(room.options),
        created_at_ms=room.made_ms,
    )


def write_match(match: FinishedMatch, seat: int) -> history.HistoryMatch:
    """A match as who had that seat finds it in the history."""
    rules = write_options(preset_options(match.preset, match.mode))
    return history.HistoryMatch(
        match_id=match.match_id,
        preset=rules.preset,
        mode=rules.mode,
        seats=[history.HistorySeat(account_id=player.account_id, display_name=player.name) for player in match.seats],
        seat=seat,
        total_half_points=match.totals,
        winner_team=match.winner_team,
        ended_at_ms=match.ended_ms,
    )


def _write_sitter(sitter: Sitter) -> wire.RoomSeat:
    account = sitter.account
    return wire.RoomSeat(seat=sitter.seat, account_id=account.account_id, display_name=account.name, bot=account.bot)
