"""Any process of the table service answers for any table: what is not its own it passes on to the owner.

One hop at the most. Who was passed on is never passed on again: it is refused, the one who passed it on looks for the
owner anew, and tries that once.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Final, TypeVar

import grpc
from banakil.table.v1 import seating_pb2, spectating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from services.table.ownership import Ownership
from services.table.refusals import DrainingError, ElsewhereError, OverloadedError
from shared.kit.clients import Channels, answer, forwarded
from shared.kit.identity import Role
from shared.kit.rpc_context import forwarder
from shared.kit.status import ApiError

MOST_CALLS: Final = 2_000
"""Passed on and not answered yet."""
MOST_WATCHES: Final = 5_000
RETRY_AFTER_MS: Final = 250
ATTEMPTS: Final = 2
_SERVICE: Final = "/banakil.table.v1.TableService/"
_AWAY: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
_T = TypeVar("_T")
_R = TypeVar("_R", wire.WatchRequest, spectating_pb2.SpectateRequest)


class Forwarding:
    """Passes calls on, as their callers'."""

    def __init__(self, channels: Channels, ownership: Ownership) -> None:
        self._channels = channels
        self._ownership = ownership
        self._calls = Room(MOST_CALLS)
        self._watches = Room(MOST_WATCHES)

    async def answer(
        self, method: str, request: Any, here: Callable[[], Awaitable[_T]], stub_of: Any = TableServiceStub
    ) -> _T:
        """What this process answers, or else the table's owner. Raises what either raises."""
        address = ""
        for _ in range(ATTEMPTS):
            try:
                return await here()
            except ElsewhereError as elsewhere:
                self._check(elsewhere, refused_by=address)
                address = elsewhere.owner_address
            try:
                answered: _T = await self.call(address, method, request, stub_of)
            except _AwayError as away:
                address = self._look_again(request.table_id, address, away)
            else:
                return answered
        raise DrainingError

    async def call(self, address: str, method: str, request: Any, stub_of: Any = TableServiceStub) -> Any:
        """What the process at this address answers. Raises ``DrainingError`` where it is not there or not the owner."""
        with self._calls.taken():
            stub = stub_of(self._channels.to(address, Role.TABLE.value))
            return await _answered(getattr(stub, method)(request, metadata=forwarded()))

    async def placed(self, request: seating_pb2.CreateRequest) -> seating_pb2.CreateResponse | None:
        """Has a table made where the fewest are; ``None`` where that is here.

        It is also made here where the other process does not answer: whoever comes second finds it made.
        """
        address = "" if is_forwarded() else self._ownership.place()
        if not address:
            return None
        try:
            made: seating_pb2.CreateResponse = await self.call(address, "Create", request)
        except _AwayError:
            return None
        return made

    async def watch(
        self,
        method: str,
        request: _R,
        here: Callable[[], Awaitable[_T]],
        updates_of: Callable[[_T, _R], AsyncGenerator[bytes, None]],
    ) -> AsyncGenerator[bytes, None]:
        """The updates of a Watch or Spectate: ``updates_of`` what is found ``here``, or those that the owner sends."""
        address = ""
        for _ in range(ATTEMPTS):
            try:
                found = await here()
            except ElsewhereError as elsewhere:
                self._check(elsewhere, refused_by=address)
                address = elsewhere.owner_address
                updates = self._watched(address, method, request)
            else:
                updates = updates_of(found, request)
            began = False
            try:
                async with aclosing(updates):
                    async for update in updates:
                        began = True
                        yield update
            except _AwayError as away:
                address = self._look_again(request.table_id, address, away)
                if began:
                    raise
            else:
                return
        raise DrainingError

    async def _watched(self, address: str, method: str, request: _R) -> AsyncGenerator[bytes, None]:
        channel = self._channels.to(address, Role.TABLE.value)
        # As bytes: they are passed on as they come.
        stub: Any = channel.unary_stream(_SERVICE + method, type(request).SerializeToString, None)
        with self._watches.taken():
            updates = stub(request, metadata=forwarded())
            try:
                while (update := await _answered(updates.read())) is not grpc.aio.EOF:
                    yield update
            finally:
                updates.cancel()

    def _look_again(self, table_id: str, address: str, away: "_AwayError") -> str:
        """Forget where a table was thought to be; the address of who said that it is not there."""
        self._ownership.forget(table_id)
        if not away.is_lost:
            return address
        self._channels.renew(address, Role.TABLE.value)  # it may have started anew
        return ""

    def _check(self, elsewhere: ElsewhereError, refused_by: str) -> None:
        """Raises where it is not to be passed on."""
        if is_forwarded() or elsewhere.owner_address == refused_by:
            raise elsewhere


class _AwayError(DrainingError):
    """Who was asked is not the owner, or is not there (``is_lost``)."""

    def __init__(self, *, is_lost: bool) -> None:
        super().__init__()
        self.is_lost = is_lost


class Room:
    """A limit on how many there are at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """One more, for as long as the block lasts. Raises ``OverloadedError``."""
        if self._now >= self._most:
            raise OverloadedError(RETRY_AFTER_MS)
        self._now += 1
        try:
            yield
        finally:
            self._now -= 1


def is_forwarded() -> bool:
    """Whether the call comes from another process of the table service."""
    via = forwarder()
    return via is not None and via.role is Role.TABLE


async def _answered(call: Awaitable[_T]) -> _T:
    try:
        return await answer(call)
    except ApiError as error:
        is_grpcs = error.code == error.status.name  # what gRPC itself says of a failure names addresses inside
        if error.status in _AWAY or is_grpcs:
            raise _AwayError(is_lost=is_grpcs) from None
        raise
