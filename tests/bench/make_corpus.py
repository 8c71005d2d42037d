"""Makes the corpus of recorded deals that ``banakil bench rules`` plays: ``python -m tests.bench.make_corpus``.

Players who lay what is ready one meld at a time, lay off a card at a time, swap jokers, move a two now and then, take
from the pile when it is of use, and sometimes take back, so that every kind of action stands in it as in real play.
"""

import gzip
import json
import random
from collections import Counter
from pathlib import Path

from shared.rules.action_text import action_text
from shared.rules.actions import Action, Amend, Discard, Draw, Lay, Pass, Take, Undo
from shared.rules.cards import FULL_DECK
from shared.rules.discard_choice import least_useful_card
from shared.rules.engine import apply
from shared.rules.hints import hints_for
from shared.rules.legal import legal_actions
from shared.rules.options import Options, make_options
from shared.rules.record import compact_json, write_deal, write_record
from shared.rules.replay import settle_turn_start
from shared.rules.state import DealState, Phase, start_deal

CORPUS = Path(__file__).parents[2] / "shared" / "cli" / "corpus" / "deals.jsonl.gz"
DEALS = 240
SEED = 20_261_130
TABLES = (
    {"preset": "sahrat"},
    {"preset": "banakil202"},
    {"preset": "sahrat"},
    {"preset": "banakil202"},
    {"preset": "sahrat", "mode": "duel"},
    {"preset": "banakil202", "pile_take": "top_must_meld"},
    {"preset": "sahrat", "two_move": "free"},
    {"preset": "banakil202", "mode": "duel"},
)


class _Stocks:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.made: list[bytes] = []

    def new_stock(self, pile: bytes) -> bytes:
        """The pile shuffled."""
        cards = list(pile)
        self._rng.shuffle(cards)
        self.made.append(bytes(cards))
        return self.made[-1]


def choose(state: DealState, rng: random.Random) -> Action:
    """What such a player does now."""
    seat = state.turn
    legal = legal_actions(state)
    if state.phase is Phase.DRAW:
        if legal.take and rng.random() < (0.8 if len(legal.take) == 1 else 0.2):
            return Take(seat, min(rng.choice(legal.take), 6))
        return Draw(seat) if legal.draw else Pass(seat)
    best = hints_for(state).best.melds
    if best and rng.random() < 0.95:
        return Lay(seat, (best[0],))
    added = [(meld_id, cards) for meld_id, cards in legal.amends if len(cards) > len(state.melds[meld_id - 1].cards)]
    if added and rng.random() < 0.9:
        meld_id, cards = min(added, key=lambda amend: len(amend[1]) - len(state.melds[amend[0] - 1].cards))
        return Amend(seat, meld_id, cards)
    if legal.amends and rng.random() < 0.3:
        return Amend(seat, *rng.choice(legal.amends))
    if legal.discards:
        return Discard(seat, least_useful_card(state))
    return Undo(seat)


def play(options: Options, rng: random.Random) -> dict[str, object]:
    """One deal to its end, as a deal of a record."""
    cards = list(FULL_DECK)
    rng.shuffle(cards)
    deck, starter = bytes(cards), rng.randrange(options.seats)
    state = start_deal(options, starter, deck)
    stocks = _Stocks(rng)
    actions = []
    while state.end is None:
        action = choose(state, rng)
        actions.append(action_text(action))
        _, state = apply(state, action)
        _, state = settle_turn_start(state, stocks)
    return write_deal(starter, deck, stocks.made, actions)


def main() -> None:
    """Write the corpus, the same each time."""
    lines = []
    verbs: Counter[str] = Counter()
    for number in range(DEALS):
        options = make_options(TABLES[number % len(TABLES)])
        deal = play(options, random.Random(SEED + number))
        verbs.update(str(action).split()[1] for action in json.loads(compact_json(deal))["actions"])
        lines.append(compact_json(write_record(options, [deal])))
    CORPUS.parent.mkdir(exist_ok=True)
    CORPUS.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
    print(f"{DEALS} deals, {CORPUS.stat().st_size} bytes, seed {SEED}: {dict(verbs)}")


if __name__ == "__main__":
    main()
