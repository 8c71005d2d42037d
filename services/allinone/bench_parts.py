"""What one action costs by part, each measured apart, over the moves that a bench has just journalled."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from banakil.table.v1 import table_pb2 as wire

from services.table.commands import Play
from services.table.decide import decide
from services.table.events import Moved
from services.table.evolve import evolve
from services.table.journal import FIRST_EPOCH, StoredTable
from services.table.journal_rows import write_entry
from services.table.moment import Now
from services.table.replaying import at_the_start
from services.table.ring import Ring, Step
from services.table.sqlite_journal import open_journal
from services.table.state import TableState
from services.table.stepping import entry_of, make_step
from services.table.watching import MOST_UNSENT, StreamWatcher, Watchers
from shared.codec.actions import read_action, write_action
from shared.kit.clock import RealClock
from shared.kit.identity import Role, TokenIssuer, TokenVerifier
from shared.kit.keys import SigningKey
from shared.kit.sealing import SealingKeys
from shared.rules import events as rules
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo

ENTRIES: Final = 2_000
SEATS: Final = 4
T = TypeVar("T")


class Move(NamedTuple):
    """A move as it was played."""

    before: TableState
    play: Play
    request: bytes
    step: Step


async def played_moves(data: Path) -> list[list[Move]]:
    """Of each table in this data folder the moves of its last deal."""
    sealing = SealingKeys.load(data / "keys" / "table-seal")
    async with open_journal(data / "table.db", sealing, lambda: None) as journal:
        tables = [await journal.load(table_id) for table_id in await journal.live_tables()]
    return [moves for table in tables if table is not None and table.start is not None and (moves := _moves(table))]


def action_parts(played: Sequence[Sequence[Move]], data: Path) -> dict[str, float]:
    """Microseconds of one action, by part: the mean over moves that were journalled in this data folder."""
    sealing = SealingKeys.load(data / "keys" / "table-seal")
    moves = [move for table in played for move in table][:ENTRIES]
    now = Now(RealClock().now_ms())
    verify = _verifier(data)
    entries = [entry_of(move.step, move.play, f"{n}", b"d" * 16, now.ms, FIRST_EPOCH) for n, move in enumerate(moves)]
    watchers = Watchers(RealClock(), lambda *_: None)
    for seat in range(SEATS):
        watchers.open(moves[0].before, Ring(), StreamWatcher(seat, f"account:{seat}"), 0)

    return {
        "token": _mean_us(verify, moves),
        "read_request": _mean_us(_read, moves),
        "decide": _mean_us(lambda move: decide(move.before, move.play, now), moves),
        "evolve": _mean_us(lambda move: make_step(move.before, move.step.events, move.play), moves),
        "encode_entry": _mean_us(lambda entry: write_entry(entry, sealing), entries),
        "views_of_four": _mean_us(lambda move: watchers.tell(move.step), moves[: MOST_UNSENT // 2]),
    }


def _moves(stored: StoredTable) -> list[Move]:
    """The moves of a table's last deal, with what was asked for."""
    state = at_the_start(stored)
    assert state is not None
    moves = []
    for entry in stored.entries:
        before = state
        states = [state]
        for event in entry.events:
            states.append(evolve(states[-1], event, entry.hidden))
        state = states[-1] = states[-1]._replace(revision=entry.revision)
        action = _asked(entry.events[0].event) if isinstance(entry.events[0], Moved) else None
        if action is not None and before.deal is not None:
            play = Play(before.seats[action.seat].account, before.deal_no, before.deal.turn_no, action)
            moves.append(Move(before, play, _request(play, before.table_id), Step(entry.events, tuple(states))))
    return moves


def _asked(move: rules.Event) -> SeatAction | None:
    """The action that the event answers; ``None`` for the clock's."""
    match move:
        case rules.Drew(seat):
            return Draw(seat)
        case rules.Took(seat, depth):
            return Take(seat, depth)
        case rules.Passed(seat):
            return Pass(seat)
        case rules.Laid(seat, melds):
            return Lay(seat, tuple(meld.cards for meld in melds))
        case rules.Amended(seat, meld):
            return Amend(seat, meld.id, meld.cards)
        case rules.Undone(seat):
            return Undo(seat)
        case rules.Discarded(seat, card, by_clock):
            return None if by_clock else Discard(seat, card)
        case _:
            return None


def _request(play: Play, table_id: str) -> bytes:
    request = wire.ActRequest(table_id=table_id, command_id=table_id, deal_no=play.deal_no, turn_no=play.turn_no)
    request.action.CopyFrom(write_action(play.action))
    return request.SerializeToString()


def _read(move: Move) -> object:
    request = wire.ActRequest.FromString(move.request)
    hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
    return read_action(request.action, 0)


def _verifier(data: Path) -> Callable[[Move], object]:
    clock = RealClock()
    key = SigningKey.load(data / "keys" / "private" / f"{Role.LOBBY.value}.jwk")
    token = TokenIssuer(Role.LOBBY.value, key, clock).for_account("bench").text
    verifier = TokenVerifier.from_directory(clock, data / "keys" / "public", [Role.TABLE.value])
    return lambda move: verifier.verify(token)


def _mean_us(work: Callable[[T], object], over: Sequence[T]) -> float:
    for one in over[:50]:
        work(one)
    began = perf_counter()
    for one in over:
        work(one)
    return round((perf_counter() - began) / len(over) * 1e6, 1)
