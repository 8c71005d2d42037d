"""Calls of any method with any bytes and any metadata, as a client of a stranger's making could send them."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import grpc
from banakil.common.v1 import roles_pb2
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.shuffle.v1 import days_pb2, shuffle_pb2
from banakil.table.v1 import admin_pb2, peers_pb2, table_pb2
from banakil.wallet.v1 import scores_pb2, wallet_pb2
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from shared.codec.methods import role_name
from shared.codec.refusals import STATUS_OF
from shared.kit.clients import bearer
from shared.kit.status import DETAILS_KEY, api_error

DEADLINE_S = 20.0
Metadata: TypeAlias = tuple[tuple[str, str], ...]


class Method(NamedTuple):
    """A method of the interface, as its proto says."""

    path: str
    roles: frozenset[str]
    streams: bool
    request: type[Message]
    response: type[Message]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def admits(self, role: str) -> bool:
        return role in self.roles or "anyone" in self.roles


class Refusal(NamedTuple):
    """How a call was refused; ``sent`` is every byte of it that came."""

    status: grpc.StatusCode
    code: str
    retry_after_ms: int | None
    metadata: dict[str, str]
    sent: bytes


def _methods() -> Iterator[Method]:
    files = (accounts_pb2, admin_pb2, days_pb2, lobby_pb2, peers_pb2, scores_pb2, shuffle_pb2, table_pb2, wallet_pb2)
    for module in files:
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                roles = frozenset(map(role_name, method.GetOptions().Extensions[roles_pb2.roles]))
                path = f"/{service.full_name}/{method.name}"
                request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
                yield Method(path, roles, method.server_streaming, request, response)


METHODS = {method.name: method for method in _methods()}
PLAYERS = {name: method for name, method in METHODS.items() if method.admits("player")}
"""The methods that a player may call."""


async def call(
    channel: grpc.aio.Channel, method: Method, body: bytes | Message, token: str = "", metadata: Metadata = ()
) -> Any:
    """The answer, of a stream its first message, or the :class:`Refusal`.

    AssertionError for a refusal without a code of the interface, or with another status than the code's.
    """
    payload = body if isinstance(body, bytes) else body.SerializeToString()
    sent = (*metadata, *(bearer(token) if token else ()))
    parse = method.response.FromString
    try:
        if not method.streams:
            unary: Any = channel.unary_unary(method.path, bytes, parse)
            return await unary(payload, timeout=DEADLINE_S, metadata=sent)
        stream: Any = channel.unary_stream(method.path, bytes, parse)
        messages = stream(payload, timeout=DEADLINE_S, metadata=sent)
        try:
            return await anext(aiter(messages))
        finally:
            messages.cancel()
    except grpc.aio.AioRpcError as fault:
        return read_refusal(fault)


def read_refusal(fault: grpc.aio.AioRpcError) -> Refusal:
    """The refusal that a failed call is. AssertionError as in :func:`call`."""
    error = api_error(fault)
    assert STATUS_OF.get(error.code) is fault.code(), f"{fault.code()} with the code {error.code}: {fault.details()}"
    sent = b"\n".join(_bytes(fault.trailing_metadata()))
    assert any(key == DETAILS_KEY for key, _ in fault.trailing_metadata() or ())
    return Refusal(
        fault.code(), error.code, error.retry_after_ms, error.metadata, sent + (fault.details() or "").encode()
    )


def _bytes(metadata: Any) -> Iterable[bytes]:
    for key, value in metadata or ():
        yield key.encode()
        yield value if isinstance(value, bytes) else value.encode()
