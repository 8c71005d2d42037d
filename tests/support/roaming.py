"""Players who go on when the process that runs their table does not: they watch anew, and send again what was not
answered, as docs/api.md tells clients to.
"""

import asyncio
import itertools
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import grpc
from banakil.table.v1 import seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import STAGE_DEAL

from shared.codec.actions import write_action
from shared.codec.options import read_options, write_options
from shared.codec.views import read_deal_view
from shared.kit.clients import answer, bearer, received
from shared.kit.clock import RealClock
from shared.kit.identity import TokenIssuer
from shared.kit.status import ApiError
from shared.rules.actions import Discard, Draw, SeatAction
from shared.rules.cards import bag_faces
from shared.rules.options import Options
from shared.rules.state import DealState
from shared.rules.views import seat_state
from tests.support.contributing import Contributor
from tests.support.following import Client
from tests.support.kit import PATIENCE_S

ATTEMPT_S = 2.0
AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
LATE = ("CONTRIBUTION_NOT_AWAITED", "STALE_CEREMONY", "TABLE_CLOSED")


class Played(NamedTuple):
    """An action that was accepted."""

    command_id: str
    revision: int
    retries: int
    owner_address: str
    answered_s: float
    """`time.monotonic` then."""


class Roamer:
    """A player's seat. It watches until it leaves."""

    def __init__(self, channel: grpc.aio.Channel, table_id: str, account: str, token: str) -> None:
        self.client = Client()
        self.table_id = table_id
        self.account = account
        self.latest = wire.WatchResponse()
        self.first_updates: list[wire.WatchResponse] = []
        """Of each Watch that it had."""
        self.ends: list[tuple[float, str]] = []
        """When a Watch ended, and with which code."""
        self._channel = channel
        self._token = token
        self._stub: Any = TableServiceStub(channel)
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        self._watching = asyncio.create_task(self._keep_watching())
        await self.until(lambda: bool(self.first_updates))

    async def leave(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])

    async def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        async with asyncio.timeout(within_s):
            while not holds():
                if self._watching is not None and self._watching.done():
                    self._watching.result()
                    raise AssertionError("it watches no more")
                self._changed.clear()
                await self._changed.wait()

    async def reach(self, revision: int) -> None:
        """Returns once that revision is seen."""
        await self.until(lambda: self.client.revision >= revision)

    @property
    def number(self) -> int:
        return self.client.view.viewer_seat

    @property
    def deadline_ms(self) -> int:
        return self.latest.server_now_ms + self.latest.remaining_ms

    @property
    def state(self) -> DealState | None:
        """The deal as this seat knows it, where it is to act."""
        view = self.client.view
        if view.stage != STAGE_DEAL or view.deal.turn_seat != view.viewer_seat:
            return None
        state = seat_state(read_deal_view(view.deal, read_options(view.options), view.viewer_seat))
        return None if state.reshuffle_due else state

    def request(self, action: SeatAction) -> wire.ActRequest:
        """Asks for an action in the turn that is seen."""
        deal = self.client.view.deal
        return wire.ActRequest(
            table_id=self.table_id,
            command_id=str(uuid.uuid4()),
            deal_no=deal.deal_no,
            turn_no=deal.turn_no,
            action=write_action(action),
        )

    async def act(self, action: SeatAction) -> Played:
        """Has an action of the turn that is seen accepted, however often it has to be sent."""
        request = self.request(action)
        async with asyncio.timeout(PATIENCE_S):
            for retries in itertools.count():
                try:
                    acted = await answer(self._stub.Act(request, metadata=bearer(self._token), timeout=ATTEMPT_S))
                except ApiError as fault:
                    await _wait_as_told(fault)
                    continue
                return Played(request.command_id, acted.revision, retries, acted.owner_address, time.monotonic())
        raise AssertionError

    async def _keep_watching(self) -> None:
        while True:
            request = wire.WatchRequest(table_id=self.table_id, last_revision=self.client.revision)
            updates = self._stub.Watch(request, metadata=bearer(self._token))
            contributor, is_first = Contributor(), True
            try:
                async for update in received(updates):
                    self.client.take(update.SerializeToString())
                    self.latest = update
                    if is_first:
                        self.first_updates.append(update)
                    is_first = False
                    self._changed.set()
                    for due in contributor.due(self.client.view):
                        await self._contribute(due)
                return
            except ApiError as fault:
                self.ends.append((time.monotonic(), fault.code))
                await _wait_as_told(fault)
            finally:
                updates.cancel()

    async def _contribute(self, request: Any) -> None:
        try:
            await answer(self._stub.Contribute(request, metadata=bearer(self._token), timeout=ATTEMPT_S))
        except ApiError as fault:
            if fault.status not in AWAY and fault.code not in LATE:
                raise


async def _wait_as_told(error: ApiError) -> None:
    """Raises what is no reason to send it again."""
    if error.status not in AWAY and error.code not in ("RATE_LIMITED", "OVERLOADED"):
        raise error
    await RealClock().sleep_ms(50 if error.retry_after_ms is None else error.retry_after_ms)


async def make_table(
    channel: grpc.aio.Channel, lobby: TokenIssuer, options: Options, *people: str, table_id: str = ""
) -> str:
    """Has a table made, wherever that is."""
    request = seating_pb2.CreateRequest(
        table_id=table_id or str(uuid.uuid4()),
        options=write_options(options),
        seats=[seating_pb2.SeatAssignment(account_id=name, display_name=name[:24]) for name in people],
    )
    metadata = bearer(lobby.for_service("table").text)
    await answer(TableServiceStub(channel).Create(request, metadata=metadata, timeout=10))
    return request.table_id


@asynccontextmanager
async def seated(
    channel: grpc.aio.Channel, lobby: TokenIssuer, options: Options, *people: str
) -> AsyncIterator[list[Roamer]]:
    """A new table with its players, in the order of their seats, whose first deal has begun and everybody is there."""
    table_id = await make_table(channel, lobby, options, *people)
    roamers = [Roamer(channel, table_id, name, lobby.for_account(name).text) for name in people]
    try:
        await asyncio.gather(*(roamer.watch() for roamer in roamers))
        for roamer in roamers:
            await roamer.until(lambda roamer=roamer: _is_settled(roamer))  # type: ignore[misc]  # its own
        yield roamers
    finally:
        await asyncio.gather(*(roamer.leave() for roamer in roamers))


def _is_settled(roamer: Roamer) -> bool:
    view = roamer.client.view
    return view.HasField("deal") and not any(seat.away for seat in view.seats)


def mover(players: list[Roamer]) -> tuple[Roamer, DealState]:
    """Whose turn it is, and the deal as it is seen from there."""
    return next((player, state) for player in players if (state := player.state) is not None)


def plain(state: DealState) -> SeatAction:
    """The plainest move: draws, then throws."""
    return Draw(state.turn) if state.phase == "draw" else Discard(state.turn, bag_faces(state.hands[state.turn])[0])
