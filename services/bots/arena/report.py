"""A contest's figures, as JSON values."""

import math
from collections.abc import Sequence
from typing import TypeAlias

from services.bots.arena.contest import Contest, Pair
from services.bots.arena.statistics import Estimate, Sprt, estimate, percentile

Figures: TypeAlias = dict[str, object]


def report(contest: Contest, pairs: Sequence[Pair], reference: float, sprt: Sprt | None = None) -> Figures:
    """All figures of the pairs played. ``reference``: steps a second of the loop that ``cpu_ms`` is compared with."""
    deals = [(game.a_team, deal) for pair in pairs for game in pair.games for deal in game.deals]
    options = contest.options
    figures: Figures = {
        "a": contest.a,
        "b": contest.b,
        "partner": contest.partner,
        "preset": options.preset,
        "mode": options.mode,
        "seed": contest.seed,
        "playouts": contest.playouts,
        "games": "matches" if contest.matches else "deals",
        "pairs": len(pairs),
        "deals": len(deals),
        "points_per_deal": _interval(estimate([pair.points for pair in pairs])),
        "games_won": _interval(estimate([pair.won for pair in pairs])),
        "turns": round(_mean([deal.turns for _, deal in deals]), 2),
        "dead": round(_mean([deal.dead for _, deal in deals]), 4),
        "reference_steps_per_s": round(reference),
    }
    for side, name in enumerate(("of_a", "of_b")):
        outs = [deal.finisher is not None and (deal.finisher & 1) ^ a_team == side for a_team, deal in deals]
        figures[name] = {
            "points": round(_mean([deal.teams[a_team ^ side] / 2 for a_team, deal in deals]), 2),
            "went_out": round(_mean(outs), 4),
            "in_one_turn": round(_mean([out and deal.one_turn for out, (_, deal) in zip(outs, deals, strict=True)]), 4),
            "decisions": _times(pairs, side, reference),
        }
    if sprt is not None:
        values = [pair.points for pair in pairs]
        figures["sprt"] = {
            "none": sprt.none,
            "gain": sprt.gain,
            "log_likelihood_ratio": round(sprt.ratio(values), 3),
            "verdict": sprt.verdict(values),
        }
    return figures


def without_times(figures: Figures) -> Figures:
    """The figures that a second run gives again."""
    sides = {name: figures[name] for name in ("of_a", "of_b")}
    kept = {name: value for name, value in figures.items() if name != "reference_steps_per_s"}
    for name, side in sides.items():
        assert isinstance(side, dict)
        kept[name] = {what: value for what, value in side.items() if what != "decisions"}
    return kept


def _times(pairs: Sequence[Pair], side: int, reference: float) -> Figures:
    """Of one side's decisions: wall time, as a table would wait for it, and the processor's own beside it."""
    wall = sorted(ms for pair in pairs for ms in pair.times[side].wall_ms)
    cpu = sorted(ms for pair in pairs for ms in pair.times[side].cpu_ms)
    return {
        "count": len(wall),
        "wall_ms": _spread(wall),
        "cpu_ms": _spread(cpu),
        "mean_reference_steps": round(_mean(cpu) * reference / 1000),
    }


def _spread(ordered: Sequence[float]) -> Figures:
    return {
        "mean": round(_mean(ordered), 3),
        "p50": round(percentile(ordered, 0.5), 3),
        "p99": round(percentile(ordered, 0.99), 3),
        "max": round(ordered[-1], 3) if ordered else 0.0,
    }


def _interval(value: Estimate) -> Figures:
    known = math.isfinite(value.low)
    return {
        "mean": round(value.mean, 3),
        "low": round(value.low, 3) if known else None,
        "high": round(value.high, 3) if known else None,
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
