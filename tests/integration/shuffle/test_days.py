"""Days over a real socket: what is published of them is enough to check a deal by."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from banakil.shuffle.v1 import days_pb2 as wire
from banakil.shuffle.v1.days_pb2_grpc import DayServiceStub
from banakil.shuffle.v1.shuffle_pb2 import AuditRequest
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub
from google.protobuf.json_format import MessageToDict, MessageToJson

from services.shuffle.day_store import DAY_MS
from services.shuffle.limiting import CALLS_AT_ONCE
from shared.cli.patience import Patience
from shared.cli.verify import verify_file
from shared.cli.verify_report import Evidence
from shared.cli.verify_wire import day_proofs
from shared.codec import fair_days
from shared.codec.fair import read_context
from shared.fairness import signing
from shared.fairness.checks import Outcome, first_failed
from shared.fairness.day_json import read_day_proof, write_day_proof
from shared.fairness.fair_deal import FairDeal
from shared.fairness.merkle import FIRST_CHAIN, chain_hash
from shared.fairness.signing_keys import KeyBook, read_keys
from shared.fairness.verify import verify_fair
from shared.kit.app import App
from shared.kit.clients import Channels
from shared.kit.clock import VirtualClock
from tests.support.kit import Identities
from tests.support.shuffle import CTX, DRAW, FOUR, Table, all_c, promised, verify_with
from tests.support.shuffle_service import refused, serving

if TYPE_CHECKING:
    from banakil.shuffle.v1.days_pb2_grpc import DayServiceAsyncStub

FIRST_MS = 19_700 * DAY_MS
AGAIN = replace(CTX, attempt=1)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(FIRST_MS)


@pytest.fixture
async def app(tmp_path: Path, identities: Identities, clock: VirtualClock) -> AsyncIterator[App]:
    async with serving(tmp_path, identities, clock) as running:
        yield running


@pytest.fixture
async def days(app: App) -> AsyncIterator["DayServiceAsyncStub"]:
    """What anybody may call."""
    async with grpc.aio.insecure_channel(app.address) as channel:
        yield DayServiceStub(channel)


@pytest.fixture
async def table(app: App, identities: Identities) -> AsyncIterator[Table]:
    async with Channels(identities.credentials("table")) as channels:
        yield Table(channels.to(app.address, "shuffle"))


async def play(table: Table) -> FairDeal:
    """A deal at the second attempt."""
    people = replace(DRAW, seats=FOUR)
    for ctx in (CTX, AGAIN):
        await table.begin(ctx)
        await table.close(ctx, promised(ctx, people, 0, 1, 2, 3))
        await table.contribute(ctx, all_c(ctx, 1, 2, 3), last=True)
    return await table.reveal(AGAIN, match_over=True)


async def published(days: "DayServiceAsyncStub", clock: VirtualClock, count: int) -> list[wire.DayRoot]:
    """The days, once so many are over and closed."""
    await clock.run_for(count * DAY_MS)
    while len(found := (await days.ListDays(wire.ListDaysRequest())).days) < count:
        await clock.run_for(1000)
    return list(found)


async def test_a_deal_is_checked_by_what_its_day_publishes(
    table: Table, days: "DayServiceAsyncStub", clock: VirtualClock
) -> None:
    deal = await play(table)
    pending = await days.GetProof(wire.GetProofRequest(match_id=CTX.match))
    assert (pending.pending_count, list(pending.proofs)) == (2, [])
    after, day = await published(days, clock, 2)

    assert (day.date, day.reveal_count, day.previous_chain) == ("20231209", 2, FIRST_CHAIN)
    assert (after.date, after.reveal_count, after.previous_chain) == ("20231210", 0, day.chain)
    keys = {period.key.key_id: period.key.public_key for period in (await days.ListKeys(wire.ListKeysRequest())).keys}
    for each in (day, after):
        assert each.chain == chain_hash(each.previous_chain, each.date, each.root)
        payload = signing.root_payload(each.date, each.reveal_count, each.root, each.chain)
        assert verify_with(keys, each.key_id, signing.signed_bytes(signing.ROOT, payload), each.signature)

    found = await days.GetProof(wire.GetProofRequest(match_id=CTX.match, from_deal_no=1, deal_count=1))
    (proof,) = found.proofs
    assert (proof.day, found.pending_count, found.next_deal_no) == (day, 0, 0)
    written = json.loads(json.dumps(write_day_proof(fair_days.read_day_proof(proof))))
    checks = verify_fair(deal, days=[read_day_proof(written)], verify_signature=partial(verify_with, keys))
    held = {check.name for check in checks if check.outcome is Outcome.HOLDS}
    assert {"root", "signature.root", "void[0].root", "void[0].signature.root"} <= held
    assert first_failed(checks) is None
    listed = await days.GetDay(wire.GetDayRequest(date=day.date))
    assert listed.day == day
    assert list(listed.reveals) == [leaf.reveal for leaf in proof.leaves]
    assert [read_context(reveal.context) for reveal in listed.reveals] == [CTX, AGAIN]


async def test_all_that_is_published_of_a_match_verifies_from_files(
    table: Table, days: "DayServiceAsyncStub", clock: VirtualClock
) -> None:
    await play(table)
    await published(days, clock, 1)
    audit = await table.audit(CTX.match)
    proofs = day_proofs(MessageToDict(await days.GetProof(wire.GetProofRequest(match_id=CTX.match))))
    keys = read_keys(MessageToJson(await days.ListKeys(wire.ListKeysRequest())).encode())
    report = verify_file(MessageToJson(audit).encode(), Evidence(KeyBook(keys), proofs), Patience(0))
    assert report.verdict() is None
    held = {check.name for check in report.deals[0].checks if check.outcome is Outcome.HOLDS}
    assert held >= {"commitment", "closed", "transcript", "void_attempts", "void[0].root", "root", "signature.root"}
    assert {check.outcome for check in report.checks} == {Outcome.HOLDS}


async def test_what_cannot_be_answered_is_refused_by_its_code(
    table: Table, days: "DayServiceAsyncStub", clock: VirtualClock
) -> None:
    await play(table)
    await published(days, clock, 1)
    bad: list[tuple[Any, Any]] = [
        *((days.GetDay, wire.GetDayRequest(date=text)) for text in ("", "2023-12-09", "20231332", "٢٠٢٣١٢٠٩")),
        (days.GetDay, wire.GetDayRequest(date="20231209", from_index=2**32 - 1)),
        (days.ListDays, wire.ListDaysRequest(limit=367)),
        (days.ListDays, wire.ListDaysRequest(before_date="yesterday")),
        (days.GetProof, wire.GetProofRequest(match_id=b"short")),
        (days.GetProof, wire.GetProofRequest(match_id=CTX.match, from_deal_no=2**32 - 1)),
        (days.GetProof, wire.GetProofRequest(match_id=CTX.match, deal_count=2**32 - 1)),
    ]
    for method, request in bad:
        assert await refused(method(request)) == "BAD_REQUEST"
    for date in ("20231208", "20231210", "99991231", "00010101"):
        assert await refused(days.GetDay(wire.GetDayRequest(date=date))) == "NO_SUCH_DAY"
    assert await refused(days.GetProof(wire.GetProofRequest(match_id=b"x" * 16))) == "NO_SUCH_MATCH"
    empty = await days.GetDay(wire.GetDayRequest(date="20231209", from_index=2))
    assert list(empty.reveals) == []


async def test_days_and_audits_are_one_budget_of_a_caller(app: App, days: "DayServiceAsyncStub") -> None:
    for _ in range(CALLS_AT_ONCE):
        await days.ListKeys(wire.ListKeysRequest())
    async with grpc.aio.insecure_channel(app.address) as channel:
        audit = ShuffleServiceStub(channel).Audit
        for call in (
            days.ListDays(wire.ListDaysRequest()),
            days.ListKeys(wire.ListKeysRequest()),
            days.GetDay(wire.GetDayRequest(date="20231209")),
            days.GetProof(wire.GetProofRequest(match_id=CTX.match)),
            audit(AuditRequest(match_id=CTX.match)),
        ):
            assert await refused(call) == "RATE_LIMITED"


async def test_what_the_gateway_passes_on_is_counted_there(app: App, identities: Identities) -> None:
    async with Channels(identities.credentials("gateway")) as channels:
        stub = DayServiceStub(channels.to(app.address, "shuffle"))
        for _ in range(CALLS_AT_ONCE + 1):
            await stub.ListKeys(wire.ListKeysRequest(), metadata=(("authorization", ""),))
        for _ in range(CALLS_AT_ONCE):
            await stub.ListKeys(wire.ListKeysRequest())
        assert await refused(stub.ListKeys(wire.ListKeysRequest())) == "RATE_LIMITED"
