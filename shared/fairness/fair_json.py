"""Reads and writes the `fair` object of a record (docs/fair.md).

Reading is strict, since what is read is evidence: no unknown field, no other type, no other spelling of a number or of
hex passes. It refuses what has no meaning; whether the values agree with each other is for `verify`.
"""

from collections.abc import Mapping

from shared.fairness.closed import ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.commitment import CONTRIBUTION_BYTES, SECRET_BYTES
from shared.fairness.context import MATCH_NO_MAX, SEAT_COUNTS, DealContext
from shared.fairness.derive import CODES
from shared.fairness.encoding import HASH_BYTES, ID_BYTES, SIGNATURE_BYTES, U32_MAX, U64_MAX, unhex
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import Attempt, FairDeal, Receipt, Signatures, VoidAttempt, Witness
from shared.fairness.json_fields import Json, as_integer, as_list, as_object, as_text

_ATTEMPT_FIELDS = ("secret", "commitment", "host", "cut_kind", "cut", "beacon", "seats")
_FAIR_FIELDS = ("series", "match_no", "match", "deal_no", "attempt", "rules", *_ATTEMPT_FIELDS, "transcript")
_VOID_FIELDS = ("attempt", *_ATTEMPT_FIELDS, "failed")
_SEAT_FIELDS = ("kind", "account", "h", "c")
_VOID_SEAT_FIELDS = ("kind", "account", "h")
"""A void attempt may leave out the c that never came."""
_WITNESS_PARTS = ("attempt", "c", "closed", "transcript", "hand", "receipts")
_HAND_MAX_CARDS = 106
_SIGNATURES_MAX = 16
_FACE_OF_CODE = {code: face for face, code in enumerate(CODES)}


def read_fair(value: object) -> FairDeal:
    """The deal that a `fair` object describes. `FairnessError`, naming the field, where it can't be read."""
    fields = as_object(value, "fair", _FAIR_FIELDS, ("signatures", "void", "witness"))
    ctx = DealContext(
        series=unhex(fields["series"], "series", ID_BYTES),
        match_no=as_integer(fields["match_no"], "match_no", 1, MATCH_NO_MAX),
        match=unhex(fields["match"], "match", ID_BYTES),
        deal_no=as_integer(fields["deal_no"], "deal_no", 1, U32_MAX),
        attempt=as_integer(fields["attempt"], "attempt", 0, U32_MAX),
        seats=len(as_list(fields["seats"], "seats", max(SEAT_COUNTS))),
        rules=as_text(fields["rules"], "rules"),
    )
    return FairDeal(
        played=_read_attempt(fields, ctx, "", _SEAT_FIELDS),
        transcript=unhex(fields["transcript"], "transcript", HASH_BYTES),
        void=_read_void(fields["void"], ctx) if "void" in fields else (),
        witness=_read_witness(fields["witness"], ctx) if "witness" in fields else None,
    )


def write_fair(deal: FairDeal) -> Json:
    """The `fair` object of a deal, its fields in the order of docs/fair.md; `read_fair` gives the same deal back."""
    ctx = deal.ctx
    written: Json = {
        "series": ctx.series.hex(),
        "match_no": ctx.match_no,
        "match": ctx.match.hex(),
        "deal_no": ctx.deal_no,
        "attempt": ctx.attempt,
        "rules": ctx.rules,
        **_write_attempt(deal.played),
        "transcript": deal.transcript.hex(),
        **_write_signatures(deal.played.signatures),
    }
    if deal.void:
        written["void"] = [
            {
                "attempt": void.attempt.ctx.attempt,
                **_write_attempt(void.attempt),
                "failed": list(void.failed),
                **_write_signatures(void.attempt.signatures),
            }
            for void in deal.void
        ]
    if deal.witness is not None:
        written["witness"] = _write_witness(deal.witness)
    return written


def _read_attempt(fields: Mapping[str, object], ctx: DealContext, where: str, seat_fields: tuple[str, ...]) -> Attempt:
    seats: list[Seat] = []
    contributions: list[bytes] = []
    for number, value in enumerate(as_list(fields["seats"], where + "seats", ctx.seats)):
        name = f"{where}seats[{number}]"
        seat = as_object(value, name, seat_fields, ("c",))
        seats.append(
            Seat(
                kind=SeatKind(as_integer(seat["kind"], name + ".kind", 0, max(SeatKind))),
                account=as_text(seat["account"], name + ".account"),
                h=unhex(seat["h"], name + ".h", 0, HASH_BYTES),
            )
        )
        contributions.append(unhex(seat.get("c", ""), name + ".c", 0, CONTRIBUTION_BYTES))
    return Attempt(
        closed=ClosedSet(
            ctx=ctx,
            commitment=unhex(fields["commitment"], where + "commitment", HASH_BYTES),
            host=as_integer(fields["host"], where + "host", 0, 0xFF),
            cut_kind=CutKind(as_integer(fields["cut_kind"], where + "cut_kind", 0, max(CutKind))),
            cut=as_integer(fields["cut"], where + "cut", 0, 0xFF),
            beacon=unhex(fields["beacon"], where + "beacon"),
            seats=tuple(seats),
        ),
        secret=unhex(fields["secret"], where + "secret", SECRET_BYTES),
        contributions=tuple(contributions),
        signatures=_read_signatures(fields["signatures"], where) if "signatures" in fields else None,
    )


def _write_attempt(attempt: Attempt) -> Json:
    closed = attempt.closed
    return {
        "secret": attempt.secret.hex(),
        "commitment": closed.commitment.hex(),
        "host": closed.host,
        "cut_kind": int(closed.cut_kind),
        "cut": closed.cut,
        "beacon": closed.beacon.hex(),
        "seats": [
            {"kind": int(seat.kind), "account": seat.account, "h": seat.h.hex(), "c": contribution.hex()}
            for seat, contribution in zip(closed.seats, attempt.contributions, strict=True)
        ],
    }


def _read_void(value: object, ctx: DealContext) -> tuple[VoidAttempt, ...]:
    items = as_list(value, "void", max(SEAT_COUNTS))
    if not items and ctx.attempt:
        raise FairnessError("void", f"lists nothing, but this is attempt {ctx.attempt}")
    attempts: list[VoidAttempt] = []
    for number, item in enumerate(items):
        where = f"void[{number}]"
        fields = as_object(item, where, _VOID_FIELDS, ("signatures",))
        of_attempt = DealContext(
            ctx.series,
            ctx.match_no,
            ctx.match,
            ctx.deal_no,
            as_integer(fields["attempt"], where + ".attempt", 0, U32_MAX),
            ctx.seats,
            ctx.rules,
        )
        failed = as_list(fields["failed"], where + ".failed", ctx.seats)
        attempts.append(
            VoidAttempt(
                attempt=_read_attempt(fields, of_attempt, where + ".", _VOID_SEAT_FIELDS),
                failed=tuple(as_integer(seat, where + ".failed", 0, ctx.seats - 1) for seat in failed),
            )
        )
    return tuple(attempts)


def _read_signatures(value: object, where: str) -> Signatures:
    fields = as_object(value, where + "signatures", ("key",), None)
    if len(fields) > _SIGNATURES_MAX:
        raise FairnessError(where + "signatures", "are too many")
    return Signatures(
        key=as_text(fields["key"], where + "signatures.key"),
        of={
            name: unhex(signature, f"{where}signatures.{name}", SIGNATURE_BYTES)
            for name, signature in fields.items()
            if name != "key"
        },
    )


def _write_signatures(signatures: Signatures | None) -> Json:
    if signatures is None:
        return {}
    return {"signatures": {"key": signatures.key, **{name: value.hex() for name, value in signatures.of.items()}}}


def _read_witness(value: object, ctx: DealContext) -> Witness:
    fields = as_object(value, "witness", ("seat",), _WITNESS_PARTS)
    receipts = as_object(fields.get("receipts", {}), "witness.receipts", (), ("h", "c"))
    hand = as_list(fields["hand"], "witness.hand", _HAND_MAX_CARDS) if "hand" in fields else None
    return Witness(
        seat=as_integer(fields["seat"], "witness.seat", 0, ctx.seats - 1),
        attempt=as_integer(fields.get("attempt", ctx.attempt), "witness.attempt", 0, ctx.attempt),
        c=unhex(fields["c"], "witness.c", CONTRIBUTION_BYTES) if "c" in fields else None,
        closed=unhex(fields["closed"], "witness.closed") if "closed" in fields else None,
        transcript=unhex(fields["transcript"], "witness.transcript", HASH_BYTES) if "transcript" in fields else None,
        hand=None if hand is None else bytes(_face(code) for code in hand),
        receipt_h=_read_receipt(receipts["h"], "witness.receipts.h") if "h" in receipts else None,
        receipt_c=_read_receipt(receipts["c"], "witness.receipts.c") if "c" in receipts else None,
    )


def _read_receipt(value: object, where: str) -> Receipt:
    fields = as_object(value, where, ("unix_ms", "signature"), ())
    return Receipt(
        unix_ms=as_integer(fields["unix_ms"], where + ".unix_ms", 0, U64_MAX),
        signature=unhex(fields["signature"], where + ".signature", SIGNATURE_BYTES),
    )


def _write_witness(witness: Witness) -> Json:
    written: Json = {"seat": witness.seat, "attempt": witness.attempt}
    for name, part in (("c", witness.c), ("closed", witness.closed), ("transcript", witness.transcript)):
        if part is not None:
            written[name] = part.hex()
    if witness.hand is not None:
        written["hand"] = [CODES[face] for face in witness.hand]
    receipts = {
        name: {"unix_ms": receipt.unix_ms, "signature": receipt.signature.hex()}
        for name, receipt in (("h", witness.receipt_h), ("c", witness.receipt_c))
        if receipt is not None
    }
    if receipts:
        written["receipts"] = receipts
    return written


def _face(code: object) -> int:
    face = _FACE_OF_CODE.get(code) if isinstance(code, str) else None
    if face is None:
        raise FairnessError("witness.hand", "has an entry that is not a card")
    return face
