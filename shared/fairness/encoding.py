"""How the scheme writes values as bytes (docs/fair.md): length prefixes, tags, big-endian integers, SHA-512, hex."""

import hashlib
from functools import cache

from shared.fairness.errors import FairnessError

SCHEME = "banakil/fair/v1"

HASH_BYTES = 64
ID_BYTES = 16
SIGNATURE_BYTES = 64
LP_MAX_BYTES = 0xFFFF
U32_MAX = 0xFFFF_FFFF
U64_MAX = 0xFFFF_FFFF_FFFF_FFFF


def u8(value: int) -> bytes:
    """One byte. `OverflowError` outside 0..255."""
    return value.to_bytes(1, "big")


def u32(value: int) -> bytes:
    """Four bytes, big-endian. `OverflowError` outside 0..2^32-1."""
    return value.to_bytes(4, "big")


def u64(value: int) -> bytes:
    """Eight bytes, big-endian. `OverflowError` outside 0..2^64-1."""
    return value.to_bytes(8, "big")


def lp(data: bytes) -> bytes:
    """`data` after its length in two bytes. `FairnessError` beyond 65,535 bytes."""
    if len(data) > LP_MAX_BYTES:
        raise FairnessError("length", f"{len(data)} bytes are more than a length prefix can say")
    return len(data).to_bytes(2, "big") + data


@cache
def tag(name: str) -> bytes:
    """What each hashed or signed message begins with, so that no message of one use can pass for one of another.

    The names are the scheme's own, a dozen in all.
    """
    return lp(f"{SCHEME}/{name}".encode())


def digest(*parts: bytes) -> bytes:
    """`H`: SHA-512 over the parts, one after the other."""
    return hashlib.sha512(b"".join(parts)).digest()


def text_bytes(text: str, what: str) -> bytes:
    """UTF-8, length-prefixed. `FairnessError` for text that UTF-8 or the prefix cannot hold."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise FairnessError(what, "is not text that UTF-8 can hold") from None
    if len(data) > LP_MAX_BYTES:
        raise FairnessError(what, "is too long")
    return lp(data)


def unhex(text: object, what: str, *lengths: int) -> bytes:
    """The bytes of a lower-case hex string; with `lengths`, of one of those lengths only. `FairnessError` otherwise."""
    if not isinstance(text, str):
        raise FairnessError(what, "is not a string of hex digits")
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise FairnessError(what, "is not hex") from None
    # fromhex is lenient about case and blanks; only one spelling of a value may pass, or a changed file could verify.
    if data.hex() != text:
        raise FairnessError(what, "is not lower-case hex without blanks")
    require_length(data, what, *lengths)
    return data


def require_length(data: bytes, what: str, *lengths: int) -> None:
    """`FairnessError` unless `data` has one of the lengths (any up to 65,535 where none is named)."""
    if lengths and len(data) not in lengths:
        raise FairnessError(what, f"has {len(data)} bytes, not {' or '.join(map(str, lengths))}")
    if len(data) > LP_MAX_BYTES:
        raise FairnessError(what, "is too long")
