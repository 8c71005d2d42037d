"""The stream, and that nothing drawn from it leans to one side."""

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest

from shared.fairness.derive import Derivation
from shared.fairness.errors import FairnessError
from shared.fairness.stream import Stream

SECRET = bytes(range(128))
TRANSCRIPT = bytes(64)


class Scripted(Stream):
    """A stream that gives the bytes it is told to."""

    def __init__(self, script: bytes) -> None:
        super().__init__(SECRET, TRANSCRIPT, "deal", 0)
        self.script = list(script)

    def byte(self) -> int:
        return self.script.pop(0)


def test_the_stream_is_an_hmac_in_counter_mode() -> None:
    stream = Stream(SECRET, TRANSCRIPT, "cut", 9)
    read = bytes(stream.byte() for _ in range(200))
    head = b"\0\x16banakil/fair/v1/stream" + TRANSCRIPT + b"\0\3cut" + b"\0\0\0\x09"
    blocks = [hmac.new(SECRET, head + j.to_bytes(4, "big"), hashlib.sha512).digest() for j in range(4)]
    assert read == b"".join(blocks)[:200]


def test_each_purpose_and_number_has_a_stream_of_its_own() -> None:
    streams = [(SECRET, TRANSCRIPT, "deal", 0), (SECRET, TRANSCRIPT, "dealer", 0), (SECRET, TRANSCRIPT, "deal", 1)]
    streams += [(SECRET, bytes(63) + b"\1", "deal", 0), (bytes(128), TRANSCRIPT, "deal", 0)]
    assert len({bytes(stream.byte() for _ in range(32)) for stream in (Stream(*s) for s in streams)}) == 5


@pytest.mark.parametrize("n", range(1, 257))
def test_every_number_comes_from_equally_many_bytes_and_the_rest_are_thrown_away(n: int) -> None:
    drawn: Counter[int] = Counter()
    thrown_away = 0
    for first in range(256):
        stream = Scripted(bytes((first, 0)))
        number = stream.uniform(n)
        if stream.script:
            drawn[number] += 1
        else:
            thrown_away += 1
    assert drawn == dict.fromkeys(range(n), 256 // n)
    assert thrown_away == 256 % n


@pytest.mark.parametrize("n", [0, -1, 257])
def test_no_number_is_drawn_from_a_range_that_a_byte_cannot_fill(n: int) -> None:
    with pytest.raises(FairnessError):
        Scripted(b"\0").uniform(n)


def test_a_shuffle_reaches_every_order_by_exactly_one_row_of_draws() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for draws in ((a, b, c) for a in range(4) for b in range(3) for c in range(2)):
        items = [0, 1, 2, 3]
        Scripted(bytes(draws)).shuffle(items)
        orders[tuple(items)] += 1
    assert orders == dict.fromkeys(permutations(range(4)), 1)


def test_a_shuffle_goes_from_the_back() -> None:
    items = list("abcd")
    Scripted(bytes((0, 2, 0))).shuffle(items)
    assert items == ["b", "d", "c", "a"]


@pytest.mark.parametrize("length", [0, 1])
def test_a_shuffle_of_nothing_reads_nothing(length: int) -> None:
    Scripted(b"").shuffle(list(range(length)))


def test_a_shuffle_of_more_than_a_byte_can_choose_from_is_refused() -> None:
    with pytest.raises(FairnessError):
        Scripted(b"").shuffle(list(range(257)))


@pytest.mark.parametrize(("secret", "transcript"), [(bytes(127), TRANSCRIPT), (SECRET, bytes(63)), (b"", b"")])
def test_a_key_of_the_wrong_length_is_refused(secret: bytes, transcript: bytes) -> None:
    with pytest.raises(FairnessError):
        Stream(secret, transcript, "deal", 0)
    with pytest.raises(FairnessError):
        Derivation(secret, transcript)


def test_no_secret_shows_when_a_derivation_or_a_stream_is_printed() -> None:
    for value in (Derivation(SECRET, TRANSCRIPT), Stream(SECRET, TRANSCRIPT, "deal", 0)):
        assert "secret" not in repr(value)
        assert repr(SECRET)[2:20] not in repr(value)
