"""What the protos say of each method: who may call it, and whether a call may be sent again.

The options of the compiled methods are the truth that servers go by; comments repeat them for readers.
"""

from collections.abc import Iterator
from typing import Final

from banakil.common.v1 import roles_pb2
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.shuffle.v1 import days_pb2, relay_pb2, shuffle_pb2
from banakil.table.v1 import admin_pb2, peers_pb2, standing_pb2, table_pb2
from banakil.wallet.v1 import ledger_pb2, scores_pb2, settlements_pb2, wallet_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

_FILES: Final = tuple(
    module.DESCRIPTOR
    for module in (
        accounts_pb2,
        admin_pb2,
        days_pb2,
        ledger_pb2,
        lobby_pb2,
        peers_pb2,
        relay_pb2,
        scores_pb2,
        settlements_pb2,
        shuffle_pb2,
        standing_pb2,
        table_pb2,
        wallet_pb2,
    )
)
_PREFIX: Final = "ROLE_"


def role_name(number: "roles_pb2.Role.ValueType") -> str:
    """A `Role` as tokens and comments write it: `player`. Raises `ValueError` for a number that is no role."""
    if number == roles_pb2.ROLE_UNSPECIFIED:
        raise ValueError("no role is given")
    return roles_pb2.Role.Name(number).removeprefix(_PREFIX).lower()


def admitted_roles() -> dict[str, frozenset[str]]:
    """The roles that each method admits, by its full name (`/banakil.table.v1.TableService/Act`).

    A method whose proto names none admits nobody: its set is empty.
    """
    return {
        name: frozenset(role_name(role) for role in method.GetOptions().Extensions[roles_pb2.roles])
        for name, method in _methods()
    }


def repeatable_methods() -> frozenset[str]:
    """The full names of the methods that a client may call again, with the same request, when an answer is lost."""
    return frozenset(
        name
        for name, method in _methods()
        if method.GetOptions().idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN
    )


def _methods() -> Iterator[tuple[str, MethodDescriptor]]:
    for file in _FILES:
        for service in file.services_by_name.values():
            for method in service.methods:
                yield f"/{service.full_name}/{method.name}", method
