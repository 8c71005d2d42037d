"""Hints on the wire (R12)."""

from banakil.table.v1 import hints_pb2 as wire
from banakil.table.v1.actions_pb2 import Cards

from shared.rules.cards import codes
from shared.rules.hints import Hints


def write_hints(hints: Hints) -> wire.Hints:
    """The hints of one hand, for its player only."""
    best = wire.Hints.Best(
        melds=[Cards(cards=codes(meld)) for meld in hints.best.melds],
        half_points=hints.best.half_points,
        left_count=hints.best.left,
    )
    return wire.Hints(
        best=best,
        melds=[Cards(cards=codes(meld)) for meld in hints.melds],
        layoffs=[wire.Hints.Layoff(meld_id=number, cards=codes(layout)) for number, layout in hints.layoffs],
        jokers=[wire.Hints.Joker(meld_id=number, card=codes([card])[0]) for number, card in hints.jokers],
        take=hints.take,
    )
