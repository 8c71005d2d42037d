"""`ctx`: which deal a value belongs to. Every hash and signature of the scheme begins with it."""

from dataclasses import dataclass, field
from functools import lru_cache

from shared.fairness.encoding import ID_BYTES, U32_MAX, require_length, text_bytes, u8, u32
from shared.fairness.errors import FairnessError
from shared.fairness.rules_id import is_rules_id

MATCH_NO_MAX = 3
SEAT_COUNTS = (2, 4)
KEPT_CONTEXTS = 4_096


@dataclass(frozen=True, slots=True)
class DealContext:
    """One attempt at one deal. Raises `FairnessError`, naming the field, for a value out of its range.

    A match that is played by itself is a series of one: its series id is its match id.
    """

    series: bytes
    match_no: int
    match: bytes
    deal_no: int
    attempt: int
    seats: int
    rules: str
    _encoded: bytes = field(default=b"", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_length(self.series, "series", ID_BYTES)
        require_length(self.match, "match", ID_BYTES)
        if not 1 <= self.match_no <= MATCH_NO_MAX:
            raise FairnessError("match_no", f"is {self.match_no}, not 1..{MATCH_NO_MAX}")
        if not 1 <= self.deal_no <= U32_MAX:
            raise FairnessError("deal_no", f"is {self.deal_no}; deals count from 1")
        if not 0 <= self.attempt <= U32_MAX:
            raise FairnessError("attempt", f"is {self.attempt}; attempts count from 0")
        if self.seats not in SEAT_COUNTS:
            raise FairnessError("seats", f"are {self.seats}, not 2 or 4")
        if not is_rules_id(self.rules):
            raise FairnessError("rules", "is not the id of a rule set")

    def encode(self) -> bytes:
        """`ctx`."""
        if not self._encoded:
            parts = (
                self.series,
                u8(self.match_no),
                self.match,
                u32(self.deal_no),
                u32(self.attempt),
                u8(self.seats),
                text_bytes(self.rules, "rules"),
            )
            object.__setattr__(self, "_encoded", b"".join(parts))
        return self._encoded


@lru_cache(maxsize=KEPT_CONTEXTS)
def deal_context(
    series: bytes, match_no: int, match: bytes, deal_no: int, attempt: int, seats: int, rules: str
) -> DealContext:
    """The context of these values, checked and encoded once however often a ceremony comes back to it."""
    return DealContext(series, match_no, match, deal_no, attempt, seats, rules)
