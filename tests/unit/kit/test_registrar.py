import grpc
import pytest

from shared.kit.clock import VirtualClock
from shared.kit.guard import Guard
from shared.kit.identity import Role
from shared.kit.metrics import Metrics
from shared.kit.registrar import Registrar, Roles, UndeclaredRolesError
from tests.support.kit import Identities, bytes_service, unary


async def echo(request: bytes, _context: object) -> bytes:
    return request


@pytest.fixture
async def registrar() -> Registrar:
    guard = Guard(Identities(VirtualClock()).verifier(), Metrics())
    return Registrar(grpc.aio.server(), guard)


SERVICE = bytes_service("test.Echo", {"Echo": unary(echo), "Other": unary(echo)})


@pytest.mark.parametrize(
    "roles",
    [
        {"Echo": [Role.PLAYER], "Other": [Role.TABLE]},
        {"/test.Echo/Echo": [Role.PLAYER], "test.Echo/Other": [Role.TABLE], "/another.Service/Method": []},
        {"/test.Echo/Echo": frozenset({"player"}), "/test.Echo/Other": frozenset({"table"})},
    ],
)
async def test_a_service_with_roles_for_every_method_is_registered(registrar: Registrar, roles: Roles) -> None:
    registrar.add(SERVICE, object(), roles)
    assert registrar.services == ["test.Echo"]


@pytest.mark.parametrize(
    ("roles", "fault"),
    [
        ({}, r"no roles declared for \['Echo', 'Other'\]"),
        ({"Echo": [Role.PLAYER]}, r"no roles declared for \['Other'\]"),
        ({"Echo": [Role.PLAYER], "Other": []}, r"no roles declared for \['Other'\]"),
        ({"Echo": [Role.PLAYER], "/another.Service/Other": [Role.PLAYER]}, r"no roles declared for \['Other'\]"),
        ({"Echo": [Role.PLAYER], "Other": [Role.TABLE], "Third": [Role.TABLE]}, r"no such method: \['Third'\]"),
    ],
)
async def test_a_method_without_roles_or_roles_without_a_method_are_refused(
    registrar: Registrar, roles: Roles, fault: str
) -> None:
    with pytest.raises(UndeclaredRolesError, match=fault):
        registrar.add(SERVICE, object(), roles)


async def test_a_role_that_is_none_is_refused(registrar: Registrar) -> None:
    with pytest.raises(ValueError, match="king"):
        registrar.add(SERVICE, object(), {"Echo": ["king"], "Other": ["player"]})


async def test_a_servicer_that_would_block_the_loop_is_refused(registrar: Registrar) -> None:
    blocking = bytes_service("test.Echo", {"Echo": grpc.unary_unary_rpc_method_handler(lambda request, _: request)})
    with pytest.raises(TypeError, match="must be an async method"):
        registrar.add(blocking, object(), {"Echo": [Role.PLAYER]})


async def test_stubs_that_register_nothing_by_name_are_refused(registrar: Registrar) -> None:
    with pytest.raises(UndeclaredRolesError, match="generate the stubs anew"):
        registrar.add(lambda servicer, server: None, object(), {})
