"""Finds cards, decks, secrets and tokens in bytes, whatever they are: messages, errors, log lines, files."""

import base64
import re
from collections.abc import Iterator

from google.protobuf.message import Message

_CODE = rb"(?:[A2-9TJQK][SHDC]|JK)"
_IN_TEXT = re.compile(rb"(?<![\w$-])(" + _CODE + rb")(?![\w-])")
_LIST_OF_CODES = re.compile(rb"(?<![\w$-])(?:" + _CODE + rb"[^\w]{0,4}){4,}")
_LIST_OF_FACES = re.compile(rb"(?:\d{1,3}, ?){9,}")
_BYTES_IN_TEXT = re.compile(rb"\bb['\"](?:[ -~]*?\\x[0-9a-f]{2}){2,}")
"""As Python shows them."""
_TOKEN = re.compile(rb"eyJ[\w-]{8,}\.[\w-]+")


def codes_in(text: bytes) -> set[str]:
    """Every card whose code stands in it as a word."""
    return {found.decode() for found in _IN_TEXT.findall(text)}


def codes_sent(message: Message) -> set[str]:
    """Every card whose code stands in a message, wherever it is. AssertionError for one with unknown fields."""
    known = type(message).FromString(message.SerializeToString())
    known.DiscardUnknownFields()
    assert known.ByteSize() == message.ByteSize(), "there is something in it that nobody can read"
    return {code for text in _texts(message) for code in codes_in(text)}


def _texts(message: Message) -> Iterator[bytes]:
    for field, value in message.ListFields():
        for one in value if field.is_repeated else [value]:
            if isinstance(one, Message):
                yield from _texts(one)
            elif isinstance(one, str | bytes):
                yield one.encode() if isinstance(one, str) else one


def cards_listed(data: bytes) -> list[bytes]:
    """Four cards or more in a row, or numbers or bytes that could be as many and more."""
    return [found for pattern in (_LIST_OF_CODES, _LIST_OF_FACES, _BYTES_IN_TEXT) for found in pattern.findall(data)]


def tokens_in(data: bytes) -> list[bytes]:
    """What looks like a JWT."""
    return _TOKEN.findall(data)


def spelt(secret: bytes) -> Iterator[bytes]:
    """The ways in which bytes travel."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    # Of base64 what does not depend on what stands around it.
    yield base64.b64encode(secret)[: len(secret) // 3 * 4]
    yield base64.urlsafe_b64encode(secret)[: len(secret) // 3 * 4]
