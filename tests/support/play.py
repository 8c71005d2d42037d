"""A random player, seeded: plays long deals through the engine, sensible moves and mischief mixed.

It sees everything and wants nothing but variety: melds, amends, joker swaps, twos that move, takes, undos, timeouts
and passes all come often. What it does depends on the random numbers it is given and on nothing else.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from shared.rules.action_text import action_text
from shared.rules.actions import TIMEOUT, Action, Amend, Discard, Draw, Lay, Pass, Take, Undo
from shared.rules.cards import FULL_DECK, JOKER, TWOS, Face, bag_cards, bag_faces, bag_take
from shared.rules.drawing import may_pass, takeable_depths
from shared.rules.engine import apply
from shared.rules.events import DealEnded, Event, Reshuffled
from shared.rules.evolve import evolve
from shared.rules.legal import lay_offs, ready_melds
from shared.rules.options import Options
from shared.rules.record import write_deal
from shared.rules.refusal import Code, RefusedError
from shared.rules.state import DealState, Phase, start_deal
from shared.rules.stock import dead_at_turn_start

ENOUGH_STEPS = 6000
"""400 turns (R6.3) with every one of them full of mischief."""


class Step(NamedTuple):
    """One thing asked for and what came of it."""

    before: DealState
    action: Action | None
    """``None``: the new stock that was due (R6.1), or the deal that was dead before it began (R6.2)."""
    events: tuple[Event, ...]
    refused: Code | None
    after: DealState


@dataclass(frozen=True, slots=True)
class Temper:
    """How a random player plays: the chance of each kind of move where it is possible."""

    meld: float = 0.6
    several_melds: float = 0.2
    amend: float = 0.6
    take: float = 0.4
    undo: float = 0.2
    timeout: float = 0.03
    mischief: float = 0.1


def random_temper(rng: random.Random) -> Temper:
    """A player of its own kind: one that lays at once, one that hoards, one that sleeps."""
    return Temper(
        meld=rng.choice((0.05, 0.3, 0.8)),
        several_melds=rng.choice((0.1, 0.5)),
        amend=rng.choice((0.1, 0.5, 0.9)),
        take=rng.choice((0.1, 0.5, 0.9)),
        undo=rng.choice((0.1, 0.4)),
        timeout=rng.choice((0.0, 0.02, 0.2)),
        mischief=rng.choice((0.05, 0.3)),
    )


def random_deck(rng: random.Random) -> bytes:
    """The 106 cards, shuffled."""
    deck = bytearray(FULL_DECK)
    rng.shuffle(deck)
    return bytes(deck)


def random_start(rng: random.Random, options: Options) -> tuple[DealState, bytes]:
    """A deal's first state, and its deck."""
    deck = random_deck(rng)
    return start_deal(options, rng.randrange(options.seats), deck), deck


def play(
    rng: random.Random,
    state: DealState,
    temper: Temper | None = None,
    most_steps: int = ENOUGH_STEPS,
    new_stock: Callable[[bytes], bytes] | None = None,
) -> Iterator[Step]:
    """Play a deal on from a state, to its end or for so many steps and a reshuffle that the last one makes due.

    ``new_stock`` is of a pile, or any shuffle of it.
    """
    new_stock = new_stock or partial(_shuffled, rng)
    temper = temper or random_temper(rng)
    if dead_at_turn_start(state):
        ended = DealEnded("dead", None, False)
        yield Step(state, None, (ended,), None, evolve(state, ended))
        return
    for _ in range(most_steps):
        if state.end is not None:
            return
        step = _reshuffle(state, new_stock) if state.reshuffle_due else attempt(state, next_action(rng, state, temper))
        yield step
        state = step.after
    if state.reshuffle_due:
        yield _reshuffle(state, new_stock)


def attempt(state: DealState, action: Action) -> Step:
    """Ask the engine for an action."""
    try:
        events, after = apply(state, action)
    except RefusedError as refused:
        return Step(state, action, (), refused.code, state)
    return Step(state, action, events, None, after)


def _shuffled(rng: random.Random, pile: bytes) -> bytes:
    stock = bytearray(pile)
    rng.shuffle(stock)
    return bytes(stock)


def _reshuffle(state: DealState, new_stock: Callable[[bytes], bytes]) -> Step:
    event = Reshuffled(new_stock(state.pile[:-1]))
    return Step(state, None, (event,), None, evolve(state, event))


def next_action(rng: random.Random, state: DealState, temper: Temper) -> Action:
    """What the random player asks for next: mischief, the clock, or a sensible move of the seat to act."""
    chance = rng.random()
    if chance < temper.mischief:
        return mischief(rng, state)
    if chance < temper.mischief + temper.timeout:
        return TIMEOUT
    return sensible_action(rng, state, temper)


def sensible_action(rng: random.Random, state: DealState, temper: Temper) -> Action:
    """A legal move of the seat to act."""
    seat = state.turn
    if state.phase is Phase.DRAW:
        return _draw(rng, state, temper)
    if state.time_up:
        return TIMEOUT if rng.random() < 0.5 else Discard(seat, rng.choice(bag_faces(state.hands[seat])))
    if state.duties:
        return _dutiful(rng, state, temper)
    if rng.random() < temper.meld and (melds := ready_melds(state)):
        return Lay(seat, _some_melds(rng, state, melds, temper))
    if rng.random() < temper.amend and (layouts := lay_offs(state)):
        return _amend(rng, state, layouts)
    return Discard(seat, _card_to_throw(rng, state))


def _draw(rng: random.Random, state: DealState, temper: Temper) -> Action:
    seat = state.turn
    if rng.random() < temper.take and (depths := takeable_depths(state)):
        return Take(seat, rng.choice((depths[0], rng.choice(depths))))
    if may_pass(state):
        return rng.choice((Pass(seat), Take(seat, 1), Take(seat, 1)))
    return Draw(seat)


def _dutiful(rng: random.Random, state: DealState, temper: Temper) -> Action:
    """While a duty is unmet: lay its card, or lay anything, or give up."""
    seat = state.turn
    if rng.random() < temper.undo:
        return Undo(seat)
    due = bag_faces(state.duties)
    melds, layouts = ready_melds(state), lay_offs(state)
    wanted_melds = [cards for cards in melds if any(face in cards for face in due)]
    wanted = [
        (number, cards)
        for number, cards in layouts
        if any(cards.count(face) > state.melds[number - 1].cards.count(face) for face in due)
    ]
    if rng.random() < 0.2:
        wanted_melds, wanted = list(melds), list(layouts)
    moves: list[Action] = [Lay(seat, (cards,)) for cards in wanted_melds]
    moves += [Amend(seat, number, cards) for number, cards in wanted]
    if moves:
        return rng.choice(moves)
    if (melds or layouts) and rng.random() < 0.7:
        return Lay(seat, (rng.choice(melds),)) if melds else _amend(rng, state, layouts)
    return Undo(seat)


def _some_melds(rng: random.Random, state: DealState, melds: tuple[bytes, ...], temper: Temper) -> tuple[bytes, ...]:
    """One meld, or several that the hand holds together (R5.4)."""
    chosen = [rng.choice(melds)]
    hand = bag_take(state.hands[state.turn], chosen[0])
    while rng.random() < temper.several_melds:
        fitting = [cards for cards in melds if bag_take(hand, cards) >= 0]
        if not fitting:
            break
        chosen.append(rng.choice(fitting))
        hand = bag_take(hand, chosen[-1])
    return tuple(chosen)


def _amend(rng: random.Random, state: DealState, layouts: tuple[tuple[int, bytes], ...]) -> Amend:
    """A new layout; one that gives a joker back or moves a two is likelier than a plain lay-off."""

    def weight(number: int, cards: bytes) -> int:
        old = state.melds[number - 1].cards
        if JOKER in old and JOKER not in cards:
            return 6
        twos = [face for face in old if face in TWOS]
        return 4 if any(cards.find(face) != old.find(face) for face in twos) else 1

    number, cards = rng.choices(layouts, [weight(*layout) for layout in layouts])[0]
    return Amend(state.turn, number, cards)


def _card_to_throw(rng: random.Random, state: DealState) -> Face:
    faces = bag_faces(state.hands[state.turn])
    plain = [face for face in faces if face != JOKER and face not in TWOS]
    return rng.choice(plain if plain and rng.random() < 0.9 else faces)


def mischief(rng: random.Random, state: DealState) -> Action:
    """Something that is refused, as a rule: out of turn, out of phase, not held, not legal; by chance it is legal."""
    seat = state.turn if rng.random() < 0.8 else rng.randrange(state.options.seats)
    hand = bag_cards(state.hands[seat])
    kind = rng.randrange(10)
    if kind < 4 and state.melds:
        meld = rng.choice(state.melds)
        return Amend(seat, rng.choice((meld.id, meld.id, rng.randrange(40))), _perturbed(rng, meld.cards, hand))
    if kind < 7:
        melds = ready_melds(state)
        cards = rng.choice(melds) if melds else bytes(rng.sample(hand, min(len(hand), rng.randrange(5))))
        return Lay(seat, tuple(_perturbed(rng, cards, hand) for _ in range(rng.choice((0, 1, 1, 1, 2)))))
    anything: tuple[Action, ...] = (
        Draw(seat), Pass(seat), Undo(seat), Take(seat, rng.choice((0, 1, 2, 3, len(state.pile), 107))),
        Discard(seat, rng.randrange(53)), Discard(seat, rng.choice(hand) if hand else JOKER),
    )  # fmt: skip
    return rng.choice(anything)


def _perturbed(rng: random.Random, cards: bytes, hand: list[Face]) -> bytes:
    """A layout with some steps taken away from it: a card more, less, another, or elsewhere."""
    layout = list(cards)
    for _ in range(rng.randrange(4)):
        at, kind = rng.randrange(len(layout) + 1), rng.randrange(4)
        face = rng.choice(hand) if hand and rng.random() < 0.8 else rng.randrange(53)
        if kind == 0:
            layout.insert(at, face)
        elif at < len(layout):
            moved = layout.pop(at)
            if kind == 1:
                layout.insert(rng.randrange(len(layout) + 1), moved)
            elif kind == 2:
                layout.insert(at, face)
    return bytes(layout)


@dataclass(slots=True)
class PlayedDeal:
    """A deal as it was played, from its deck."""

    options: Options
    starter: int
    deck: bytes
    steps: list[Step] = field(default_factory=list)

    @property
    def end(self) -> DealState:
        """The last state."""
        return self.steps[-1].after

    @property
    def stocks(self) -> list[bytes]:
        """The new stocks, in the order made."""
        return [event.stock for step in self.steps for event in step.events if isinstance(event, Reshuffled)]

    def actions(self, *, refused: bool = False) -> list[str]:
        """What was asked for, in the record's words; without what was refused, unless that is wanted too."""
        return [
            action_text(step.action)
            for step in self.steps
            if step.action is not None and (refused or step.refused is None)
        ]

    def in_record(self, *, refused: bool = False) -> dict[str, object]:
        """The deal as one of a record's."""
        return write_deal(self.starter, self.deck, self.stocks, self.actions(refused=refused))


def play_deal(
    rng: random.Random, options: Options, temper: Temper | None = None, most_steps: int = ENOUGH_STEPS
) -> PlayedDeal:
    """Deal and play to the end, or for so many steps."""
    start, deck = random_start(rng, options)
    return PlayedDeal(options, start.starter, deck, list(play(rng, start, temper, most_steps)))
