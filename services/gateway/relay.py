"""The gateway's end of Relays (table.proto): every player's watch, actions, wishes and contributions over few streams.

There is one line to the table service as such. A table that another process runs is refused there with that process'
address, and asked for on a line to it, now and from then on. While a line is down, what goes over it ends with
``AwayError``, as calls of their own would; it is opened anew for the next one that asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import grpc
from banakil.table.v1 import contributing_pb2, saying_pb2, spectating_pb2, wishes_pb2
from banakil.table.v1 import table_pb2 as wire

from services.gateway.relay_line import ElsewhereError, LineDownError, RelayedWatch, RelayLine
from shared.kit.limits import BoundedDict
from shared.kit.status import DEPENDENCY_AWAY, ApiError, AwayError
from shared.kit.tasks import spawn

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

MOST_HOPS: Final = 3
"""How often one request is sent on before it is given up: a table that moves comes to rest."""
MOST_OWNERS: Final = 50_000
"""Tables of which it is remembered where they are. Of any other the table service is asked."""
MOST_LINES: Final = 48
RETRY_AFTER_MS: Final = 250
HOME: Final = ""
"""Stands for the address of the table service as such."""

__all__ = ["Relay", "RelayedWatch"]


class Relay:
    """Opens a line when one is needed."""

    def __init__(
        self,
        stub: TableServiceAsyncStub,
        stub_at: Callable[[str], TableServiceAsyncStub] | None = None,
    ) -> None:
        """``stub_at``: for one process of the table service, by its ``host:port``; without it nothing is sent on."""
        self._stub = stub
        self._stub_at = stub_at
        self._lines: dict[str, RelayLine] = {}
        self._owners: BoundedDict[str, str] = BoundedDict(MOST_OWNERS)
        self._closed = False

    def watch(self, token: str, table_id: str, last_revision: int) -> RelayedWatch:
        """The player's view of a table."""
        return self._watched(token, wire.WatchRequest(table_id=table_id, last_revision=last_revision))

    def spectate(self, token: str, table_id: str, last_revision: int) -> RelayedWatch:
        """What is public of a table."""
        return self._watched(token, spectating_pb2.SpectateRequest(table_id=table_id, last_revision=last_revision))

    async def act(self, token: str, request: wire.ActRequest) -> wire.ActResponse:
        """Play an action. Raises :class:`ApiError`; where it is :class:`AwayError` it may have been played."""
        acted: wire.ActResponse = await self._ask(request.table_id, wire.RelayItem(token=token, act=request))
        return acted

    async def contribute(self, token: str, request: contributing_pb2.ContributeRequest) -> None:
        """Add to a shuffle. Raises as :meth:`act` does."""
        await self._ask(request.table_id, wire.RelayItem(token=token, contribute=request))

    async def ask(self, token: str, request: wishes_pb2.AskRequest) -> wishes_pb2.AskResponse:
        """Have a wish granted. Raises as :meth:`act` does."""
        asked: wishes_pb2.AskResponse = await self._ask(request.table_id, wire.RelayItem(token=token, ask=request))
        return asked

    async def say(self, token: str, request: saying_pb2.SayRequest) -> None:
        """Say something. Raises as :meth:`act` does."""
        await self._ask(request.table_id, wire.RelayItem(token=token, say=request))

    async def close(self) -> None:
        """End all lines."""
        self._closed = True
        await asyncio.gather(*(line.close() for line in list(self._lines.values())))

    def _watched(self, token: str, request: wire.WatchRequest | spectating_pb2.SpectateRequest) -> RelayedWatch:
        watch = RelayedWatch(token, request, self._moved)
        self._line_to(request.table_id).watch(watch)
        return watch

    async def _ask(self, table_id: str, item: wire.RelayItem) -> Any:
        for _ in range(MOST_HOPS):
            try:
                return await self._line_to(table_id).ask(item)
            except ElsewhereError as elsewhere:
                self._learn(table_id, elsewhere.address)
            except (ApiError, asyncio.CancelledError) as fault:
                # Who cancels has waited long enough: whoever was asked may have stopped without a word.
                if not isinstance(fault, ApiError) or fault.status is grpc.StatusCode.UNAVAILABLE:
                    self._learn(table_id, HOME)
                raise
        raise _on_the_move()

    def _moved(self, watch: RelayedWatch, address: str, error: ApiError) -> None:
        """A Watch is refused, as the table is elsewhere; or, without an address, it has ended where it was."""
        table_id = watch.request.table_id
        self._learn(table_id, address)
        again = address != HOME or (isinstance(error, LineDownError) and watch.may_be_sent_on)
        watch.hops += 1
        if not again or self._closed:
            watch.end(error)
        elif watch.hops > MOST_HOPS:
            watch.end(_on_the_move())
        else:
            self._line_to(table_id).watch(watch)

    def _learn(self, table_id: str, address: str) -> None:
        if address != HOME and self._stub_at is not None:
            self._owners[table_id] = address
        else:
            self._owners.pop(table_id, None)

    def _line_to(self, table_id: str) -> RelayLine:
        address = self._owners.get(table_id, HOME)
        line = self._lines.pop(address, None)
        if line is None or line.is_down:
            line = self._open(address)
        self._lines[address] = line  # the last one is the one used last
        if len(self._lines) > MOST_LINES:
            spawn(self._lines.pop(next(iter(self._lines))).close(), "close relay")
        return line

    def _open(self, address: str) -> RelayLine:
        if address == HOME or self._stub_at is None:
            return RelayLine(self._stub, wait_for_ready=True)
        return RelayLine(self._stub_at(address), on_down=lambda: self._forget(address))

    def _forget(self, address: str) -> None:
        """A process is gone; where its tables are now the table service will say."""
        for table_id in [table_id for table_id, owner in self._owners.items() if owner == address]:
            del self._owners[table_id]


def _on_the_move() -> AwayError:
    return AwayError(DEPENDENCY_AWAY, "the table is on its way to another process", retry_after_ms=RETRY_AFTER_MS)
