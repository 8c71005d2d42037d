"""The shuffle service over a real socket: whole ceremonies, who may call, and what becomes of everything else."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub

from services.shuffle.limiting import CALLS_AT_ONCE
from shared.codec.fair import read_fair_deal, write_context
from shared.fairness.fair_deal import FairDeal
from shared.kit.clients import Channels
from shared.kit.status import api_error
from tests.support.kit import Identities
from tests.support.shuffle import CTX, DRAW, FOUR, OTHER_TABLE, OWNER, Table, all_c, promised
from tests.support.shuffle_service import refused, serving


def database_bytes(data: Path) -> bytes:
    """All that lies on disk of the database, its log of writes included."""
    return b"".join(path.read_bytes() for path in data.glob("shuffle.db*"))


async def test_the_reveal_is_refused_until_the_deal_is_closed_and_tells_nothing(table: Table) -> None:
    assert await refused(table.reveal(CTX)) == "NO_SUCH_CEREMONY"
    await table.begin(CTX)
    assert await refused(table.reveal(CTX)) == "CEREMONY_OPEN"
    assert await refused(table.deck(CTX)) == "CEREMONY_OPEN"
    assert await refused(table.reshuffle(CTX, 1, b"\0")) == "CEREMONY_OPEN"
    public = (await table.audit(CTX.match)).deals[0]
    assert (public.secret, public.closed, public.transcript) == (b"", b"", b"")


async def test_an_audit_shows_a_secret_only_once_it_is_revealed(table: Table) -> None:
    await table.begin(CTX)
    closed = await table.close(CTX, DRAW)
    public = (await table.audit(CTX.match)).deals[0]
    assert (public.secret, public.signatures.reveal) == (b"", b"")
    assert (public.closed, public.transcript) == (closed.closed, closed.transcript.transcript)
    deal = await table.reveal(CTX)
    assert read_fair_deal((await table.audit(CTX.match)).deals[0]) == deal


async def test_each_refusal_has_its_code_and_its_status(table: Table, address: str, identities: Identities) -> None:
    await table.begin(CTX)
    await table.close(CTX, DRAW)
    second = replace(CTX, deal_no=2)
    await table.reshuffle(CTX, 1, b"\0")
    assert await refused(table.reshuffle(CTX, 1, b"\1")) == "DUPLICATE_COMMAND_BODY"
    assert await refused(table.reshuffle(CTX, 3, b"\0")) == "RESHUFFLE_OUT_OF_ORDER"
    assert await refused(table.reshuffle(CTX, 1, b"\0\0\0")) == "BAD_REQUEST"
    assert await refused(table.begin(replace(CTX, deal_no=3))) == "BAD_REQUEST"
    assert await refused(table.deck(second)) == "NO_SUCH_CEREMONY"
    assert await refused(table.audit(b"x" * 16)) == "NO_SUCH_MATCH"
    assert await refused(table.audit(b"x")) == "BAD_REQUEST"
    async with Channels(identities.credentials("table")) as channels:
        channel = channels.to(address, "shuffle")
        assert await refused(Table(channel, OTHER_TABLE).begin(second)) == "NOT_TABLES_MATCH"
        assert await refused(Table(channel, OTHER_TABLE).reveal(CTX)) == "NOT_TABLES_MATCH"
        assert await refused(Table(channel, replace(OWNER, epoch=1)).deck(CTX)) == "STALE_EPOCH"
        await Table(channel, replace(OWNER, epoch=4)).deck(CTX)
    assert await refused(table.reveal(CTX)) == "STALE_EPOCH"


@pytest.mark.parametrize(
    "spoilt",
    [
        {}, {"match_no": 0}, {"match_no": 4}, {"deal_no": 0}, {"seats": 3}, {"rules_id": "chess"},
        {"match_id": b"short"}, {"series_id": b""},
    ],
)  # fmt: skip
async def test_a_context_that_has_no_meaning_is_a_bad_request(table: Table, spoilt: dict[str, object]) -> None:
    context = wire.BeginRequest(context=write_context(CTX)).context
    for name, value in spoilt.items():
        setattr(context, name, value)
    request = wire.BeginRequest(context=context if spoilt else None, owner=table.owner)
    assert await refused(table.stub.Begin(request)) == "BAD_REQUEST"


@pytest.mark.parametrize("caller", ["lobby", "wallet", "bots", "gateway", "operator", "player", "nobody"])
async def test_nobody_but_a_table_may_take_a_step_and_everybody_may_audit(
    table: Table, address: str, identities: Identities, caller: str
) -> None:
    await table.begin(CTX)
    await table.close(CTX, DRAW)
    metadata = {
        "nobody": (),
        "player": (("authorization", f"Bearer {identities.player()}"),),
    }.get(caller)
    if metadata is None:
        metadata = (("authorization", f"Bearer {identities.credentials(caller).token('shuffle')}"),)
    expected = "NO_TOKEN" if caller == "nobody" else "ROLE_NOT_ADMITTED"
    async with grpc.aio.insecure_channel(address) as channel:
        stub = ShuffleServiceStub(channel)
        context = write_context(CTX)
        for call in (
            stub.Begin(wire.BeginRequest(context=context, owner=table.owner), metadata=metadata),
            stub.Close(wire.CloseRequest(context=context, owner=table.owner), metadata=metadata),
            stub.Contribute(wire.ContributeRequest(context=context, owner=table.owner), metadata=metadata),
            stub.Deck(wire.DeckRequest(context=context, owner=table.owner), metadata=metadata),
            stub.Reshuffle(wire.ReshuffleRequest(context=context, owner=table.owner), metadata=metadata),
            stub.Reveal(wire.RevealRequest(context=context, owner=table.owner), metadata=metadata),
        ):
            assert await refused(call) == expected
        public = await stub.Audit(wire.AuditRequest(match_id=CTX.match), metadata=metadata)
    assert public.deals[0].secret == b""


async def test_a_caller_that_audits_too_often_waits(table: Table) -> None:
    await table.begin(CTX)
    codes = set()
    for _ in range(CALLS_AT_ONCE * 2):
        try:
            await table.audit(CTX.match)
        except grpc.aio.AioRpcError as fault:
            error = api_error(fault)
            codes.add(error.code)
            assert error.retry_after_ms
    assert codes == {"RATE_LIMITED"}


async def test_garbage_and_a_megabyte_are_refused_and_harm_nothing(table: Table, address: str) -> None:
    await table.begin(CTX)
    async with grpc.aio.insecure_channel(address) as channel:
        audit: Any = channel.unary_unary("/banakil.shuffle.v1.ShuffleService/Audit")
        assert await refused(audit(b"\xff" * 100)) == "BAD_REQUEST"
        assert await refused(audit(b"\x0a" * 1_000_000)) == "MESSAGE_TOO_LARGE"
    await table.close(CTX, DRAW)


async def test_a_restart_between_any_two_steps_changes_nothing(tmp_path: Path, identities: Identities) -> None:
    async def after_restart(step: str) -> object:
        async with serving(tmp_path, identities) as app, Channels(identities.credentials("table")) as channels:
            table = Table(channels.to(app.address, "shuffle"))
            match step:
                case "begin":
                    return await table.begin(CTX)
                case "close":
                    return await table.close(CTX, DRAW)
                case "deck":
                    return await table.deck(CTX)
                case _:
                    return await table.reveal(CTX)

    begun = await after_restart("begin")
    assert await after_restart("begin") == begun
    closed = await after_restart("close")
    deck = await after_restart("deck")
    deal = await after_restart("reveal")
    assert await after_restart("reveal") == deal
    assert await after_restart("close") == closed
    assert isinstance(deal, FairDeal)
    assert deal.derivation().deck_faces() == deck


async def test_no_secret_no_contribution_and_no_card_is_logged_and_no_secret_lies_open_in_the_database(
    table: Table, tmp_path: Path, log: io.StringIO
) -> None:
    await table.begin(CTX)
    await table.close(CTX, promised(CTX, replace(DRAW, seats=FOUR), 0, 1, 2))
    await table.contribute(CTX, all_c(CTX, 0))
    await refused(table.contribute(CTX, {1: b"short"}))
    await refused(table.contribute(CTX, all_c(CTX, 1, 3)))
    await table.contribute(CTX, all_c(CTX, 1, 2))
    deck = await table.deck(CTX)
    pile = deck[:50]
    stock = await table.reshuffle(CTX, 1, pile)
    await refused(table.reshuffle(CTX, 1, pile[::-1]))
    await refused(table.begin(replace(CTX, deal_no=9)))
    stored = database_bytes(tmp_path)
    deal = await table.reveal(CTX)
    structlog.get_config()["logger_factory"]().flush()
    written = log.getvalue().encode()
    assert b"ShuffleService/Reshuffle" in written
    contributions = all_c(CTX, 0, 1, 2, 3).values()
    for hidden in (deal.played.secret, deck, pile, stock, *contributions):
        for part in (hidden[:16], hidden[-16:]):
            for spelt in (part, part.hex().encode(), repr(part)[2:-1].encode(), str(list(part))[1:-1].encode()):
                assert spelt not in written
                # A c is nobody's secret but before the set is closed, and is not here before then.
                assert spelt not in stored or hidden in contributions
