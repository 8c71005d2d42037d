"""Guests who come to a running platform, and their seats: every byte of a Watch is kept as it came over the wire."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import grpc
from banakil.common.v1.rule_options_pb2 import RuleOptions
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.table.v1 import contributing_pb2, table_pb2
from banakil.table.v1.views_pb2 import STAGE_CLOSED, STAGE_DEAL, View
from google.protobuf.message import Message

from shared.codec.actions import write_action
from shared.codec.options import read_options
from shared.codec.views import read_deal_view
from shared.kit.clients import bearer
from shared.kit.clock import RealClock
from shared.rules.action_text import action_text
from shared.rules.actions import SeatAction
from shared.rules.state import DealState
from shared.rules.views import seat_state
from tests.support.calls import METHODS, Refusal, call, read_refusal
from tests.support.contributing import Contributor
from tests.support.following import Client
from tests.support.kit import PATIENCE_S

WATCH = "/banakil.table.v1.TableService/Watch"


LATE = ("CONTRIBUTION_NOT_AWAITED", "STALE_CEREMONY", "TABLE_CLOSED")


class Guest(NamedTuple):
    """An account of the lobby's."""

    account: str
    name: str
    secret: str
    jwt: str


async def come(channel: grpc.aio.Channel, name: str, *, bot: bool = False) -> Guest:
    """Makes a guest account."""
    made = await call(channel, METHODS["CreateGuest"], accounts_pb2.CreateGuestRequest(display_name=name, bot=bot))
    return Guest(made.account.account_id, made.account.display_name, made.refresh_secret, made.token.jwt)


async def sit_down(channel: grpc.aio.Channel, options: RuleOptions, *guests: Guest) -> str:
    """A table by its link: the first makes the room, the others join it, and house bots get what seats are left."""
    host, *others = guests
    make = lobby_pb2.CreateRoomRequest(command_id=new_id(), options=options)
    room = (await call(channel, METHODS["CreateRoom"], make, host.jwt)).room
    for guest in others:
        room = (await call(channel, METHODS["JoinRoom"], lobby_pb2.JoinRoomRequest(code=room.code), guest.jwt)).room
    start = lobby_pb2.StartRoomRequest(room_id=room.room_id)
    return str((await call(channel, METHODS["StartRoom"], start, host.jwt)).room.table_id)


class Seat:
    """A guest's seat at a table. Use it as a context manager: it watches meanwhile."""

    def __init__(self, channel: grpc.aio.Channel, table_id: str, guest: Guest) -> None:
        self.client = Client()
        self.table_id = table_id
        self.guest = guest
        self.latest = table_pb2.WatchResponse()
        self.acted: list[str] = []
        """The actions that were accepted, as a record writes them."""
        self._channel = channel
        self._changed = asyncio.Event()
        self._contributor = Contributor()
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Seat":
        await self.watch()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    async def watch(self) -> None:
        """Watches from the last revision seen on; returns once the first update is there."""
        seen = len(self.client.updates)
        self._contributor = (
            Contributor()
        )  # what was sent before may have been lost with the process that it was sent to
        self._watching = asyncio.create_task(self._follow())
        await self.until(lambda: len(self.client.updates) > seen)

    async def _watch_or_refusal(self) -> Refusal | None:
        try:
            await self.watch()
        except grpc.aio.AioRpcError as fault:
            return read_refusal(fault)
        return None

    async def leave(self) -> None:
        """Ends the Watch."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    async def end(self) -> grpc.aio.AioRpcError | None:
        """How the Watch ended by itself: what it was refused or broken with, if it was."""
        assert self._watching is not None
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.wait([self._watching])
        fault = self._watching.exception()
        assert fault is None or isinstance(fault, grpc.aio.AioRpcError)
        return fault

    async def look_again(self) -> View:
        """A fresh snapshot, by a Watch that takes the place of the one before without a moment's absence."""
        before, self.client = self._watching, Client()
        await patiently(self._watch_or_refusal)
        if before is not None:
            await asyncio.wait([before])
            assert isinstance(before.exception(), grpc.aio.AioRpcError)
        return self.view

    async def _follow(self) -> None:
        client = self.client
        stub: Any = self._channel.unary_stream(WATCH, table_pb2.WatchRequest.SerializeToString, bytes)
        request = table_pb2.WatchRequest(table_id=self.table_id, last_revision=client.revision)
        updates = stub(request, metadata=bearer(self.guest.jwt), wait_for_ready=True)
        try:
            async for update in updates:
                client.take(update)
                self.latest = table_pb2.WatchResponse.FromString(update)
                self._changed.set()
                for due in self._contributor.due(client.view):
                    await self._contribute(due)
        finally:
            updates.cancel()
            self._changed.set()

    async def _contribute(self, request: contributing_pb2.ContributeRequest) -> None:
        """Plays the seat's part in a shuffle; what came too late is of no use."""
        try:
            await call(self._channel, METHODS["Contribute"], request, self.guest.jwt)
        except grpc.aio.AioRpcError as fault:
            if fault.code() is not grpc.StatusCode.UNAVAILABLE and read_refusal(fault).code not in LATE:
                raise

    async def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        """Returns once that is so. Raises what has ended the Watch."""
        async with asyncio.timeout(within_s):
            while not holds():
                if self._watching is not None and self._watching.done():
                    self._watching.result()
                    assert holds(), "the Watch has ended"
                    return
                self._changed.clear()
                await self._changed.wait()

    async def reach(self, revision: int) -> None:
        """Returns once that revision is seen."""
        await self.until(lambda: self.client.revision >= revision)

    @property
    def view(self) -> View:
        return self.client.view

    @property
    def number(self) -> int:
        return self.view.viewer_seat

    @property
    def closed(self) -> bool:
        return self.view.stage == STAGE_CLOSED

    @property
    def deadline_ms(self) -> int:
        """When the clock that runs is out, as the latest update says: the server's clock plus what remains."""
        return self.latest.server_now_ms + self.latest.remaining_ms

    @property
    def state(self) -> DealState | None:
        """The deal as the rules have it, as far as this seat knows, where the seat is to act."""
        view = self.view
        if view.stage != STAGE_DEAL or view.deal.turn_seat != self.number:
            return None
        state = seat_state(read_deal_view(view.deal, read_options(view.options), self.number))
        return None if state.reshuffle_due else state

    def request(self, action: SeatAction, **fields: Any) -> table_pb2.ActRequest:
        """Asks for an action in the turn that is seen, under an id of its own."""
        deal = self.view.deal
        given = {"deal_no": deal.deal_no, "turn_no": deal.turn_no, "command_id": new_id(), **fields}
        return table_pb2.ActRequest(table_id=self.table_id, action=write_action(action), **given)

    async def call(self, name: str, request: Message) -> Any:
        """An answer or a :class:`Refusal`; where there were too many calls, after the wait that was asked for."""
        return await patiently(lambda: call(self._channel, METHODS[name], request, self.guest.jwt))

    async def act(self, action: SeatAction) -> table_pb2.ActResponse:
        """Has the action played, and seen."""
        answer = await self.call("Act", self.request(action))
        assert isinstance(answer, table_pb2.ActResponse), answer
        self.acted.append(action_text(action))
        await self.reach(answer.revision)
        return answer


def new_id() -> str:
    """For a command that is new."""
    return str(uuid.uuid4())


async def patiently(ask: Callable[[], Awaitable[Any]]) -> Any:
    """What is asked for, once the rate limit allows it."""
    while isinstance(answer := await ask(), Refusal) and answer.code == "RATE_LIMITED":
        assert answer.retry_after_ms is not None
        await RealClock().sleep_ms(answer.retry_after_ms)
    return answer


async def play(seats: Sequence[Seat], choose: Callable[[Seat, DealState], Awaitable[int]]) -> None:
    """Plays the deal that is going on to its end. ``choose`` plays one action and returns the revision it made."""
    deal_no = seats[0].view.deal.deal_no

    def goes_on() -> bool:
        view = seats[0].view
        return view.stage == STAGE_DEAL and view.deal.deal_no == deal_no

    while goes_on():
        revisions = {seat.client.revision for seat in seats}
        revision = max(revisions)
        if len(revisions) == 1:
            found = [(seat, state) for seat in seats if (state := seat.state) is not None]
            revision = await choose(*found[0]) if found else revision + 1
        for seat in seats:
            await seat.reach(revision)
