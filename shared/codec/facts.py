"""Facts on the bus: the stream that keeps them, the subject of each kind, and reading them.

A fact travels as the bytes of a ``banakil.events.v1.Fact`` under ``banakil.facts.<kind>``, its ``fact_id`` being the
message id.
"""

from typing import Final

from banakil.events.v1 import facts_pb2 as wire
from google.protobuf.message import DecodeError

from shared.codec.errors import MalformedError
from shared.kit.bus import Stream

FACTS_STREAM: Final = Stream("FACTS", ("banakil.facts.>",))


def fact_subject(fact: wire.Fact) -> str:
    """The subject that `fact` is published under. Raises `ValueError` for a fact of no kind."""
    kind = fact.WhichOneof("fact")
    if kind is None:
        raise ValueError("a fact says what happened")
    return f"banakil.facts.{kind}"


def read_fact(payload: bytes) -> wire.Fact:
    """The fact in a message. One of a kind not known here has none. Raises `MalformedError` for what is no fact."""
    try:
        return wire.Fact.FromString(payload)
    except DecodeError:
        raise MalformedError("not a fact") from None
