"""Builders for tests of the kit and of services: identities with keys of their own, and servicers without protos."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc

from shared.kit.clock import Clock
from shared.kit.identity import SERVICES, Role, ServiceCredentials, TokenIssuer, TokenVerifier, service_audience
from shared.kit.keys import SigningKey

PATIENCE_S: Final = 60.0
"""How long a test waits for what a busy machine may do late, where nothing but a fault keeps it from coming."""


class Identities:
    """A key for every service and the operator, in memory."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.keys = {issuer.value: SigningKey.generate() for issuer in (*SERVICES, Role.OPERATOR)}

    def issuer(self, name: str) -> TokenIssuer:
        return TokenIssuer(name, self.keys[name], self.clock)

    def player(self, account: str = "ada", *, bot: bool = False, named: bool = False) -> str:
        return self.issuer("lobby").for_account(account, bot=bot, named=named).text

    def credentials(self, service: str) -> ServiceCredentials:
        return ServiceCredentials(self.issuer(service), self.clock)

    def verifier(self, *services: str) -> TokenVerifier:
        keys = {issuer: [key.jwk] for issuer, key in self.keys.items()}
        return TokenVerifier(self.clock, lambda: keys, [service_audience(service) for service in services])


Behaviour = Callable[[Any, Any], Any]


def bytes_service(name: str, methods: dict[str, grpc.RpcMethodHandler[Any, Any]]) -> Callable[[object, Any], None]:
    """What a generated `add_..._to_server` would be, for handlers of plain bytes."""

    def register(_servicer: object, server: Any) -> None:
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))
        server.add_registered_method_handlers(name, methods)

    return register


def unary(behaviour: Callable[[Any, Any], Awaitable[bytes]], read: Any = None) -> grpc.RpcMethodHandler[Any, Any]:
    return grpc.unary_unary_rpc_method_handler(behaviour, read)


def produces(behaviour: Behaviour) -> grpc.RpcMethodHandler[Any, Any]:
    return grpc.unary_stream_rpc_method_handler(behaviour)


def converses(behaviour: Behaviour, read: Any = None) -> grpc.RpcMethodHandler[Any, Any]:
    return grpc.stream_stream_rpc_method_handler(behaviour, read)


def consumes(behaviour: Behaviour) -> grpc.RpcMethodHandler[Any, Any]:
    return grpc.stream_unary_rpc_method_handler(behaviour)


async def eventually(holds: Callable[[], bool | Awaitable[bool]], within_s: float = PATIENCE_S) -> None:
    """Waits for something that real processes bring about and nobody tells of."""
    async with asyncio.timeout(within_s):
        for wait_s in itertools.repeat(0.005):
            held = holds()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(wait_s)
