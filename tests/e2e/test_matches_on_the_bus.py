"""All that was said on the bus while whole matches were played, and all that it has kept of it: nothing is secret."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from banakil.events.v1.facts_pb2 import Fact

from shared.fairness.derive import dealt_hand
from shared.fairness.fair_json import read_fair
from shared.rules.cards import bag_cards, bag_of, codes
from tests.support.card_scan import cards_listed, codes_sent, spelt, tokens_in
from tests.support.ear import Ear, Heard
from tests.support.minimal_bot import Played
from tests.support.up import Up

TOLD = {"match_started", "deal_ended", "match_ended", "seat_vacated", "table_closed"}
SLICE = 12
"""So many cards of a hand or a deck, in their order, are no chance."""
Matches = dict[tuple[str, str], Played]


class Secrets(NamedTuple):
    """Bytes that nobody may ever have heard, of what they are."""

    what: str
    spelt: bytes


def secrets_of(played: Played) -> Iterator[Secrets]:
    """Of a whole match: every secret, every deck as faces and as ids, and every hand, as dealt and sorted."""
    record = played.record
    seats = len(record["players"])
    for number, deal in enumerate(record["deals"], 1):
        fair = read_fair(deal["fair"])
        derivation = fair.derivation()
        deck = derivation.deck_faces()
        told = [(f"secret of deal {number}", fair.played.secret)]
        told += [(f"deck of deal {number}", cards) for cards in (deck[:SLICE], derivation.deck_ids()[:SLICE])]
        for seat in range(seats):
            hand = dealt_hand(deck, seat, deal["starter"], seats)
            in_order = bytes(bag_cards(bag_of(hand)))
            told += [(f"hand of seat {seat} in deal {number}", cards[:SLICE]) for cards in (hand, in_order)]
            yield Secrets(f"codes of seat {seat} in deal {number}", " ".join(codes(hand)[:3]).encode())
        yield from (Secrets(what, way) for what, bare in told for way in spelt(bare))


def leaks(data: bytes, secrets: list[Secrets]) -> list[object]:
    """What there is in it that nobody may hear."""
    return [*cards_listed(data), *tokens_in(data), *(secret.what for secret in secrets if secret.spelt in data)]


@pytest.fixture(scope="module")
def secrets(matches: Matches) -> list[Secrets]:
    return [secret for played in matches.values() for secret in secrets_of(played)]


@pytest.fixture(scope="module")
async def heard(ear: Ear, matches: Matches) -> list[Heard]:
    """All that was heard up to the end of the last match."""
    for played in matches.values():
        await ear.match_ended(played.match_id)
    return ear.heard


def kept(up: Up) -> Iterator[tuple[Path, bytes]]:
    """The files in which the bus keeps what it was told."""
    for path in (up.data / "nats" / "store").rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


def test_the_bus_carries_facts_and_wake_ups_and_nothing_else(heard: list[Heard], matches: Matches) -> None:
    kinds = {heard_one.subject.rpartition(".")[2] for heard_one in heard if heard_one.subject.startswith("banakil.")}
    assert kinds == TOLD
    for message in heard:
        root = message.subject.split(".")[0]
        if root == "banakil":
            fact = Fact.FromString(message.payload)
            assert codes_sent(fact) == set(), fact
        elif root == "lobby":
            assert len(message.payload) <= 16, message
        else:
            assert root == "$JS" or root.startswith("_INBOX"), message
            assert not message.payload or json.loads(message.payload) is not None


def test_no_message_on_the_bus_holds_a_hand_a_deck_a_secret_or_a_token(
    heard: list[Heard], secrets: list[Secrets]
) -> None:
    assert len(heard) > 100
    everything = b"\n".join(message.everything for message in heard)
    assert leaks(everything, secrets) == []


def test_no_file_of_the_bus_holds_a_hand_a_deck_a_secret_or_a_token(
    quick: Up, heard: list[Heard], secrets: list[Secrets], matches: Matches
) -> None:
    files = list(kept(quick))
    for played in matches.values():
        assert any(played.match_id.encode() in content for _, content in files), "the files cannot be read"
    for path, content in files:
        assert leaks(content, secrets) == [], path
    assert heard


def test_each_of_these_would_be_noticed(matches: Matches, secrets: list[Secrets]) -> None:
    for secret in secrets:
        assert leaks(b"about " + secret.spelt + b" it", secrets)
    played = matches["sahrat", "partners"]
    first = played.record["deals"][0]
    hand = dealt_hand(read_fair(first["fair"]).derivation().deck_faces(), 0, first["starter"], 4)
    for spoken in (json.dumps(codes(hand)), str(list(hand)), str(hand), " ".join(codes(hand))):
        assert leaks(spoken.encode(), []), spoken
