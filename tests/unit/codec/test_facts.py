"""Each kind of fact has its own subject in the one stream."""

import pytest
from banakil.events.v1 import facts_pb2 as wire

from shared.codec.errors import MalformedError
from shared.codec.facts import FACTS_STREAM, fact_subject, read_fact

KINDS = [field.name for field in wire.Fact.DESCRIPTOR.oneofs_by_name["fact"].fields]


def fact_of(kind: str) -> wire.Fact:
    fact = wire.Fact(fact_id="1")
    getattr(fact, kind).SetInParent()
    return fact


@pytest.mark.parametrize("kind", KINDS)
def test_a_fact_is_published_under_its_kind(kind: str) -> None:
    assert fact_subject(fact_of(kind)) == f"banakil.facts.{kind}"
    assert FACTS_STREAM.subjects == ("banakil.facts.>",)


def test_a_fact_of_no_kind_has_no_subject() -> None:
    with pytest.raises(ValueError, match="what happened"):
        fact_subject(wire.Fact(fact_id="1"))


def test_a_fact_is_read_as_it_was_written() -> None:
    fact = fact_of("match_ended")
    assert read_fact(fact.SerializeToString()) == fact


def test_what_is_no_fact_is_refused() -> None:
    with pytest.raises(MalformedError):
        read_fact(b"\xff\xff")
