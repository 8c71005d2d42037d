"""TableService: reads requests, calls the tables, writes answers."""

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, Final
from uuid import UUID

from banakil.table.v1 import (
    contributing_pb2,
    hints_pb2,
    records_pb2,
    saying_pb2,
    seating_pb2,
    spectating_pb2,
    wishes_pb2,
)
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceServicer

from services.table.commands import Create, TakeVacancy
from services.table.forwarding import Forwarding
from services.table.journal import Journal
from services.table.live import LiveTable
from services.table.player_calls import PlayerCalls, account_of, check_uuid, digest_of, read_id
from services.table.records import find_record
from services.table.refusals import TableClosedError, VacancyTakenError
from services.table.relay import Relay
from services.table.seats import seat_to_play
from services.table.series_records import find_series
from services.table.state import Occupant, Seat, Stage, TableState
from services.table.tables import Tables
from services.table.watching import StreamWatcher
from services.table.wire import write_view
from shared.codec.bot_levels import read_bot_level
from shared.codec.hints import write_hints
from shared.codec.options import read_options
from shared.fairness.encoding import ID_BYTES
from shared.kit.clock import Clock
from shared.kit.limits import BoundedDict
from shared.kit.rpc_context import forwarder, principal
from shared.kit.status import MalformedError
from shared.rules.hints import Hints, seat_hints
from shared.rules.refusal import Code, RefusedError
from shared.rules.views import view_of

NAME_CHARS: Final = 24
ACCOUNT_CHARS: Final = 64
CACHED_HINTS: Final = 2_000

NewRelay = Callable[[PlayerCalls], Relay]


class TableServicer(TableServiceServicer):
    """See protos/banakil/table/v1/table.proto for what each call does and refuses."""

    def __init__(
        self, tables: Tables, journal: Journal, clock: Clock, forwarding: Forwarding, new_relay: NewRelay
    ) -> None:
        self._tables = tables
        self._journal = journal
        self._forwarding = forwarding
        self._clock = clock
        self._play = PlayerCalls(tables, clock)
        self._new_relay = new_relay
        self._hints: BoundedDict[tuple[str, int, int], Hints] = BoundedDict(CACHED_HINTS)

    async def Create(self, request: seating_pb2.CreateRequest, context: Any) -> seating_pb2.CreateResponse:  # noqa: N802
        """Makes a table."""
        check_uuid(request.table_id)
        options = read_options(request.options)
        if len(request.seats) != options.seats or request.host_seat >= options.seats:
            raise MalformedError("BAD_REQUEST", f"this table has {options.seats} seats")
        if options.stake and not all(seat.account_id and not seat.bot for seat in request.seats):
            raise MalformedError("BAD_REQUEST", "at a coin table every seat is a person's (R11.2)")
        accounts = [seat.account_id for seat in request.seats if seat.account_id]
        if len(set(accounts)) != len(accounts):
            raise MalformedError("BAD_REQUEST", "an account has one seat")
        digest = digest_of(request)
        # Drawn from the table's id, so that a resend names the same match and vacancies.
        seed = hashlib.sha256(b"banakil/table/" + UUID(request.table_id).bytes).digest()
        match_id = seed[:ID_BYTES]
        level = read_bot_level(request.bot_level)
        seats = tuple(_seat(seat, f"{seed[16:].hex()}:{number}", level) for number, seat in enumerate(request.seats))
        command = Create(options, seats, request.host_seat, match_id, match_id, request.private)
        made = await self._forwarding.placed(request)
        if made is not None:
            return made
        return seating_pb2.CreateResponse(revision=await self._tables.create(request.table_id, command, digest))

    async def Act(self, request: wire.ActRequest, context: Any) -> wire.ActResponse:  # noqa: N802
        """Plays an action."""
        account = account_of(principal())
        return await self._forwarding.answer("Act", request, lambda: self._play.act(account, request))

    async def Ask(self, request: wishes_pb2.AskRequest, context: Any) -> wishes_pb2.AskResponse:  # noqa: N802
        """Grants a wish."""
        account = account_of(principal())
        return await self._forwarding.answer("Ask", request, lambda: self._play.ask(account, request))

    async def Contribute(  # noqa: N802
        self, request: contributing_pb2.ContributeRequest, context: Any
    ) -> contributing_pb2.ContributeResponse:
        """Adds to a shuffle."""
        account = account_of(principal())
        return await self._forwarding.answer("Contribute", request, lambda: self._play.contribute(account, request))

    async def Watch(self, request: wire.WatchRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """Streams the caller's view, each update encoded already."""
        account = account_of(principal())
        watching = partial(_updates, account)
        updates = self._forwarding.watch("Watch", request, lambda: self._play.seated(account, request), watching)
        async with aclosing(updates):
            async for update in updates:
                yield update

    async def Spectate(self, request: spectating_pb2.SpectateRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """Streams what is public, each update encoded already."""
        account = account_of(principal())
        updates = self._forwarding.watch(
            "Spectate", request, lambda: self._play.spectated(account, request), partial(_public_updates, account)
        )
        async with aclosing(updates):
            async for update in updates:
                yield update

    async def Say(self, request: saying_pb2.SayRequest, context: Any) -> saying_pb2.SayResponse:  # noqa: N802
        """Says a phrase."""
        account = account_of(principal())
        return await self._forwarding.answer("Say", request, lambda: self._play.say(account, request))

    async def Relay(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """Carries many players' watches and actions."""
        async for batch in self._new_relay(self._play).run(request_iterator):
            yield batch

    async def GetView(self, request: wire.GetViewRequest, context: Any) -> wire.GetViewResponse:  # noqa: N802
        """Says what is public."""
        self._admit_read()
        return await self._forwarding.answer("GetView", request, lambda: self._view(request))

    async def _view(self, request: wire.GetViewRequest) -> wire.GetViewResponse:
        state = await self._tables.state_of(request.table_id)
        now_ms = self._clock.now_ms()
        answer = wire.GetViewResponse(server_now_ms=now_ms, view=write_view(state, None))
        if (table := self._tables.running(request.table_id)) is not None:
            answer.spectators = table.watchers.spectators
        if state.deadline_ms is not None:
            answer.remaining_ms = max(0, state.deadline_ms - now_ms)
        return answer

    async def GetHints(self, request: hints_pb2.GetHintsRequest, context: Any) -> hints_pb2.GetHintsResponse:  # noqa: N802
        """Says what the caller's hand could do."""
        self._admit_read()
        account = account_of(principal())
        return await self._forwarding.answer("GetHints", request, lambda: self._hinted(account, request))

    async def _hinted(self, account: str, request: hints_pb2.GetHintsRequest) -> hints_pb2.GetHintsResponse:
        state = await self._tables.state_of(request.table_id)
        seat = seat_to_play(state, account)
        return hints_pb2.GetHintsResponse(revision=state.revision, hints=write_hints(self._hints_of(state, seat)))

    async def GetRecord(self, request: records_pb2.GetRecordRequest, context: Any) -> records_pb2.GetRecordResponse:  # noqa: N802
        """Gives a match's record."""
        self._admit_reader(context)
        look = partial(self._tables.state_of, wherever=True)
        record, complete = await find_record(self._journal, look, read_id(request.match_id))
        return records_pb2.GetRecordResponse(record_json=record, complete=complete)

    async def GetSeriesRecord(  # noqa: N802
        self, request: records_pb2.GetSeriesRecordRequest, context: Any
    ) -> records_pb2.GetSeriesRecordResponse:
        """Gives a series' record."""
        self._admit_reader(context)
        look = partial(self._tables.state_of, wherever=True)
        record, complete = await find_series(self._journal, look, read_id(request.series_id))
        return records_pb2.GetSeriesRecordResponse(record_json=record, complete=complete)

    async def TakeSeat(self, request: seating_pb2.TakeSeatRequest, context: Any) -> seating_pb2.TakeSeatResponse:  # noqa: N802
        """Sits a house bot down."""
        account = account_of(principal())
        return await self._forwarding.answer("TakeSeat", request, lambda: self._seat(account, request))

    async def _seat(self, account: str, request: seating_pb2.TakeSeatRequest) -> seating_pb2.TakeSeatResponse:
        command = TakeVacancy(request.vacancy_id, account, _name(request.display_name))
        # Under whatever name it asks again, the seat is the one that it was given.
        command_id = f"vacancy:{request.vacancy_id}:{account}"
        revision = await self._tables.submit(request.table_id, command, command_id, b"")
        seat = (await self._tables.state_of(request.table_id)).seat_of(account)
        if seat is None:
            raise VacancyTakenError  # it had the seat, until its player was back
        return seating_pb2.TakeSeatResponse(seat=seat, revision=revision)

    def _admit_reader(self, context: Any) -> None:
        """Count a call that needs no account."""
        if principal().account or forwarder() is None:
            self._play.admit_read(principal().account or _host(context))

    def _admit_read(self) -> None:
        caller = principal()
        self._play.admit_read(caller.account or caller.service)

    def _hints_of(self, state: TableState, seat: int) -> Hints:
        if state.stage is Stage.CLOSED:
            raise TableClosedError
        if state.deal is None or state.deal.end is not None:
            raise RefusedError(Code.DEAL_OVER)
        key = (state.table_id, state.revision, seat)
        hints = self._hints.get(key)
        if hints is None:
            found = seat_hints(view_of(state.deal, seat))
            assert found is not None
            hints = self._hints[key] = found
        return hints


def _updates(account: str, seated: tuple[LiveTable, int], request: wire.WatchRequest) -> AsyncGenerator[bytes, None]:
    """A Watch of a table that is run here."""
    table, seat = seated
    return _watched(table, StreamWatcher(seat, account), request.last_revision)


def _public_updates(
    account: str, table: LiveTable, request: spectating_pb2.SpectateRequest
) -> AsyncGenerator[bytes, None]:
    """A Spectate of a table that is run here."""
    return _watched(table, StreamWatcher(None, account), request.last_revision)


async def _watched(table: LiveTable, watcher: StreamWatcher, last_revision: int) -> AsyncGenerator[bytes, None]:
    """The watcher's updates, each encoded already."""
    table.watchers.open(table.state, table.actor.ring, watcher, last_revision)
    try:
        async for update in watcher.updates():
            yield update
    finally:
        table.watchers.close(watcher)


def _host(context: Any) -> str:
    """The address of a caller without a token, without its port. Whoever passes calls on counts them by itself."""
    host: str = context.peer().rpartition(":")[0]
    return host


def _name(text: str) -> str:
    if len(text) > NAME_CHARS or not text.isprintable():
        raise MalformedError("BAD_REQUEST", f"a name has at most {NAME_CHARS} characters, all printable")
    return text


def _seat(given: seating_pb2.SeatAssignment, vacancy: str, bot_level: int) -> Seat:
    if not given.account_id:
        return Seat("", "", Occupant.VACANT, vacancy, bot_level=bot_level)
    if len(given.account_id) > ACCOUNT_CHARS or ":" in given.account_id:
        raise MalformedError("BAD_REQUEST", f"an account has at most {ACCOUNT_CHARS} characters, and no colon")
    occupant = Occupant.BOT if given.bot else Occupant.PERSON
    return Seat(given.account_id, _name(given.display_name), occupant, away=occupant is Occupant.PERSON)
