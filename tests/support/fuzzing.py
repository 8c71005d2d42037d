"""Record files that are nearly right: valid ones, changed in bytes, in tokens, in values or in actions; and noise."""

import json
import random
import re
from collections.abc import Callable
from typing import Any, Final

from shared.fairness.fair_json import write_fair
from shared.rules.action_text import action_text
from shared.rules.cards import codes
from shared.rules.events import Reshuffled
from shared.rules.options import make_options
from shared.rules.position import read_position
from shared.rules.replay import drawn_starter, options_rules_id
from shared.rules.state import start_deal
from tests.support.fair_deals import BOT, HUMAN, Ceremony
from tests.support.play import Step, play, play_deal
from tests.support.positions import random_options, random_position
from tests.support.records import record

FEW_STEPS: Final = 30
Change = Callable[[bytes, random.Random], bytes]

TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
NASTY_TOKENS: Final = (
    b"null", b"true", b"false", b"0", b"-1", b"1e400", b"-1e400", b"1e-400", b"0.5", b"1.0", b"NaN", b"-Infinity",
    b"9" * 30, b"9" * 5000, b"[]", b"{}", b"[" * 40, b"]" * 40, b"[" * 3000, b'{"":', b'""', b'"JK"', b'"2S"', b'"AS"',
    b'"\\ud800"', b'"\\u0000"', b'"' + b"x" * 5000 + b'"', b'"0 undo"', b'"0 take 1"', b'"- timeout"', b'"deck"',
    b'"position"', b'"options"', b'"\xff"', b'"\\x"', b",", b":", b"\x00", b"\xed\xa0\x80",
)  # fmt: skip
NASTY_VALUES: Final[tuple[object, ...]] = (
    None, True, False, 0, 1, -1, 3, 4, 107, 10**30, 0.5, 2.0, 1e300, "", "JK", "2S", "AS", "0", "draw", "play",
    "\ud800", "\x00", "a" * 3000, [], {}, [[]], [None], ["JK"] * 3, [0, 0], [0, 1e9], {"preset": "sahrat"},
    {"hands": [["AS"], ["AS"]], "turn": 0},
)  # fmt: skip
NASTY_ACTIONS: Final = (
    "", " ", "-", "- timeout", "0", "0 draw", "1 draw", "2 take 1", "3 take 0", "0 take 9999", "0 take 99999", "1 pass",
    "0 undo", "0 meld", "0 meld |", "0 meld | |", "0 meld JK JK JK", "0 meld AS 2S 3S", "1 amend 1:",
    "1 amend 0: AS AS AS", "0 amend 9999: JK", "1 amend 1 AS", "2 discard JK", "3 discard", "0 discard 2S 2S",
    "4 draw", "-1 draw", "0 DRAW", "0  draw", "٠ draw", "0\u00a0draw", "0 draw\n", "- timeout now",
    "0 meld " + "AS " * 390, "x" * 5000, "\ud800 draw",
)  # fmt: skip


def valid_records(rng: random.Random, count: int, most_steps: int) -> list[bytes]:
    """Files as they should be, refused actions aside: from decks, positions and revealed shuffles, a few deals each."""
    makers = (_from_decks, _from_decks, _from_positions, _from_positions, _from_a_shuffle)
    return [json.dumps(makers[at % len(makers)](rng, most_steps)).encode() for at in range(count)]


def fuzzed(rng: random.Random, files: list[bytes]) -> bytes:
    """One of the files with something wrong with it; sometimes nothing but noise."""
    chance = rng.random()
    if chance < 0.03:
        return rng.randbytes(rng.choice((0, 1, 10, 200, 3000)))
    if chance < 0.06:
        return b"".join(rng.choices((*NASTY_TOKENS, b'"', b"{", b"[", b"1"), k=rng.randrange(1, 40)))
    data = rng.choice(files)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        data = rng.choice(CHANGES)(data, rng)
    if rng.random() < 0.05:
        other = rng.choice(files)
        data = data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]
    return data


def _from_decks(rng: random.Random, most_steps: int) -> dict[str, Any]:
    options = random_options(rng, target=1000)  # which no three deals reach: the match goes on
    deals: list[dict[str, object]] = []
    for _ in range(3):
        played = play_deal(rng, options, most_steps=rng.choice((most_steps, 10 * most_steps)))
        deals.append(played.in_record(refused=rng.random() < 0.5))
        if played.end.end is None:
            break
    return record(options, deals, totals=[rng.randrange(-99, 300), rng.randrange(-99, 300) / 2])


def _from_positions(rng: random.Random, most_steps: int) -> dict[str, Any]:
    options = random_options(rng, target=1000)  # which no three deals reach: the match goes on
    deals: list[dict[str, object]] = []
    for _ in range(3):
        position = random_position(rng, options)
        steps = list(play(rng, read_position(position, options, 0), most_steps=most_steps))
        deals.append(_told(steps) | {"position": position})
        if not steps or steps[-1].after.end is None:
            break
    return record(options, deals, players=["", "a", "نورة", "x" * 50][: options.seats])


def _told(steps: list[Step]) -> dict[str, object]:
    """The actions and the new stocks of a deal."""
    return {
        "actions": [action_text(step.action) for step in steps if step.action is not None],
        "reshuffles": [codes(event.stock) for step in steps for event in step.events if isinstance(event, Reshuffled)],
    }


def _from_a_shuffle(rng: random.Random, most_steps: int) -> dict[str, Any]:
    options = make_options({"preset": "sahrat", "min_real": rng.choice((1, 2)), "twos_in_sets": rng.random() < 0.5})
    ceremony = Ceremony(
        seed=str(rng.random()),
        kinds=[HUMAN, *rng.choices((HUMAN, BOT), k=3)],
        rules=options_rules_id(options),
        voids=((0,),) if rng.random() < 0.3 else (),
    )
    fair = ceremony.deal()
    starter = drawn_starter(fair, options)
    assert starter is not None
    start = start_deal(options, starter, fair.derivation().deck_faces())
    # Few enough to end before the stock does: new stocks would be the shuffle's to draw, not the player's.
    steps = list(play(rng, start, most_steps=min(most_steps, FEW_STEPS)))
    return record(options, [{"fair": write_fair(fair), "actions": _told(steps)["actions"]}])


def _change_bytes(data: bytes, rng: random.Random) -> bytes:
    """A byte or a stretch of them is lost, doubled, moved, or another."""
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 8, 200))
    part = data[at : at + length]
    other = rng.choice((b"", part * 2, bytes([rng.randrange(256)]), rng.randbytes(len(part)), b'"', b"\\", b"\xff"))
    return data[:at] + other + data[at + length :]


def _cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _change_tokens(data: bytes, rng: random.Random) -> bytes:
    """A token is lost, doubled, changed with another one of the file, or one that asks for trouble."""
    tokens = TOKEN.findall(data)
    if not tokens:
        return data
    at = rng.randrange(len(tokens))
    tokens[at] = rng.choice((b"", tokens[at] * 2, rng.choice(tokens), rng.choice(NASTY_TOKENS)))
    return b" ".join(tokens)


def _change_values(data: bytes, rng: random.Random) -> bytes:
    """Somewhere in the tree a value is another, or stands twice, or is gone, or its neighbours are shuffled."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return _change_bytes(data, rng)
    places = list(_places(tree))
    if not places:
        return json.dumps(rng.choice(NASTY_VALUES)).encode()
    parent, key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        there, at = rng.choice(places)
        parent[key] = there[at]
    elif kind == 2 and isinstance(parent, list):
        rng.shuffle(parent) if rng.random() < 0.5 else parent.insert(key, parent[key])
    else:
        parent[key] = rng.choice(NASTY_VALUES)
    return _dumped(tree, data)


def _change_actions(data: bytes, rng: random.Random) -> bytes:
    """Actions are lost, doubled, moved, or asked for by another seat; some that nobody should ask for come in."""
    try:
        tree = json.loads(data)
        lists = [deal["actions"] for deal in tree["deals"]]
        actions = rng.choice([actions for actions in lists if actions])
    except (ValueError, RecursionError, LookupError, TypeError):
        return _change_values(data, rng)
    if not isinstance(actions, list):
        return data
    for _ in range(rng.choice((1, 1, 3, 10))):
        at = rng.randrange(len(actions) + 1)
        kind = rng.randrange(4)
        if kind == 0 or at == len(actions):
            actions[at:at] = [rng.choice(NASTY_ACTIONS)] * rng.choice((1, 1, 5, 50))
        elif kind == 1:
            del actions[at]
        elif kind == 2 and isinstance(actions[at], str):
            actions[at] = rng.choice("0123-") + actions[at][1:]
        else:
            actions[at], actions[-1] = actions[-1], actions[at]
    return _dumped(tree, data)


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Each place of a value in the tree: what holds it, and its key there. Loops that a change made are not walked."""
    waiting = [tree]
    found: list[tuple[Any, Any]] = []
    while waiting and len(found) < 20_000:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
            for key, value in pairs:
                found.append((holder, key))
                waiting.append(value)
    return found


def _dumped(tree: Any, otherwise: bytes) -> bytes:
    try:
        return json.dumps(tree).encode()
    except (ValueError, RecursionError):  # a value was put into itself
        return otherwise


CHANGES: Final[tuple[Change, ...]] = (
    _change_bytes, _cut_off, _change_tokens, *[_change_values] * 5, *[_change_actions] * 5,
)  # fmt: skip
