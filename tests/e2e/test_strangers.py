"""Who calls: every method of every service against every kind of caller that it does not admit."""

import pytest
from banakil.table.v1 import hints_pb2, table_pb2

from shared.codec.refusals import STATUS_OF
from shared.kit.clients import bearer
from shared.kit.rpc_context import VIA_KEY
from shared.rules.actions import Draw
from tests.support.calls import METHODS, Refusal, call
from tests.support.foursome import Foursome
from tests.support.strangers import callers, strangers

ASKING = {name: method for name, method in METHODS.items() if "anyone" not in method.roles}
GARBAGE = b"\xff\xff"
"""Not even read, where the caller is not admitted."""


@pytest.mark.parametrize("name", METHODS)
async def test_a_method_says_to_whoever_it_does_not_admit_what_is_wrong(foursome: Foursome, name: str) -> None:
    method = METHODS[name]
    account = foursome.mover.guest.account
    async with foursome.unharmed():
        for who, (metadata, code) in strangers(foursome.up, account).items():
            answer = await call(foursome.channel, method, GARBAGE, metadata=metadata)
            assert isinstance(answer, Refusal), who
            if name in ASKING:
                assert answer.code == code, who
            elif method.request.DESCRIPTOR.fields:
                assert answer.code in {"BAD_REQUEST", "BAD_TOKEN"}, who
        for who, (metadata, role) in callers(foursome.up, account).items():
            if not method.admits(role):
                answer = await call(foursome.channel, method, GARBAGE, metadata=metadata)
                assert (answer.code, answer.status) == ("ROLE_NOT_ADMITTED", STATUS_OF["ROLE_NOT_ADMITTED"]), who


@pytest.mark.parametrize("name", [name for name in ASKING if METHODS[name].admits("player")])
async def test_only_a_service_passes_on_anothers_call(foursome: Foursome, name: str) -> None:
    good = foursome.up.token("somebody").text
    for via in (good, foursome.up.issuer("operator").for_service("table").text, "noise"):
        passed_on = (*bearer(good), (VIA_KEY, via))
        answer = await call(foursome.channel, METHODS[name], b"", metadata=passed_on)
        assert isinstance(answer, Refusal)
        assert answer.code == "BAD_TOKEN"


async def test_no_token_names_anothers_seat(foursome: Foursome) -> None:
    """Neither a stranger's, nor one like it, nor a house bot's that bears the player's name."""
    act = foursome.mover.request(Draw(foursome.mover.number))
    watch = table_pb2.WatchRequest(table_id=foursome.table_id)
    hints = hints_pb2.GetHintsRequest(table_id=foursome.table_id)
    account = foursome.mover.guest.account
    house = foursome.up.issuer("bots").for_service("table", account=account).text
    of_all = foursome.up.issuer("bots").for_service("table").text
    async with foursome.unharmed():
        for token in (foursome.up.token("a stranger").text, foursome.up.token(account.upper()).text, house, of_all):
            for name, request in (("Act", act), ("Watch", watch), ("GetHints", hints)):
                answer = await call(foursome.channel, METHODS[name], request, token)
                assert isinstance(answer, Refusal)
                assert answer.code == "NOT_SEATED"
