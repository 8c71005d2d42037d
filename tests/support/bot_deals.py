"""Deals played by policies, and what a policy may not know of them."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from services.bots.policies.greedy import Greedy
from services.bots.policies.policy import Policy
from shared.rules.action_text import action_text
from shared.rules.cards import bag_cards, bag_of
from shared.rules.engine import apply
from shared.rules.events import Reshuffled
from shared.rules.evolve import evolve
from shared.rules.state import DealState
from shared.rules.views import view_of

MOST_ACTIONS = 4_000
PRESETS = list(product(("sahrat", "banakil202"), ("partners", "duel")))


def choice(state: DealState, policy: Policy | None = None) -> str:
    return action_text((policy or Greedy()).choose(view_of(state, state.turn)))


def new_stock(rng: random.Random, state: DealState) -> DealState:
    stock = bytearray(state.pile[:-1])
    rng.shuffle(stock)
    return evolve(state, Reshuffled(bytes(stock)))


def states(rng: random.Random, state: DealState, *policies: Policy) -> Iterator[DealState]:
    """The states at which a policy chooses, seat by seat, to the end of the deal; a refused choice fails the test."""
    for _ in range(MOST_ACTIONS):
        if state.end is not None:
            yield state
            return
        if state.reshuffle_due:
            state = new_stock(rng, state)
            continue
        yield state
        policy = policies[state.turn % len(policies)]
        state = apply(state, policy.choose(view_of(state, state.turn)))[1]
    pytest.fail("the deal does not come to an end")


def end_of(rng: random.Random, state: DealState, *policies: Policy) -> DealState:
    *_, last = states(rng, state, *policies)
    return last


def dealt_anew(rng: random.Random, state: DealState) -> DealState:
    """The same for the seat to act, the cards hidden from it being others."""
    hidden = bytearray(state.stock)
    for seat, hand in enumerate(state.hands):
        hidden += bytes(bag_cards(hand)) if seat != state.turn else b""
    rng.shuffle(hidden)
    hands = list(state.hands)
    for seat, hand in enumerate(state.hands):
        if seat != state.turn:
            count = hand.bit_count()
            hands[seat], hidden = bag_of(hidden[:count]), hidden[count:]
    return state._replace(hands=tuple(hands), stock=bytes(hidden))
