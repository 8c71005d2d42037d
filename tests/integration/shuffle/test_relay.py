"""A Relay: a table service's calls over one stream, each answered as a call of its own would be."""

from collections.abc import AsyncIterator
from dataclasses import replace

import grpc
import pytest
from banakil.shuffle.v1 import relay_pb2
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1.relay_pb2_grpc import RelayServiceStub

from shared.codec.fair import write_context
from shared.fairness.context import DealContext
from shared.kit.clients import Channels
from shared.rules.cards import FULL_DECK
from tests.support.kit import Identities
from tests.support.shuffle import CTX, DRAW, FOUR, OTHER_TABLE, OWNER, Table, all_c, promised
from tests.support.shuffle_service import refused

FOUR_PEOPLE = promised(CTX, replace(DRAW, seats=FOUR), 0, 1, 2, 3)


async def relayed(table: Table, *items: relay_pb2.RelayItem) -> dict[int, relay_pb2.RelayAnswer]:
    """The answers to items that go in one batch, by key."""
    answers = {}

    async def requests() -> AsyncIterator[relay_pb2.RelayRequest]:
        yield relay_pb2.RelayRequest(items=items)

    async for batch in RelayServiceStub(table.channel).Relay(requests()):
        for answer in batch.answers:
            assert answer.key not in answers
            answers[answer.key] = answer
    return answers


def about(ctx: DealContext, table: Table) -> dict[str, object]:
    return {"context": write_context(ctx), "owner": table.owner}


def contributing(table: Table, came: dict[int, bytes], **how: bool) -> wire.ContributeRequest:
    contributions = [wire.SeatContribution(seat=seat, c=c) for seat, c in came.items()]
    return wire.ContributeRequest(contributions=contributions, **about(CTX, table), **how)  # type: ignore[arg-type]


async def test_each_call_of_a_batch_is_answered_as_it_would_be_by_itself(table: Table) -> None:
    others = [replace(CTX, match=bytes([n]) * 16, series=bytes([n]) * 16) for n in range(8)]
    items = [
        relay_pb2.RelayItem(key=n, begin=wire.BeginRequest(**about(ctx, table)))  # type: ignore[arg-type]
        for n, ctx in enumerate(others)
    ]
    late = relay_pb2.RelayItem(key=8, deck=wire.DeckRequest(**about(others[0], table)))  # type: ignore[arg-type]
    unknown = relay_pb2.RelayItem(key=9, deck=wire.DeckRequest(**about(CTX, table)))  # type: ignore[arg-type]
    bad = relay_pb2.RelayItem(key=10, begin=wire.BeginRequest(owner=table.owner))
    answers = await relayed(table, *items, late, unknown, bad, relay_pb2.RelayItem(key=11))
    for n, ctx in enumerate(others):
        assert answers[n].begun == await table.begin(ctx)
    assert [answers[n].refused.code for n in range(8, 12)] == [
        "CEREMONY_OPEN", "NO_SUCH_CEREMONY", "BAD_REQUEST", "BAD_REQUEST",
    ]  # fmt: skip
    assert answers[8].refused.status == grpc.StatusCode.FAILED_PRECONDITION.value[0]


async def test_the_deck_comes_with_the_transcript_where_it_is_asked_for_and_never_before(table: Table) -> None:
    await table.begin(CTX)
    await table.close(CTX, FOUR_PEOPLE)
    came = all_c(CTX, 0, 1, 2, 3)
    some = {seat: came[seat] for seat in (0, 1, 2)}
    open_still = await table.stub.Contribute(contributing(table, some, with_deck=True))
    assert (open_still.WhichOneof("outcome"), open_still.deck) == (None, b"")
    unasked = await table.stub.Contribute(contributing(table, came, last=True))
    assert unasked.HasField("transcript")
    assert unasked.deck == b""
    answers = await relayed(table, relay_pb2.RelayItem(key=1, contribute=contributing(table, came, with_deck=True)))
    assert sorted(answers[1].contributed.deck) == sorted(FULL_DECK)
    assert answers[1].contributed.deck == await table.deck(CTX)


async def test_a_void_attempt_gives_no_deck(table: Table) -> None:
    await table.begin(CTX)
    await table.close(CTX, FOUR_PEOPLE)
    void = await table.stub.Contribute(contributing(table, all_c(CTX, 0, 1), last=True, with_deck=True))
    assert void.HasField("void")
    assert void.deck == b""


async def test_another_table_and_an_older_epoch_are_refused_item_by_item(
    table: Table, address: str, identities: Identities
) -> None:
    await table.begin(CTX)
    await table.close(CTX, DRAW)
    async with Channels(identities.credentials("table")) as channels:
        channel = channels.to(address, "shuffle")
        strange, old = Table(channel, OTHER_TABLE), Table(channel, replace(OWNER, epoch=OWNER.epoch - 1))
        answers = await relayed(
            strange,
            *(
                relay_pb2.RelayItem(key=n, deck=wire.DeckRequest(**about(CTX, asking)))  # type: ignore[arg-type]
                for n, asking in enumerate((strange, old, table))
            ),
        )
    assert [answers[n].refused.code for n in range(2)] == ["NOT_TABLES_MATCH", "STALE_EPOCH"]
    assert answers[2].deck.deck == await table.deck(CTX)


@pytest.mark.parametrize("caller", ["lobby", "gateway", "player"])
async def test_nobody_but_a_table_may_open_one(address: str, identities: Identities, caller: str) -> None:
    token = identities.player() if caller == "player" else identities.credentials(caller).token("shuffle")
    async with grpc.aio.insecure_channel(address) as channel:
        call = RelayServiceStub(channel).Relay(metadata=(("authorization", f"Bearer {token}"),))
        assert await refused(call.read()) == "ROLE_NOT_ADMITTED"
