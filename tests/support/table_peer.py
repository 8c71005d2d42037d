"""A table service that plays nothing: a real gRPC peer that notes which tables it is asked for."""

import asyncio
from typing import Any

import grpc
from banakil.table.v1 import seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from banakil.table.v1.views_pb2 import STAGE_CLOSED, STAGE_DEAL, View

from shared.codec.methods import admitted_roles
from shared.kit.app import App
from shared.kit.status import ApiError, IdReusedError, MalformedError, UnknownError


class TablePeer(TableServiceServicer):
    """Keeps tables by id as the real one does: the same again is the same, another body is refused."""

    def __init__(self) -> None:
        self.made: dict[str, seating_pb2.CreateRequest] = {}
        self.calls: list[seating_pb2.CreateRequest] = []
        self.views: dict[str, View] = {}
        self.refusal: ApiError | None = None
        self.answers = asyncio.Event()
        """While it is not set, tables are made but nobody is told."""
        self.answers.set()
        self.asked = asyncio.Event()

    async def Create(self, request: seating_pb2.CreateRequest, _context: Any) -> seating_pb2.CreateResponse:  # noqa: N802
        self.calls.append(request)
        self.asked.set()
        if self.refusal is not None:
            raise self.refusal
        if self.made.setdefault(request.table_id, request) != request:
            raise IdReusedError("DUPLICATE_COMMAND_BODY")
        self.views.setdefault(request.table_id, View(stage=STAGE_DEAL, options=request.options))
        await self.answers.wait()
        return seating_pb2.CreateResponse(revision=1)

    async def GetView(self, request: wire.GetViewRequest, _context: Any) -> wire.GetViewResponse:  # noqa: N802
        if request.table_id not in self.views:
            raise UnknownError("NO_SUCH_TABLE")
        return wire.GetViewResponse(view=self.views[request.table_id])

    def refuse(self, status: grpc.StatusCode | None) -> None:
        """Refuses what is asked from now on; None: no more."""
        self.refusal = None if status is None else MalformedError("BAD_REQUEST", status=status)

    def close(self, table_id: str) -> None:
        self.views[table_id].stage = STAGE_CLOSED

    def seats(self, table_id: str) -> list[str]:
        """The accounts in its seats, empty where house bots are to come."""
        return [seat.account_id for seat in self.made[table_id].seats]

    async def _refuse(self, _request: object, _context: Any) -> None:
        raise UnknownError("NO_SUCH_TABLE")

    Act: Any = _refuse
    Ask: Any = _refuse
    Contribute: Any = _refuse
    Watch: Any = _refuse
    Spectate: Any = _refuse
    Say: Any = _refuse
    Relay: Any = _refuse
    GetHints: Any = _refuse
    GetRecord: Any = _refuse
    GetSeriesRecord: Any = _refuse
    TakeSeat: Any = _refuse

    async def bind(self, app: App) -> None:
        app.add_service(add_TableServiceServicer_to_server, self, admitted_roles())
