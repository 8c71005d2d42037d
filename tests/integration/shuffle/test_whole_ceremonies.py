"""Whole ceremonies over a real socket pass every check, signatures, void attempts and receipts among them."""

from dataclasses import replace
from functools import partial

import pytest
from banakil.shuffle.v1.fair_pb2 import FairReceipt

from services.shuffle.closing import Closing
from shared.fairness import signing
from shared.fairness.checks import Outcome
from shared.fairness.context import DealContext
from shared.fairness.derive import DEALER_DRAW, HOST_CUT, dealt_hand
from shared.fairness.fair_deal import FairDeal, Receipt, Witness
from shared.fairness.verify import Expected, Shown, record_holds, verify_fair
from tests.support.shuffle import (
    CTX,
    CUT,
    CUT_CTX,
    DRAW,
    FOUR,
    LATER,
    Table,
    all_c,
    promised,
    verify_with,
)


@pytest.mark.parametrize(
    ("ctx", "asked", "rule"), [(CTX, DRAW, DEALER_DRAW), (CUT_CTX, CUT, HOST_CUT)], ids=["draw", "cut"]
)
async def test_a_whole_ceremony_passes_every_check_its_signatures_among_them(
    table: Table, ctx: DealContext, asked: Closing, rule: str
) -> None:
    begun = await table.begin(ctx)
    closed = await table.close(ctx, asked)
    deck = await table.deck(ctx)
    piles = [deck[:40], deck[3:90]]
    stocks = [await table.reshuffle(ctx, n, pile) for n, pile in enumerate(piles, start=1)]
    deal = await table.reveal(ctx)

    assert deal.closed.encode() == closed.closed
    assert deal.closed.commitment == begun.commitment
    keys = {key.key_id: key.public_key for key in (await table.audit(ctx.match)).keys}
    checks = verify_fair(
        deal,
        expected=Expected(ctx.rules, 4, rule, single_match=True),
        shown=Shown(closed.transcript.starter, deck, list(zip(piles, stocks, strict=True))),
        verify_signature=partial(verify_with, keys),
    )
    assert record_holds(checks)
    held = {check.name for check in checks if check.outcome is Outcome.HOLDS}
    assert {f"signature.{what}" for what in ("commit", "closed", "transcript", "reveal")} <= held
    assert {check.name for check in checks} - held == {"root", "witness"}
    assert deal.played.signatures is not None
    assert deal.played.signatures.of["commit"] == begun.commit_signature
    assert deal.played.signatures.of["transcript"] == closed.transcript.transcript_signature


async def test_a_ceremony_with_people_and_a_void_attempt_passes_every_check(table: Table) -> None:
    people = Closing(FOUR, dealer_draw_due=True)
    await table.begin(CTX)
    closed = await table.close(CTX, promised(CTX, people, 0, 1, 2))
    assert not closed.HasField("transcript")
    assert [receipt.seat for receipt in closed.receipts] == [0, 1, 2]
    waiting = await table.contribute(CTX, all_c(CTX, 0))
    assert waiting.WhichOneof("outcome") is None
    assert not waiting.contributions
    assert [seat.c for seat in (await table.audit(CTX.match)).deals[0].seats] == [b""] * 4
    void = await table.contribute(CTX, {2: bytes(32)}, last=True)
    assert void.void.deal.failed_seats == [1, 2]
    assert [seat.c for seat in void.void.deal.seats] == [all_c(CTX, 0)[0], b"", bytes(32), b""]

    again = replace(CTX, attempt=1)
    begun = await table.begin(again)
    closed = await table.close(again, promised(again, people, 0, 1, 2, 3))
    opened = await table.contribute(again, all_c(again, 0, 3))
    assert list(opened.contributions) == [all_c(again, 0)[0], b"", b"", all_c(again, 3)[3]]
    deck = await table.deck(again)
    deal = await table.reveal(again, match_over=True)
    assert len(deal.void) == 1
    public = await table.audit(CTX.match)
    assert (public.match_end.last_deal_no, public.match_end.last_attempt) == (1, 1)
    assert {each.account_id: each.void_count for each in public.account_voids} == {"bob": 1, "نور": 1}
    keys = {key.key_id: key.public_key for key in public.keys}
    payload = signing.match_end_payload(CTX.series, 1, CTX.match, 1, 1)
    signed = signing.signed_bytes(signing.MATCH_END, payload)
    assert verify_with(keys, public.match_end.key_id, signed, public.match_end.signature)

    def as_witness(message: FairReceipt) -> Receipt:
        return Receipt(message.unix_ms, message.signature)

    witness = Witness(
        seat=3,
        attempt=1,
        c=all_c(again, 3)[3],
        closed=closed.closed,
        transcript=opened.transcript.transcript,
        hand=dealt_hand(deck, 3, opened.transcript.starter, 4),
        receipt_h=as_witness(closed.receipts[1]),
        receipt_c=as_witness(opened.receipts[1]),
    )
    checks = verify_fair(
        replace(deal, witness=witness),
        expected=Expected(CTX.rules, 4, DEALER_DRAW, single_match=True),
        shown=Shown(opened.transcript.starter, deck, []),
        verify_signature=partial(verify_with, keys),
    )
    assert record_holds(checks)
    open_checks = {check.name for check in checks if check.outcome is not Outcome.HOLDS}
    assert open_checks == {"root", "void[0].root", "void[0].failed_sent"}
    assert deal.closed.commitment == begun.commitment


async def test_the_deals_of_a_match_hold_together(table: Table) -> None:
    before: list[FairDeal] = []
    for number in (1, 2, 3):
        ctx = replace(CTX, deal_no=number)
        await table.begin(ctx)
        await table.close(ctx, DRAW if number == 1 else LATER)
        deal = await table.reveal(ctx)
        chain = [check for check in verify_fair(deal, before=before) if check.name == "chain"]
        assert [check.outcome for check in chain] == ([Outcome.HOLDS] if before else [])
        before.append(deal)
