"""Ceremonies for tests: contexts, keys, and a table that asks."""

from dataclasses import replace

import grpc
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceStub
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.shuffle.attempts import Owner, StoredAttempt
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.closing import Closing, SeatAsked
from services.shuffle.custody import Custody
from services.shuffle.signing_keys import SigningKeys
from services.shuffle.store import Store
from shared.codec.fair import read_fair_deal, write_context
from shared.fairness.closed import NO_HOST
from shared.fairness.commitment import client_commitment
from shared.fairness.context import DealContext
from shared.fairness.fair_deal import FairDeal
from shared.kit.clock import Clock, VirtualClock
from shared.kit.sealing import SealingKeys
from shared.kit.transactions import Transactions
from tests.support.fair_deals import drawn

OWNER = Owner("5c4b3a29-0000-4000-8000-000000000001", 3)
OTHER_TABLE = Owner("5c4b3a29-0000-4000-8000-000000000002", 9)
CTX = DealContext(b"m" * 16, 1, b"m" * 16, 1, 0, 4, "sahrat")
CUT_CTX = replace(CTX, rules="banakil202")
SEATS = (SeatAsked("ada", bot=False), SeatAsked("", bot=True), SeatAsked("نور", bot=False), SeatAsked("", bot=True))
DRAW = Closing(SEATS, dealer_draw_due=True)
CUT = Closing(SEATS, dealer_draw_due=False, host=2, cut=17)
LATER = Closing(SEATS, dealer_draw_due=False)
FOUR = tuple(SeatAsked(account, bot=False) for account in ("ada", "bob", "نور", "dan"))
"""Four people."""


def sealing_keys(*seeds: str) -> SealingKeys:
    return SealingKeys(drawn(seed, "seal", 32) for seed in seeds or ("seal-1",))


def signing_keys(*seeds: str) -> SigningKeys:
    return SigningKeys(Ed25519PrivateKey.from_private_bytes(drawn(s, "sign", 32)) for s in seeds or ("sign-1",))


def ceremonies_of(transactions: Transactions, *keys: str, clock: Clock | None = None) -> Ceremonies:
    """A service as it starts on a database, with these keys, oldest first."""
    custody = Custody(sealing_keys(*keys), signing_keys(*keys))
    return Ceremonies(Store(transactions), custody, clock or VirtualClock())


def c_of(ctx: DealContext, seat: int) -> bytes:
    """What an honest client at a seat contributes, another in each attempt."""
    return drawn(f"{ctx.match.hex()}/{ctx.deal_no}/{ctx.attempt}", f"c/{seat}", 32)


def all_c(ctx: DealContext, *seats: int) -> dict[int, bytes]:
    return {seat: c_of(ctx, seat) for seat in seats}


def promised(ctx: DealContext, asked: Closing, *seats: int) -> Closing:
    """`asked` with the h of these seats."""
    return replace(
        asked,
        seats=tuple(
            replace(seat, h=client_commitment(ctx, number, c_of(ctx, number)) if number in seats else b"")
            for number, seat in enumerate(asked.seats)
        ),
    )


def secret_of(attempt: StoredAttempt) -> bytes:
    """The secret of an attempt that is revealed."""
    assert attempt.revealed is not None
    return attempt.revealed.secret


def transcript_of(attempt: StoredAttempt) -> bytes:
    """The transcript of an attempt that is settled."""
    assert attempt.settled is not None
    return attempt.settled.transcript


def verify_with(keys: dict[str, bytes], key_id: str, signed: bytes, signature: bytes) -> bool | None:
    """Whether a signature is right by the published keys; None for a key that is not among them."""
    if key_id not in keys:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(keys[key_id]).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


class Table:
    """A table that asks for its deals, as the table service does."""

    def __init__(self, channel: grpc.aio.Channel, owner: Owner = OWNER) -> None:
        self.channel = channel
        self.stub = ShuffleServiceStub(channel)
        self.owner = wire.TableOwner(table_id=owner.table_id, epoch=owner.epoch)

    async def begin(self, ctx: DealContext) -> wire.BeginResponse:
        return await self.stub.Begin(wire.BeginRequest(context=write_context(ctx), owner=self.owner))

    async def close(self, ctx: DealContext, asked: Closing) -> wire.CloseResponse:
        request = wire.CloseRequest(
            context=write_context(ctx),
            owner=self.owner,
            seats=[wire.CeremonySeat(account_id=seat.account, bot=seat.bot, h=seat.h) for seat in asked.seats],
            dealer_draw_due=asked.dealer_draw_due,
            cut=asked.cut,
        )
        if asked.host != NO_HOST:
            request.host_seat = asked.host
        return await self.stub.Close(request)

    async def contribute(
        self, ctx: DealContext, came: dict[int, bytes], *, last: bool = False
    ) -> wire.ContributeResponse:
        contributions = [wire.SeatContribution(seat=seat, c=c) for seat, c in came.items()]
        return await self.stub.Contribute(
            wire.ContributeRequest(context=write_context(ctx), owner=self.owner, contributions=contributions, last=last)
        )

    async def deck(self, ctx: DealContext) -> bytes:
        return (await self.stub.Deck(wire.DeckRequest(context=write_context(ctx), owner=self.owner))).deck

    async def reshuffle(self, ctx: DealContext, number: int, pile: bytes) -> bytes:
        request = wire.ReshuffleRequest(context=write_context(ctx), owner=self.owner, number=number, pile=pile)
        return (await self.stub.Reshuffle(request)).stock

    async def reveal(self, ctx: DealContext, *, match_over: bool = False) -> FairDeal:
        request = wire.RevealRequest(context=write_context(ctx), owner=self.owner, match_over=match_over)
        answer = await self.stub.Reveal(request)
        return read_fair_deal(answer.deal, answer.void_attempts)

    async def audit(self, match_id: bytes) -> wire.AuditResponse:
        return await self.stub.Audit(wire.AuditRequest(match_id=match_id))
