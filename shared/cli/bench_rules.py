"""``banakil bench rules``: what the rules core does in a second, beside a reference loop of plain Python.

Both run in the same process, one after the other.

Absolute figures depend on the machine and on what else it does; the ratios are to be compared.
"""

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from time import perf_counter
from typing import Final

from shared.rules import usable
from shared.rules.action_text import parse_action
from shared.rules.actions import Action
from shared.rules.cards import FULL_DECK, bag_size, parse_card
from shared.rules.discard_choice import least_useful_card
from shared.rules.engine import decide
from shared.rules.events import Reshuffled
from shared.rules.evolve import evolve
from shared.rules.hints import hints_for
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import BANAKIL202, SAHRAT, Options, make_options
from shared.rules.state import DealState, Phase, start_deal

CORPUS: Final = "corpus/deals.jsonl.gz"
REFERENCE_STEPS: Final = 3_000_000
HAND_CARDS: Final = 19
HANDS: Final = 1_000
SEED: Final = 1


@dataclass(frozen=True, slots=True)
class RecordedDeal:
    """A deal of the corpus, read and ready to be played."""

    options: Options
    starter: int
    deck: bytes
    stocks: tuple[bytes, ...]
    actions: tuple[Action, ...]


def load_corpus() -> list[RecordedDeal]:
    """The shipped corpus."""
    text = gzip.decompress((files("shared.cli") / CORPUS).read_bytes()).decode()
    deals = []
    for line in text.splitlines():
        record = json.loads(line)
        deal = record["deals"][0]
        deals.append(
            RecordedDeal(
                options=make_options(record["options"]),
                starter=deal["starter"],
                deck=bytes(map(parse_card, deal["deck"])),
                stocks=tuple(bytes(map(parse_card, stock)) for stock in deal["reshuffles"]),
                actions=tuple(map(parse_action, deal["actions"])),
            )
        )
    return deals


def reference_loop(steps: int) -> float:
    """Seconds that so many steps of integer and dictionary work take."""
    began = perf_counter()
    counts: dict[int, int] = {}
    value = 1
    for _ in range(steps):
        value = (value * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        counts[value & 1023] = counts.get(value & 1023, 0) + (value >> 16 & 7)
    return perf_counter() - began


def play(deal: RecordedDeal) -> Iterator[DealState]:
    """The states of a deal, from its start; each is kept by whoever asks for the next."""
    state = start_deal(deal.options, deal.starter, deal.deck)
    stocks = iter(deal.stocks)
    yield state
    for action in deal.actions:
        for event in decide(state, action):
            state = evolve(state, event)
        if state.reshuffle_due:
            state = evolve(state, Reshuffled(next(stocks)))
        yield state


def measure() -> dict[str, object]:
    """All figures, as JSON values."""
    corpus = load_corpus()
    reference = REFERENCE_STEPS / reference_loop(REFERENCE_STEPS)
    usable.forget_searches()
    began = perf_counter()
    played = [list(play(deal)) for deal in corpus]
    took = perf_counter() - began
    actions = sum(len(deal.actions) for deal in corpus)
    states = [state for deal in played for state in deal]
    laid = [(meld, deal[-1].options) for deal in played for meld in deal[-1].melds]
    verbs = [type(action).__name__ for deal in corpus for action in deal.actions]
    rate = actions / took
    return {
        "reference": {"steps_per_s": round(reference), "what": "an integer step and a dictionary update"},
        "corpus": {
            "deals": len(corpus),
            "actions": actions,
            "melds_and_amends": round(sum(verb in ("Lay", "Amend") for verb in verbs) / actions, 3),
        },
        "actions": {"per_s": round(rate), "to_reference": round(rate / reference, 5)},
        "validate_meld": _validation(laid, reference),
        "hints": _times(_hint_states(), hints_for, reference),
        "can_use": _times(_pile_states(states), _use_afresh, reference),
        "server_discard": _times(
            [s for s in states if s.phase is Phase.PLAY and s.hands[s.turn]][::7], least_useful_card, reference
        ),
        "state_bytes": {"max": max(_own_size(state) for state in states[::50])},
    }


def run(*, json_output: bool) -> None:
    """Measure and print."""
    figures = measure()
    if json_output:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(f"{name}: {values}")


def _use_afresh(state: DealState) -> bool:
    usable.forget_searches()
    return usable.can_use(state, state.pile[-1])


def _pile_states(states: list[DealState]) -> list[DealState]:
    """Turns that begin before a pile whose top card must be melded."""
    return [s for s in states if s.phase is Phase.DRAW and s.pile and s.options.pile_take == "top_must_meld"]


def _hint_states() -> list[DealState]:
    """Starters' first turns: random hands of 19 cards, both presets."""
    rng = random.Random(SEED)
    states = []
    for number in range(HANDS):
        cards = list(FULL_DECK)
        rng.shuffle(cards)
        state = start_deal((SAHRAT, BANAKIL202)[number % 2], 0, bytes(cards))
        assert bag_size(state.hands[0]) == HAND_CARDS
        states.append(state)
    return states


def _validation(melds: list[tuple[Meld, Options]], reference: float) -> dict[str, float]:
    layouts = [(meld.cards, options) for meld, options in melds]
    began = perf_counter()
    for cards, options in layouts:
        layout_shape(cards, options)
    mean_us = (perf_counter() - began) / len(layouts) * 1e6
    return {"count": len(layouts), "mean_us": round(mean_us, 2), "reference_steps": round(mean_us * reference / 1e6, 1)}


def _times(states: list[DealState], work: Callable[[DealState], object], reference: float) -> dict[str, float]:
    """Milliseconds of each call, and the mean in steps of the reference loop."""
    times = []
    for state in states:
        began = perf_counter()
        work(state)
        times.append((perf_counter() - began) * 1000)
    times.sort()
    mean_ms = sum(times) / len(times)
    return {
        "count": len(times),
        "mean_ms": round(mean_ms, 4),
        "p99_ms": round(times[len(times) * 99 // 100], 4),
        "max_ms": round(times[-1], 4),
        "reference_steps": round(mean_ms * reference / 1000, 1),
    }


def _own_size(state: DealState) -> int:
    """Bytes of a state and all it holds but its options, which all states of a table share."""
    seen: set[int] = {id(state.options)}

    def size(value: object) -> int:
        if id(value) in seen:
            return 0
        seen.add(id(value))
        return sys.getsizeof(value) + (sum(map(size, value)) if isinstance(value, tuple) else 0)

    return size(state)
