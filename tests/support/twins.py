"""Two decks and one script of a deal: what a viewer may know is the same in both, all other cards are not."""

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from services.table.events import Moved, TableEvent
from services.table.state import Stage
from shared.rules import events as rules
from shared.rules.actions import Discard, SeatAction, Timeout
from shared.rules.cards import JOKER, bag_faces
from shared.rules.options import Options
from shared.rules.refusal import RefusedError
from shared.rules.state import OTHERS_CARDS, STARTER_CARDS, DealState
from shared.rules.views import Viewer
from tests.support.local_shuffle import LocalShuffle
from tests.support.play import Temper, next_action, random_deck
from tests.support.tables import PureTable

OF_THE_VIEWER = Temper(meld=0.6, amend=0.7, take=0.5, undo=0.3, timeout=0.15, mischief=0.25)
OF_OTHERS = Temper(meld=0.5, amend=0.7, take=0.0, undo=0.0, timeout=0.1, mischief=0.0)
"""They do nothing that a hidden card decides: such a card may be another one."""

Script = list[SeatAction | Timeout]


class Twins(NamedTuple):
    decks: tuple[bytes, bytes]
    starter: int
    script: Script
    """What is asked for, in order; some of it by the viewer is refused."""
    hidden: int
    """Cards that differ between the decks."""


def make_twins(rng: random.Random, options: Options, viewer: Viewer, most: int = 60) -> Twins:
    """A deal that neither ends within the script, since its end shows every hand, nor is reshuffled."""
    while True:
        deck, starter = random_deck(rng), rng.randrange(options.seats)
        table = PureTable(options, shuffle=LocalShuffle(decks={1: deck}, starter=starter))
        table.settle()
        seen = _Seen(options, starter, deck, viewer)
        script = list(_script(rng, table, seen, viewer, most))
        hidden = sorted(set(range(len(deck))) - seen.positions)
        faces = [deck[place] for place in hidden]
        rng.shuffle(faces)
        twin = bytearray(deck)
        for place, face in zip(hidden, faces, strict=True):
            twin[place] = face
        changed = sum(one != other for one, other in zip(deck, twin, strict=True))
        if len(script) >= most // 2 and changed >= 10:
            return Twins((deck, bytes(twin)), starter, script, changed)


def _script(
    rng: random.Random, table: PureTable, seen: "_Seen", viewer: Viewer, most: int
) -> Iterator[SeatAction | Timeout]:
    for _ in range(most):
        deal = table.deal
        action = _next(rng, deal, viewer)
        before = len(table.steps)
        try:
            if isinstance(action, Timeout):
                table.ring()
            else:
                table.act(action)
        except RefusedError:
            yield action
            continue
        events = [event for step in table.steps[before:] for event in step.events]
        taken_back = any(isinstance(event, Moved) and isinstance(event.event, rules.Undone) for event in events)
        if table.state.stage is not Stage.DEAL or table.deal.reshuffle_due or (taken_back and deal.turn != viewer):
            return
        for event in events:
            seen.note(event)
        yield action


def _next(rng: random.Random, deal: DealState, viewer: Viewer) -> SeatAction | Timeout:
    if deal.turn == viewer:
        return next_action(rng, deal, OF_THE_VIEWER)
    if deal.time_up:
        return Discard(deal.turn, rng.choice(bag_faces(deal.hands[deal.turn])))
    return next_action(rng, deal, OF_OTHERS)


class _Seen:
    """The places in the deck of the cards that a viewer has been shown, or held."""

    def __init__(self, options: Options, starter: int, deck: bytes, viewer: Viewer) -> None:
        self.positions: set[int] = set()
        self._deck = deck
        self._viewer = viewer
        self._held: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(options.seats)]
        self._pile: list[int] = []
        self._on_table: dict[int, list[int]] = defaultdict(list)
        self._next = 0
        for turn in range(options.seats):
            seat = (starter + turn) % options.seats
            for _ in range(OTHERS_CARDS if turn else STARTER_CARDS):
                self._draw(seat)

    def note(self, event: TableEvent) -> None:
        match event:
            case Moved(rules.Drew(seat)):
                self._draw(seat)
            case Moved(rules.Discarded(seat, card)):
                self._pile.append(self._show(seat, card))
            case Moved(rules.Took(seat, depth)):
                for place in self._pile[-depth:]:
                    self._held[seat][self._deck[place]].insert(0, place)
                del self._pile[-depth:]
            case Moved(rules.Laid(seat, melds)):
                for meld in melds:
                    for face in meld.cards:
                        self._show(seat, face)
            case Moved(rules.Amended(seat, _, added, released)):
                for face in added:
                    self._show(seat, face)
                if released:
                    # Which of the two jokers it was matters not: both have been shown, or this one has.
                    place = next(place for place in self.positions if self._deck[place] == JOKER)
                    self._held[seat][JOKER].insert(0, place)
            case _:
                pass  # only the viewer takes back, whose cards are all the same

    def _draw(self, seat: int) -> None:
        self._held[seat][self._deck[self._next]].append(self._next)
        if seat == self._viewer:
            self.positions.add(self._next)
        self._next += 1

    def _show(self, seat: int, face: int) -> int:
        """A card leaves a hand for all to see: one that was seen before, if the hand has one."""
        held = self._held[seat][face]
        place = held.pop(0) if held else next(place for place in self.positions if self._deck[place] == face)
        self.positions.add(place)
        return place
