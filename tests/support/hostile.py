"""Record files made to cost time or memory: the worst that is known of each part of reading, replaying, answering."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from shared.fairness.fair_json import write_fair
from shared.rules.cards import FULL_DECK, bag_cards, bag_of, codes
from shared.rules.notation import parse_notation
from shared.rules.options import make_options
from shared.rules.position import write_position
from shared.rules.record import LARGEST_BYTES, MOST_ACTIONS, MOST_DEALS
from shared.rules.state import DealState, all_cards
from tests.support.fair_deals import HUMAN, Ceremony, Signer
from tests.support.records import record

HARD_SEARCH = (
    "sahrat min_real=1 natural_two_is_real=true max_reshuffles=0 0 draw r0 / "
    "AHACAC3S3S3C4D5H5C6H6H6D6D7S7D7C7C9D9CTHTHTDJSJHQDQCKH KS KS KS / - / TC / "
    "2:6CJK8C9CTC 2:JC2CKC 2:4D5DJK7D8D2C"
)
"""A hand and melds for which it takes long to see that the pile's last card is of no use, so that the deal is dead."""
FEW = {"position": {"hands": [["AS"]] * 4, "turn": 0, "phase": "play"}, "actions": []}


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Each file with a name for it."""
    yield from _hostile_json()
    yield from _hostile_values()
    yield from _hostile_play()
    yield from _hostile_hands()


def _hostile_json() -> Iterator[tuple[str, bytes]]:
    """Files that cost before they are seen to be no records."""
    full = LARGEST_BYTES
    yield "open brackets", b"[" * full
    yield "open objects", b'{"":' * (full // 4)
    yield "brackets, nested as deep as is read", b"[" * 900 + b"]" * 900
    yield "empty objects", b"[" + b"{}," * (full // 3 - 2) + b"{}]"
    yield "empty lists", b"[" + b"[]," * (full // 3 - 2) + b"[]]"
    yield "objects of one field", b"[" + b'{"":0},' * (full // 7 - 2) + b"{}]"
    yield "objects of six fields", b"[" + b'{"":0,"a":0,"b":0,"c":0,"d":0,"e":0},' * (full // 37 - 2) + b"{}]"
    yield "fields", b"{" + b",".join(b'"%x":0' % number for number in range(full // 11)) + b"}"
    yield "numbers with fractions", b"[" + b"1.5," * (full // 4 - 2) + b"1]"
    yield "one endless whole number", b"9" * full
    yield "numbers as long as are read", b"[" + b",".join([b"9" * 4300] * (full // 4301 - 1)) + b"]"
    yield "one endless fraction", b"0." + b"1" * (full - 2)
    yield "one endless exponent", b"1e" + b"9" * (full - 2)
    yield "short texts", b"[" + b'"ab",' * (full // 5 - 2) + b'""]'
    yield "one endless text", b'"' + b"x" * (full - 2) + b'"'
    yield "one endless text of escapes", b'"' + b"\\ud83d\\ude00" * (full // 12 - 1) + b'"'
    yield "one endless text of wide signs", ('"' + "😀" * (full // 4 - 1) + '"').encode()
    yield "backslashes", b'"' + b"\\\\" * (full // 2 - 1) + b'"'
    yield "spaces", b" " * full
    yield "zeros", b"\x00" * full
    yield "too long", b" " * (10 * full)


def _hostile_values() -> Iterator[tuple[str, bytes]]:
    """Records whose values cost before a deal begins."""
    table = make_options({"preset": "sahrat"})
    whole = record(table, [FEW])
    yield (
        "a nested value to be shown",
        _dump(record(table, [{**FEW, "actions": ["DEEP"]}])).replace(b'"DEEP"', b"[" * 900 + b"]" * 900),
    )
    yield "an endless preset", _dump({**whole, "options": {"preset": "x" * 1_900_000}})
    yield "an endless option", _dump({**whole, "options": {"preset": "sahrat", "x" * 1_900_000: 1}})
    yield "endless names", _dump({**whole, "players": ["\u00e9" * 75_000] * 4})
    yield "totals beyond all", _dump({**whole, "totals": [0, 0]}).replace(b'"totals": [0', b'"totals": [' + b"9" * 4000)
    yield "unknown fields", _dump({**whole, "more": [{"a": [0]}] * 150_000})
    yield "deals", _dump(record(table, [{"deck": codes(FULL_DECK), "actions": ["0 draw"]}] * MOST_DEALS))
    yield "cards that are none", _dump(record(table, [{"deck": ["1S"] * 300_000, "actions": []}]))
    fair = {"fair": {"seats": [{"account": "x" * 400_000}] * 4, "beacon": "00" * 100_000}, "actions": []}
    yield "a shuffle of endless texts", _dump(record(table, [fair]))
    yield "shuffles, each the last of five attempts", _dump(record(table, list(_shuffles(MOST_DEALS))))


def _shuffles(count: int) -> Iterator[dict[str, Any]]:
    """Deals of one match by their fair values, with all signatures, none of them played; as many as fit."""
    signer, size = Signer(named=False), 0
    for number in range(1, count + 1):
        ceremony = Ceremony("hostile", (HUMAN,) * 4, deal_no=number, voids=((0,), (1,), (2,), (3,)), signer=signer)
        deal = {"starter": 0, "fair": write_fair(ceremony.deal()), "actions": []}
        size += len(_dump(deal))
        if size > LARGEST_BYTES - 1000:
            return
        yield deal


def _hostile_play() -> Iterator[tuple[str, bytes]]:
    """Records whose actions cost."""
    table = make_options({"preset": "sahrat"})
    for text in ("0 undo", "1 draw", "0 meld", "0 amend 1: AS", "0 meld JK", "0 pass"):
        yield f"{text}, again and again", _dump(record(table, [{**FEW, "actions": [text] * MOST_ACTIONS}]))
    yield "more actions than are read", _dump(record(table, [{**FEW, "actions": ["0 undo"] * (MOST_ACTIONS + 1)}]))
    long_action = "0 meld " + " ".join(["AS"] * 390)
    yield "long actions", _dump(record(table, [{**FEW, "actions": [long_action] * 1600}]))
    long_amend = "0 amend 1: " + " ".join(["5S", "JK"] * 190)
    yield "long amends", _dump(record(table, [{**FEW, "actions": [long_amend] * 1600}]))
    of_use = parse_notation("sahrat 0 draw r0 / 5H6H9D 9C 9C 9C / 8S / 7H / -")
    yield "take and undo, again and again", _record_of(of_use, ["0 take 1", "0 undo"] * (MOST_ACTIONS // 2))
    yield "a hard search before each deal", _dead_deals()
    yield "the clock, deal after deal", _slept_deals(60)


def _hostile_hands() -> Iterator[tuple[str, bytes]]:
    """Positions of which there is much to tell."""
    deck = codes(FULL_DECK)
    whole = {"position": {"hands": [deck, [], [], []], "turn": 0, "phase": "play"}, "actions": []}
    melds: list[dict[str, Any]] = [
        {"owner": owner, "cards": [rank + suit for rank in ranks]}
        for suit in "SHDC"
        for owner, ranks in ((0, "345"), (2, "678"), (0, "9TJ"), (2, "QKA"))
    ]
    rest = list((Counter(deck) - Counter(card for meld in melds for card in meld["cards"])).elements())
    split = {"position": {"hands": [rest, [], [], []], "turn": 0, "phase": "play", "melds": melds}, "actions": []}
    for options in (
        {"min_real": 1, "twos_in_sets": True},
        {"min_real": 2, "twos_in_sets": False, "natural_two_is_real": True, "two_move": "free"},
    ):
        table = make_options({"preset": "sahrat", **options})
        named = ", ".join(f"{name}={value}" for name, value in options.items())
        yield f"the whole deck in a hand, {named}", _dump(record(table, [whole]))
        yield f"16 melds and the rest in a hand, {named}", _dump(record(table, [split]))
    state = parse_notation(HARD_SEARCH)
    dead = {"position": write_position(state), "actions": []}
    yield "a hard search, then 16 melds and the rest in a hand", _dump(record(state.options, [dead, split]))


def _dead_deals() -> bytes:
    """Deals that are dead before they begin (R6.2), which takes a hard search to see, each a little other than all."""
    state = parse_notation(HARD_SEARCH)
    deals = []
    for number in range(MOST_DEALS):
        fewer = bytes(bag_cards(state.hands[0]))
        fewer = fewer[: number % 17] + fewer[number % 17 + 1 + number // 17 % 3 :]
        deals.append(
            {"position": write_position(state._replace(hands=(bag_of(fewer), *state.hands[1:]))), "actions": []}
        )
    return _dump(record(state.options, deals))


def _slept_deals(count: int) -> bytes:
    """Deals that the clock plays alone, each of many turns, until they end dead."""
    rng = random.Random(1)
    state = parse_notation(HARD_SEARCH)
    missing = bytearray((Counter(FULL_DECK) - Counter(all_cards(state))).elements())
    deals = []
    for _ in range(count):
        rng.shuffle(missing)
        position = write_position(state._replace(stock=bytes(missing)))
        deals.append({"position": position, "actions": ["- timeout"] * (2 * len(missing))})
    return _dump(record(state.options, deals))


def _record_of(state: DealState, actions: list[str]) -> bytes:
    return _dump(record(state.options, [{"position": write_position(state), "actions": actions}]))


def _dump(value: object) -> bytes:
    return json.dumps(value).encode()
