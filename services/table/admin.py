"""AdminService: what operators ask of tables. What is hidden from everybody is hidden from them too."""

import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from banakil.table.v1 import admin_pb2 as wire
from banakil.table.v1.admin_pb2_grpc import AdminServiceServicer, AdminServiceStub

from services.table import commands
from services.table.forwarding import Forwarding, is_forwarded
from services.table.listing import live_tables
from services.table.ownership import Ownership
from services.table.player_calls import check_uuid
from services.table.pods import Pod
from services.table.refusals import NoOtherPodError, UnknownPodError
from services.table.tables import Tables
from services.table.wire import write_view
from shared.kit.audit import Audit
from shared.kit.clock import Clock
from shared.kit.database import Database
from shared.kit.identity import Role
from shared.kit.rpc_context import principal
from shared.kit.status import MalformedError

PAGE: Final = 100
MOST_ON_A_PAGE: Final = 500
REASON_CHARS: Final = 200
POD_CHARS: Final = 200
_T = TypeVar("_T")


class AdminServicer(AdminServiceServicer):
    """See protos/banakil/table/v1/admin.proto for what each call does and refuses."""

    def __init__(self, tables: Tables, database: Database, clock: Clock, forwarding: Forwarding, audit: Audit) -> None:
        self._tables = tables
        self._database = database
        self._clock = clock
        self._forwarding = forwarding
        self._audit = audit

    async def ListTables(self, request: wire.ListTablesRequest, context: Any) -> wire.ListTablesResponse:  # noqa: N802
        """Lists tables and processes."""
        if request.page_size > MOST_ON_A_PAGE:
            raise MalformedError("BAD_REQUEST", f"a page has at most {MOST_ON_A_PAGE} tables")
        if request.after_table_id:
            check_uuid(request.after_table_id)

        async def listed() -> wire.ListTablesResponse:
            most = request.page_size or PAGE
            found = await live_tables(self._database, request.after_table_id, most + 1)
            return wire.ListTablesResponse(
                tables=[wire.ListTablesResponse.Entry(**table._asdict()) for table in found[:most]],
                pods=[_pod(pod) for pod in await self._ownership.pods()],
                more=len(found) > most,
            )

        return await self._noting("list", "", "", listed)

    async def Inspect(self, request: wire.InspectRequest, context: Any) -> wire.InspectResponse:  # noqa: N802
        """Shows a table."""
        return await self._of_table("Inspect", request, lambda: self.inspected(request.table_id))

    async def Freeze(self, request: wire.FreezeRequest, context: Any) -> wire.FreezeResponse:  # noqa: N802
        """Stops a table."""
        return await self._ordered("Freeze", request, commands.Freeze(), wire.FreezeResponse)

    async def Unfreeze(self, request: wire.UnfreezeRequest, context: Any) -> wire.UnfreezeResponse:  # noqa: N802
        """Has it go on."""
        return await self._ordered("Unfreeze", request, commands.Unfreeze(), wire.UnfreezeResponse)

    async def Abort(self, request: wire.AbortRequest, context: Any) -> wire.AbortResponse:  # noqa: N802
        """Ends a table."""
        return await self._ordered("Abort", request, commands.Abort(), wire.AbortResponse)

    async def Drain(self, request: wire.DrainRequest, context: Any) -> wire.DrainResponse:  # noqa: N802
        """Has a process hand its tables over."""
        _check_reason(request.reason)
        if not 0 < len(request.pod) <= POD_CHARS:
            raise MalformedError("BAD_REQUEST", f"a process has an id or address of 1 to {POD_CHARS} characters")
        return await self._noting("drain", request.pod, request.reason, lambda: self._drained(request))

    @property
    def _ownership(self) -> Ownership:
        return self._tables.ownership

    async def _ordered(
        self, method: str, request: Any, command: commands.Freeze | commands.Unfreeze | commands.Abort, answer: type[_T]
    ) -> _T:
        """A command to a table, for a reason."""
        _check_reason(request.reason)

        async def here() -> _T:
            revision = await self._tables.submit(request.table_id, command, f"operator:{uuid.uuid4()}", b"")
            return answer(revision=revision)  # type: ignore[call-arg]  # each answer has it

        return await self._of_table(method, request, here)

    async def _of_table(self, method: str, request: Any, here: Callable[[], Awaitable[_T]]) -> _T:
        """Written down where the call comes in, and done where the table is."""
        check_uuid(request.table_id)

        async def work() -> _T:
            return await self._forwarding.answer(method, request, here, AdminServiceStub)

        reason = "" if isinstance(request, wire.InspectRequest) else request.reason
        return await self._noting(method.lower(), request.table_id, reason, work)

    async def _noting(self, what: str, target: str, reason: str, work: Callable[[], Awaitable[_T]]) -> _T:
        if is_forwarded():
            return await work()
        return await self._audit.noting(principal().account or Role.OPERATOR.value, what, target, reason, work)

    async def inspected(self, table_id: str) -> wire.InspectResponse:
        """What an operator is shown of a table that is run here."""
        table = await self._tables.get(table_id)
        state, now_ms = table.state, self._clock.now_ms()
        answer = wire.InspectResponse(
            server_now_ms=now_ms,
            view=write_view(state, None),
            owner_address=self._ownership.address,
            epoch=table.actor.epoch,
            watchers=table.watchers.count,
            spectators=table.watchers.spectators,
            unrevealed_deals=len(state.unrevealed),
        )
        if state.standstill is not None and state.is_frozen:
            answer.frozen_since_ms = state.standstill.since_ms
        if state.deadline_ms is not None:
            answer.remaining_ms = max(0, state.deadline_ms - now_ms)
        if state.next_fair is not None and state.next_fair.deadline_ms is not None:
            answer.ceremony_remaining_ms = max(0, state.next_fair.deadline_ms - now_ms)
        return answer

    async def _drained(self, request: wire.DrainRequest) -> wire.DrainResponse:
        pods = [pod for pod in await self._ownership.pods() if pod.alive]
        if not pods:
            raise NoOtherPodError
        asked = next((pod for pod in pods if request.pod in (pod.pod_id, pod.address)), None)
        if asked is None:
            raise UnknownPodError
        if not any(not pod.draining for pod in pods if pod is not asked):
            raise NoOtherPodError
        if asked.pod_id != self._ownership.name and not is_forwarded():
            drained: wire.DrainResponse = await self._forwarding.call(asked.address, "Drain", request, AdminServiceStub)
            return drained
        return wire.DrainResponse(live_tables=self._tables.drain())


def _pod(pod: Pod) -> wire.ListTablesResponse.Pod:
    return wire.ListTablesResponse.Pod(
        pod_id=pod.pod_id,
        address=pod.address,
        live_tables=pod.live_tables,
        draining=pod.draining,
        alive=pod.alive,
    )


def _check_reason(reason: str) -> None:
    if not 0 < len(reason) <= REASON_CHARS or not reason.isprintable():
        raise MalformedError("BAD_REQUEST", f"a reason has 1 to {REASON_CHARS} characters, all printable")
