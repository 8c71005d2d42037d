"""The bytes under everything."""

import hashlib

import pytest

from shared.fairness.encoding import digest, lp, tag, text_bytes, u8, u32, u64, unhex
from shared.fairness.errors import FairnessError


def test_integers_are_big_endian_and_never_cut_short() -> None:
    assert (u8(255), u32(258), u64(1)) == (b"\xff", b"\0\0\1\2", b"\0\0\0\0\0\0\0\1")
    for encode, too_big in ((u8, 256), (u32, 2**32), (u64, 2**64)):
        with pytest.raises(OverflowError):
            encode(too_big)
        with pytest.raises(OverflowError):
            encode(-1)


def test_a_length_comes_before_its_bytes() -> None:
    assert lp(b"") == b"\0\0"
    assert lp(b"abc") == b"\0\3abc"
    assert lp(bytes(65_535))[:2] == b"\xff\xff"
    with pytest.raises(FairnessError):
        lp(bytes(65_536))


def test_a_tag_is_the_scheme_and_the_use() -> None:
    assert tag("stream") == b"\0\x16banakil/fair/v1/stream"


def test_the_hash_is_sha_512_over_the_parts_in_turn() -> None:
    assert digest(b"ab", b"", b"c") == hashlib.sha512(b"abc").digest()


def test_text_is_utf_8() -> None:
    assert text_bytes("سمر", "account") == b"\0\6" + "سمر".encode()


@pytest.mark.parametrize("text", ["\ud800", "x" * 65_536, "س" * 32_768])
def test_text_that_cannot_be_written_is_refused_by_name(text: str) -> None:
    with pytest.raises(FairnessError, match=r"^account: "):
        text_bytes(text, "account")


def test_hex_is_read() -> None:
    assert unhex("00ff", "h", 2) == b"\0\xff"
    assert unhex("", "h", 0, 64) == b""
    assert unhex("abcdef", "beacon") == b"\xab\xcd\xef"


@pytest.mark.parametrize(
    "text",
    [
        "AB",
        "aB",
        "a",
        "abc",
        " ab",
        "ab ",
        "a b",
        "ab\n",
        "0xab",
        "gg",
        "١٢",
        "",
        "abab",
        None,
        12,
        True,
        ["ab"],
        b"ab",
    ],
)
def test_hex_in_another_spelling_or_length_is_refused(text: object) -> None:
    with pytest.raises(FairnessError, match=r"^h: "):
        unhex(text, "h", 1)
