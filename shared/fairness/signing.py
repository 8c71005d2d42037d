"""The byte strings that the shuffle service signs with Ed25519. The signing itself, and the keys, live elsewhere."""

from functools import cache

from shared.fairness.commitment import SECRET_BYTES
from shared.fairness.context import DealContext
from shared.fairness.encoding import HASH_BYTES, ID_BYTES, lp, require_length, tag, u8, u32, u64
from shared.fairness.errors import FairnessError

COMMIT = "commit"
RECEIPT_H = "receipt-h"
CLOSED = "closed"
RECEIPT_C = "receipt-c"
TRANSCRIPT = "transcript"
REVEAL = "reveal"
MATCH_END = "match-end"
ROOT = "root"
WHATS = frozenset({COMMIT, RECEIPT_H, CLOSED, RECEIPT_C, TRANSCRIPT, REVEAL, MATCH_END, ROOT})

DATE_DIGITS = 8


def signed_bytes(what: str, payload: bytes) -> bytes:
    """What is signed for a payload; that of `closed` is K, that of `transcript` T, of the others see below.

    `FairnessError` for a `what` that the scheme does not know.
    """
    if what not in WHATS:
        raise FairnessError("signature", f"nothing is signed as {what!r}")
    return _signed_as(what) + payload


@cache
def _signed_as(what: str) -> bytes:
    return tag("signed") + lp(what.encode())


def commit_payload(ctx: DealContext, commitment: bytes) -> bytes:
    """Of `commit`."""
    require_length(commitment, "commitment", HASH_BYTES)
    return ctx.encode() + commitment


def receipt_payload(ctx: DealContext, seat: int, value: bytes, unix_ms: int) -> bytes:
    """Of `receipt-h` with the seat's h, of `receipt-c` with its c; `unix_ms` is when the service received it."""
    return ctx.encode() + u8(seat) + value + u64(unix_ms)


def reveal_payload(ctx: DealContext, secret: bytes) -> bytes:
    """Of `reveal`."""
    require_length(secret, "secret", SECRET_BYTES)
    return ctx.encode() + secret


def match_end_payload(series: bytes, match_no: int, match: bytes, last_deal_no: int, last_attempt: int) -> bytes:
    """Of `match-end`: names the last attempt of a match, so that a deal left out at the end shows."""
    require_length(series, "series", ID_BYTES)
    require_length(match, "match", ID_BYTES)
    return series + u8(match_no) + match + u32(last_deal_no) + u32(last_attempt)


def date_bytes(date: str) -> bytes:
    """A day (UTC) as its eight ASCII digits, year first. `FairnessError` for anything else."""
    if len(date) != DATE_DIGITS or not (date.isascii() and date.isdigit()):
        raise FairnessError("date", f"{date!r} is not eight digits")
    return date.encode()


def root_payload(date: str, count: int, root: bytes, chain: bytes) -> bytes:
    """Of `root`: a day's root over `count` leaves, and its link to the day before."""
    require_length(root, "root", HASH_BYTES)
    require_length(chain, "chain", HASH_BYTES)
    return date_bytes(date) + u32(count) + root + chain
