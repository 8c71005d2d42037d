"""Builds revealed deals as an honest shuffle service and honest clients make them, the same from the same seed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.fairness import signing
from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.commitment import client_commitment, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation, dealt_hand
from shared.fairness.fair_deal import Attempt, FairDeal, Receipt, Signatures, VoidAttempt, Witness
from shared.fairness.transcript import transcript

ABSENT, HUMAN, BOT, SHUT_OUT = SeatKind
RECEIVED_UNIX_MS = 1_750_000_000_000


def drawn(seed: str, name: str, length: int) -> bytes:
    """Bytes that look random and are always the same."""
    return hashlib.shake_256(f"{seed}/{name}".encode()).digest(length)


class Signer:
    """A shuffle service's signing key, and the answer of whoever has its public half."""

    def __init__(self, seed: str = "signer", *, named: bool = True) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(drawn(seed, "key", 32))
        self.key_id = "shuffle-1" if named else self.public_bytes().hex()

    def sign(self, what: str, payload: bytes) -> bytes:
        return self._key.sign(signing.signed_bytes(what, payload))

    def verify(self, key_id: str, signed: bytes, signature: bytes) -> bool | None:
        if key_id != self.key_id:
            return None
        try:
            self._key.public_key().verify(signature, signed)
        except InvalidSignature:
            return False
        return True

    def public_bytes(self) -> bytes:
        return self._key.public_key().public_bytes_raw()


@dataclass(frozen=True)
class Ceremony:
    """How a deal came about. `kinds`: those of the first attempt; `voids`: the seats that failed in each void one.

    Of the seats that fail, the even ones send no c and the odd ones a wrong one.
    """

    seed: str = "a deal"
    kinds: Sequence[SeatKind] = (HUMAN, HUMAN, HUMAN, BOT)
    rules: str = "sahrat"
    match_no: int = 1
    deal_no: int = 1
    host: int = NO_HOST
    cut: int = 0
    beacon: bytes = b""
    voids: Sequence[Sequence[int]] = ()
    accounts: Sequence[str] = ("p0", "p1", "p2", "p3")
    secret: bytes | None = None
    series: bytes | None = None
    signer: Signer | None = field(default=None, compare=False)

    def deal(self) -> FairDeal:
        kinds = list(self.kinds)
        void: list[VoidAttempt] = []
        for number, failed in enumerate(self.voids):
            void.append(VoidAttempt(self._fail(self._attempt(number, kinds), failed), tuple(failed)))
            for seat in failed:
                kinds[seat] = SHUT_OUT
        played = self._attempt(len(self.voids), kinds)
        value = transcript(played.closed, played.contributions)
        if self.signer and played.signatures:
            of = {**played.signatures.of, signing.TRANSCRIPT: self.signer.sign(signing.TRANSCRIPT, value)}
            played = replace(played, signatures=replace(played.signatures, of=of))
        return FairDeal(played, value, tuple(void))

    def contribution(self, attempt: int, seat: int) -> bytes:
        return drawn(self.seed, f"c/{self.deal_no}/{attempt}/{seat}", 32)

    def context(self, attempt: int) -> DealContext:
        match = drawn(self.seed, "match", 16)
        series = self.series or (match if self.match_no == 1 else drawn(self.seed, "series", 16))
        return DealContext(series, self.match_no, match, self.deal_no, attempt, len(self.kinds), self.rules)

    def _attempt(self, number: int, kinds: Sequence[SeatKind]) -> Attempt:
        ctx = self.context(number)
        secret = self.secret or drawn(self.seed, f"S/{self.deal_no}/{number}", 128)
        cut_kind = CutKind.NONE
        if self.host != NO_HOST:
            cut_kind = CutKind.HOST if self.cut and kinds[self.host] is HUMAN else CutKind.AUTOMATIC
        contributions = tuple(
            self.contribution(number, seat) if kind is HUMAN else b"" for seat, kind in enumerate(kinds)
        )
        closed = ClosedSet(
            ctx=ctx,
            commitment=server_commitment(ctx, secret),
            host=self.host,
            cut_kind=cut_kind,
            cut=self.cut if cut_kind is CutKind.HOST else 0,
            beacon=self.beacon,
            seats=tuple(
                Seat(kind, "" if kind is BOT else self.accounts[seat], client_commitment(ctx, seat, c) if c else b"")
                for seat, (kind, c) in enumerate(zip(kinds, contributions, strict=True))
            ),
        )
        return Attempt(closed, secret, contributions, self._signatures(closed, secret))

    def _signatures(self, closed: ClosedSet, secret: bytes) -> Signatures | None:
        if self.signer is None:
            return None
        payloads = {
            signing.COMMIT: signing.commit_payload(closed.ctx, closed.commitment),
            signing.CLOSED: closed.encode(),
            signing.REVEAL: signing.reveal_payload(closed.ctx, secret),
        }
        return Signatures(self.signer.key_id, {what: self.signer.sign(what, data) for what, data in payloads.items()})

    def _fail(self, attempt: Attempt, failed: Sequence[int]) -> Attempt:
        contributions = list(attempt.contributions)
        for seat in failed:
            contributions[seat] = drawn(self.seed, f"wrong/{seat}", 32) if seat % 2 else b""
        return replace(attempt, contributions=tuple(contributions))


def with_witness(deal: FairDeal, ceremony: Ceremony, seat: int, starter: int) -> FairDeal:
    """The deal with what an honest client at `seat` would have kept of it."""
    assert ceremony.signer is not None
    number = deal.ctx.attempt
    c = ceremony.contribution(number, seat)

    def receipt(what: str, value: bytes) -> Receipt:
        assert ceremony.signer is not None
        payload = signing.receipt_payload(deal.ctx, seat, value, RECEIVED_UNIX_MS)
        return Receipt(RECEIVED_UNIX_MS, ceremony.signer.sign(what, payload))

    deck = Derivation(deal.played.secret, deal.transcript).deck_faces()
    return replace(
        deal,
        witness=Witness(
            seat=seat,
            attempt=number,
            c=c,
            closed=deal.closed.encode(),
            transcript=deal.transcript,
            hand=bytes(sorted(dealt_hand(deck, seat, starter, deal.ctx.seats))),
            receipt_h=receipt(signing.RECEIPT_H, client_commitment(deal.ctx, seat, c)),
            receipt_c=receipt(signing.RECEIPT_C, c),
        ),
    )


def remade(deal: FairDeal, closed: ClosedSet) -> FairDeal:
    """The deal as an operator would publish it afterwards with another closed set: all of it consistent again."""
    return replace(
        deal,
        played=replace(deal.played, closed=closed, signatures=None),
        transcript=transcript(closed, deal.played.contributions),
    )
