"""`banakil up` with a rigged dealer: everything is real, but cards and starter are those that a test wrote down.

`python -m tests.support.rigged up` takes the options of `banakil up`, and reads `rig.json` in its working directory
whenever it deals and whenever a house bot moves, so that one process serves many tests one after the other:

    {"starter": 0, "hands": ["AH 2H", "KS"], "stock": "7D", "stockSize": 69, "turnSeconds": 20,
     "resultSeconds": 8, "swapSeconds": 10, "bots": {"2": ["take 1", "discard KS"]}, "greedy": false, "botsPace": 1000,
     "seed": 7, "honest": false, "matches": [{"starter": 2, "deals": [{"hands": ["AH"], "stock": "2C"}]}]}

`hands` by seat and `stock` from its front need not name every card: others fill them up, the same ones for each seed
and deal. `stockSize` leaves out the stock's rest, for positions that come only after a long deal or never. House bots
draw, lay nothing and throw what is least useful, but where `bots` has better for a turn: the first of these that is
legal; or they are `greedy`, as usual. They do not think it over; with a `botsPace` under 1 they do, for a quarter of
their time at the most. With `honest` cards and starter are the shuffle's own. `matches` has
who starts a match, and cards for each deal of each match; where it has none, those beside it hold. Only the starter of
a series' first match is the rig's to choose; of a later one it must be who starts it.
"""

import json
import random
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypedDict, cast
from unittest.mock import patch

from services.bots import app as bots
from services.bots import mind, talk
from services.bots.policies.fallback import Fallback
from services.bots.policies.greedy import Greedy
from services.bots.policies.registry import POLICIES
from services.bots.policies.seat import seat_to_act
from services.shuffle import app as shuffle
from services.shuffle.attempts import StoredAttempt
from services.shuffle.ceremonies import Ceremonies, Step
from services.table import clocks, swapping
from services.table import decide as deciding
from services.table import evolve as table
from services.table.events import ClockSet, TableEvent
from services.table.moment import Now
from services.table.state import TableState
from shared.cli.main import app
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation
from shared.kit.clock import Pace
from shared.rules.action_text import parse_action
from shared.rules.actions import SeatAction
from shared.rules.cards import FULL_DECK, codes, parse_card
from shared.rules.engine import decide
from shared.rules.options import Options
from shared.rules.refusal import RefusedError
from shared.rules.state import OTHERS_CARDS, STARTER_CARDS, DealState, start_deal
from shared.rules.views import View

RIG = "rig.json"
UNHURRIED: Final = 0.001
"""For the haste of bots that nobody watches: they pause for a second. Those that lay nothing never end a match, and the
tables that scenarios leave behind would take all of the machine's time."""


class DealtCards(TypedDict, total=False):
    """Of one deal."""

    hands: list[str]
    stock: str


class Match(TypedDict, total=False):
    """Of one match of a series."""

    starter: int
    deals: list[DealtCards]


@dataclass(frozen=True, slots=True)
class Rig:
    """What is dealt, and how bots play."""

    starter: int = 0
    hands: tuple[str, ...] = ()
    stock: str = ""
    stock_size: int | None = None
    turn_seconds: int | None = None
    result_seconds: int | None = None
    swap_seconds: int | None = None
    bots: dict[str, list[str]] = field(default_factory=dict)
    greedy: bool = False
    bots_pace: float = 1_000.0
    seed: int = 0
    honest: bool = False
    matches: tuple[Match, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "Rig":
        """The rig in a file."""
        kept = json.loads(path.read_text())
        return cls(
            starter=kept.get("starter", 0),
            hands=tuple(kept.get("hands", ())),
            stock=kept.get("stock", ""),
            stock_size=kept.get("stockSize"),
            turn_seconds=kept.get("turnSeconds"),
            result_seconds=kept.get("resultSeconds"),
            swap_seconds=kept.get("swapSeconds"),
            bots=kept.get("bots", {}),
            greedy=kept.get("greedy", False),
            bots_pace=kept.get("botsPace", 1_000.0),
            seed=kept.get("seed", 0),
            honest=kept.get("honest", False),
            matches=tuple(kept.get("matches", ())),
        )

    def of(self, match_no: int, deal_no: int) -> "Rig":
        """What is dealt in one deal of a series."""
        match: Match = self.matches[match_no - 1] if match_no <= len(self.matches) else {}
        deals = match.get("deals", [])
        deal: DealtCards = deals[deal_no - 1] if deal_no <= len(deals) else {}
        return replace(
            self,
            starter=match.get("starter", self.starter),
            hands=tuple(deal.get("hands", self.hands)),
            stock=deal.get("stock", self.stock),
        )

    def deck(self, seats: int, deal_no: int = 1) -> bytes:
        """The 106 cards in dealing order. A later deal has another starter, and a hand may have no room for its last.

        Raises ``ValueError`` for more cards than there are, or than a hand of the first deal holds.
        """
        order = [(self.starter + deal_no - 1 + turn) % seats for turn in range(seats)]
        named = [_cards(self.hands[seat]) if seat < len(self.hands) else b"" for seat in order]
        stock = _cards(self.stock)
        over = Counter(b"".join((*named, stock))) - Counter(FULL_DECK)
        if over:
            raise ValueError(f"there are not so many of {codes(over)}")
        left = list((Counter(FULL_DECK) - Counter(b"".join((*named, stock)))).elements())
        random.Random(f"{self.seed}/{deal_no}").shuffle(left)
        dealt = b""
        for turn, cards in enumerate(named):
            size = OTHERS_CARDS if turn else STARTER_CARDS
            if len(cards) > size and deal_no == 1:
                raise ValueError(f"seat {order[turn]} has {len(cards) - size} cards too many")
            left += cards[size:]
            missing = max(0, size - len(cards))
            dealt += cards[:size] + bytes(left[:missing])
            del left[:missing]
        return dealt + stock + bytes(left)


class RiggedCeremonies(Ceremonies):
    """The real ceremony up to the cards: those are the rig's, and so is who starts a match."""

    rig: Path

    def _deck(self, ctx: DealContext, derivation: Derivation) -> bytes:
        rig = Rig.load(self.rig)
        if rig.honest:
            return super()._deck(ctx, derivation)
        return rig.of(ctx.match_no, ctx.deal_no).deck(ctx.seats, ctx.deal_no)

    def _step(self, attempt: StoredAttempt, *, with_deck: bool = False) -> Step:
        step, rig = super()._step(attempt, with_deck=with_deck), Rig.load(self.rig)
        ctx = attempt.ctx
        if step.starter is None or rig.honest:
            return step
        return replace(step, starter=rig.of(ctx.match_no, ctx.deal_no).starter)


@dataclass(frozen=True, slots=True)
class Scripted:
    """A policy of house bots: the first action of the turn's script that is legal, else the plainest."""

    rig: Path

    def choose(self, view: View) -> SeatAction:
        state, rig = seat_to_act(view), Rig.load(self.rig)
        for text in rig.bots.get(str(state.turn_no), ()):
            action = cast(SeatAction, parse_action(f"{state.turn} {text}"))
            try:
                decide(state, action)
            except RefusedError:
                continue
            return action
        return (Greedy() if rig.greedy else Fallback()).choose(view)


@dataclass(frozen=True, slots=True)
class BotsPace:
    """Stands for the pace of the bots service."""

    rig: Path

    def ms(self, duration_ms: int) -> int:
        return Pace(Rig.load(self.rig).bots_pace).ms(duration_ms)


def main(rig: Path) -> None:
    """The command `banakil`, with the rig in it."""

    def start(options: Options, starter: int, deck: bytes) -> DealState:
        given = Rig.load(rig)
        options = replace(options, turn_seconds=given.turn_seconds or options.turn_seconds)
        dealt = start_deal(options, starter, deck)
        return dealt._replace(stock=dealt.stock[: given.stock_size])

    def turn_end(state: TableState, seat: int, now: Now) -> int:
        seconds = Rig.load(rig).turn_seconds or state.options.turn_seconds
        return clocks.turn_end(state._replace(options=replace(state.options, turn_seconds=seconds)), seat, now)

    def result_end(now: Now) -> int:
        seconds = Rig.load(rig).result_seconds
        return clocks.result_end(now) if seconds is None else now.after(seconds * 1000)

    def opened(state: TableState, now: Now) -> tuple[TableEvent, ...]:
        events, seconds = swapping.opened(state, now), Rig.load(rig).swap_seconds
        return events if not events or seconds is None else (*events[:-1], ClockSet(now.after(seconds * 1000)))

    RiggedCeremonies.rig = rig
    with ExitStack() as rigged:
        rigged.enter_context(patch.object(shuffle, "Ceremonies", RiggedCeremonies))
        rigged.enter_context(patch.object(table, "start_deal", start))
        rigged.enter_context(patch.object(deciding, "turn_end", turn_end))
        rigged.enter_context(patch.object(deciding, "result_end", result_end))
        rigged.enter_context(patch.object(deciding, "opened", opened))
        rigged.enter_context(patch.object(bots, "POLICIES", dict.fromkeys(POLICIES, Scripted(rig))))
        rigged.enter_context(patch.object(talk, "MOST_IN_DEAL", 0))  # what tests look at is not talked over
        rigged.enter_context(patch.object(bots, "Pace", lambda _: BotsPace(rig)))
        rigged.enter_context(patch.object(mind, "HASTE", UNHURRIED))
        app()


def _cards(text: str) -> bytes:
    return bytes(map(parse_card, text.split()))


if __name__ == "__main__":
    main(Path(RIG).resolve())
