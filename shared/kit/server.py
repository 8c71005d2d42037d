"""The gRPC server's limits and the services that every server has: health, and reflection where it is switched on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer  # public as health.aio, which mypy cannot follow
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from shared.kit.identity import Role
from shared.kit.registrar import Registrar

# Above what the guard reads: a message between the two gets a coded refusal, one above this a bare one.
MAX_WIRE_BYTES: Final = 2 * 1024 * 1024
MAX_STREAMS_PER_CONNECTION: Final = 10_000
MAX_METADATA_BYTES: Final = 16 * 1024
LIVENESS: Final = "liveness"

OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_WIRE_BYTES),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.max_concurrent_streams", MAX_STREAMS_PER_CONNECTION),
    ("grpc.so_reuseport", 0),  # a second server on the same port must fail, not share
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.max_connection_idle_ms", 30 * 60_000),
)


class Server:
    """A gRPC server bound to a port from the start, so that its address is known while services are wired."""

    def __init__(self, listen: str, *, most_rpcs: int, credentials: grpc.ServerCredentials | None = None) -> None:
        """Raises OSError where ``listen`` (``host:port``, port 0 for any) cannot be had."""
        self.grpc = grpc.aio.server(options=OPTIONS, maximum_concurrent_rpcs=most_rpcs)
        try:
            if credentials is None:
                self.port = self.grpc.add_insecure_port(listen)
            else:
                self.port = self.grpc.add_secure_port(listen, credentials)
        except RuntimeError as fault:
            raise OSError(f"cannot listen on {listen}") from fault
        host = listen.rpartition(":")[0]
        self.address = f"{'127.0.0.1' if host in {'0.0.0.0', '[::]', ''} else host}:{self.port}"


class Health(HealthServicer):
    """The standard health service. ``liveness`` holds while the process can answer; all else follows readiness."""

    def __init__(self) -> None:
        super().__init__()
        self._states: dict[str, Any] = {}

    async def register(self, registrar: Registrar) -> None:
        """Adds the service. Nothing but liveness serves until :meth:`set_ready` says so."""
        self._states = dict.fromkeys(["", *registrar.services])
        roles = dict.fromkeys(("Check", "List", "Watch"), (Role.ANYONE,))
        registrar.add(health_pb2_grpc.add_HealthServicer_to_server, self, roles, quiet=True)
        await self.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)
        await self.set_ready(ready=False)

    async def set_ready(self, *, ready: bool, but: Collection[str] = ()) -> None:
        """Says of every service, and of the whole, whether it takes calls; those in ``but`` do not."""
        for name in self._states:
            serves = ready and name not in but
            state = health_pb2.HealthCheckResponse.SERVING if serves else health_pb2.HealthCheckResponse.NOT_SERVING
            self._states[name] = state
            await self.set(name, state)

    async def List(self, _request: object, _context: object) -> Any:  # noqa: N802  # the RPC's name
        """Every service's state (the library leaves this one out)."""
        return health_pb2.HealthListResponse(
            statuses={name: health_pb2.HealthCheckResponse(status=state) for name, state in self._states.items()}
        )


def add_reflection(registrar: Registrar, services: Iterable[str]) -> None:
    """Lets tools list ``services`` and their messages."""
    registrar.add(
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server,
        reflection.aio.ReflectionServicer([*services, reflection.SERVICE_NAME]),  # type: ignore[no-untyped-call]
        {"ServerReflectionInfo": (Role.ANYONE,)},
        quiet=True,
    )
