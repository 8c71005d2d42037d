"""Matches dealt by the fair shuffle and played through, as records with all that a record can hold."""

import random
from dataclasses import dataclass
from typing import Any

from shared.fairness.closed import NO_HOST
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import write_fair
from shared.rules.cards import codes
from shared.rules.match import next_starter
from shared.rules.options import Options, make_options
from shared.rules.replay import DerivedStocks, drawn_starter, options_rules_id
from shared.rules.state import start_deal
from tests.support.fair_deals import BOT, HUMAN, Ceremony, Signer, with_witness
from tests.support.play import ENOUGH_STEPS, PlayedDeal, Temper, play
from tests.support.records import record

SIGNER = Signer(named=False)
OPTIONS = make_options({"preset": "banakil202", "target": 1000})
WITNESS = 1
HOARDERS = Temper(meld=0.02, amend=0.0, take=0.0, timeout=0.0, mischief=0.0)
"""They keep their cards, so that the stock runs out."""


@dataclass(frozen=True)
class FairMatch:
    """A match of these deals; `record` tells it as a table does."""

    options: Options
    deals: tuple[FairDeal, ...]
    played: tuple[PlayedDeal, ...]

    def record(self, *, told_twice: bool = False) -> dict[str, Any]:
        """The record; `told_twice`: with the cards that were dealt and drawn beside the values that give them."""
        deals: list[dict[str, Any]] = []
        for deal, played in zip(self.deals, self.played, strict=True):
            told: dict[str, Any] = {
                "starter": played.starter,
                "fair": write_fair(deal),
                "actions": played.actions(),
            }
            if told_twice:
                told |= {"deck": codes(played.deck), "reshuffles": [codes(stock) for stock in played.stocks]}
            deals.append(told)
        return record(self.options, deals)


def fair_match(seed: str, deals: int, last_steps: int = ENOUGH_STEPS) -> FairMatch:
    """A match of so many deals, the last of so many steps. The first came of a third attempt, and by the host's cut.

    The seats that failed sent nothing: of a wrong c no file can show that it is the one that was sent.
    """
    rng = random.Random(seed)
    fair: list[FairDeal] = []
    played: list[PlayedDeal] = []
    for number in range(1, deals + 1):
        first = number == 1
        ceremony = Ceremony(
            seed,
            (HUMAN, HUMAN, HUMAN, BOT),
            options_rules_id(OPTIONS),
            deal_no=number,
            host=WITNESS if first else NO_HOST,
            cut=44 if first else 0,
            beacon=b"beacon",
            voids=((0,), (2,)) if first else (),
            signer=SIGNER,
        )
        deal = ceremony.deal()
        starter = drawn_starter(deal, OPTIONS)
        if starter is None:
            starter = next_starter(played[-1].starter, OPTIONS)
        deck = deal.derivation().deck_faces()
        steps = ENOUGH_STEPS if number < deals else last_steps
        stocks = DerivedStocks(deal)
        start = start_deal(OPTIONS, starter, deck)
        played.append(PlayedDeal(OPTIONS, starter, deck, list(play(rng, start, HOARDERS, steps, stocks.new_stock))))
        fair.append(with_witness(deal, ceremony, WITNESS, starter))
    return FairMatch(OPTIONS, tuple(fair), tuple(played))
