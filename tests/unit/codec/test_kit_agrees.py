"""The kit knows no protos, so its roles and codes are checked against them here."""

from banakil.common.v1 import roles_pb2

from shared.codec.methods import role_name
from shared.codec.refusals import STATUS_OF
from shared.kit import status
from shared.kit.identity import Role


def test_the_kit_and_the_protos_know_the_same_roles() -> None:
    assert {role_name(number) for number in roles_pb2.Role.values() if number} == {role.value for role in Role}


def test_every_code_that_the_kit_gives_is_on_the_wire() -> None:
    codes = {name for name, value in vars(status).items() if name == value}
    assert codes
    assert codes <= set(STATUS_OF)
