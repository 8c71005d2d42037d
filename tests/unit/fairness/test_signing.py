"""What is signed, byte for byte."""

import pytest

from shared.fairness import signing
from shared.fairness.errors import FairnessError
from tests.support.fair_deals import Ceremony

CTX = Ceremony().context(0)


def test_what_is_signed_begins_with_its_use() -> None:
    assert signing.signed_bytes("root", b"abc") == b"\0\x16banakil/fair/v1/signed\0\4rootabc"


def test_nothing_else_is_signed() -> None:
    with pytest.raises(FairnessError):
        signing.signed_bytes("hand", b"")


def test_the_payloads_are_put_together_in_order() -> None:
    ctx, c, h, secret = CTX.encode(), bytes(range(64)), bytes(32), bytes(range(128))
    assert signing.commit_payload(CTX, c) == ctx + c
    assert signing.receipt_payload(CTX, 2, h, 1_000) == ctx + b"\2" + h + b"\0\0\0\0\0\0\3\xe8"
    assert signing.reveal_payload(CTX, secret) == ctx + secret
    assert (
        signing.match_end_payload(b"s" * 16, 3, b"m" * 16, 9, 1)
        == b"s" * 16 + b"\3" + b"m" * 16 + b"\0\0\0\x09\0\0\0\1"
    )
    assert signing.root_payload("20250601", 7, c, h + h) == b"20250601\0\0\0\7" + c + h + h


@pytest.mark.parametrize("date", ["2025061", "202506011", "2025-6-1", "٢٠٢٥٠٦٠١", "", "2025060x"])
def test_a_date_is_eight_ascii_digits(date: str) -> None:
    with pytest.raises(FairnessError, match=r"^date: "):
        signing.root_payload(date, 0, bytes(64), bytes(64))
