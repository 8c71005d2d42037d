"""Matches for coins that a seed plays, short and by script, and what goes wrong with them."""

import random
from enum import StrEnum
from typing import Final, NamedTuple

from shared.rules.options import Options, make_options
from tests.sim.plan import Chances, Plan

MOST_TABLES: Final = 40
"""In one world."""
PLAYERS: Final = tuple(f"player-{number}" for number in range(24))
"""Named accounts with matches behind them, and some coins."""
NOVICE: Final = "novice"
"""Named, with too few matches."""
GUEST: Final = "guest"


class Course(StrEnum):
    """What happens at a table."""

    WON = "won"
    ABORTED = "aborted"
    """An operator ends it, at any moment."""
    VOID = "void"
    """The second shuffle fails too."""


class Truth(StrEnum):
    """What the shuffle service has to show of a match."""

    PROOF = "proof"
    FAULT = "fault"
    NOTHING = "nothing"


class CoinTable(NamedTuple):
    """One table."""

    table_id: str
    options: Options
    accounts: tuple[str, ...]
    course: Course
    begins_ms: int
    aborted_after_ms: int


def coins_plan(seed: int, *, rough: bool = False) -> Plan:
    """What goes wrong: a fifth of the seeds have a rough time in everything, the others in a thing or two."""
    rng = random.Random(f"{seed}/coins")
    rough = rng.random() < 0.2 or rough

    def some(*values: float) -> float:
        return rng.choice(values) if rough or rng.random() < 0.4 else 0

    chances = Chances(
        drop=some(0.03, 0.1, 0.3),
        duplicate=some(0.05, 0.3),
        latency_ms=int(some(30, 300, 3_000)) or 3,
        commit=some(0.01, 0.05),
        bus_away=some(0.3, 0.8),
        lives=int(some(300, 1_000, 4_000)),
    )
    return Plan(0, (), chances, heals_ms=rng.choice((40, 100)) * 1_000)


def coin_tables(seed: int, most: int) -> list[CoinTable]:
    """The first tables of a seed."""
    rng = random.Random(f"{seed}/coin tables")
    return [_table(rng, number) for number in range(most)]


def truth_of(match_id: str) -> Truth:
    """Drawn by the match's id: one in twelve has a fault, one in twelve is never revealed."""
    drawn = int(match_id[:8], 16) % 24
    return Truth.FAULT if drawn < 2 else Truth.NOTHING if drawn < 4 else Truth.PROOF


def starter_of(match_id: str, seats: int) -> int:
    """Who starts the match, and so wins it."""
    return int(match_id[8:16], 16) % seats


def _table(rng: random.Random, number: int) -> CoinTable:
    options = make_options(
        {
            "preset": "sahrat",
            "mode": rng.choice(("duel", "duel", "partners")),
            "format": rng.choice(("single", "single", "best_of_3")),
            "target": 50,
            "stake": rng.choice((5, 25, 100, 400)),
            "turn_seconds": 300,
            "grace_seconds": 600,
        }
    )
    accounts = rng.sample(PLAYERS, options.seats)
    if rng.random() < 0.1:
        accounts[rng.randrange(options.seats)] = rng.choice((NOVICE, GUEST))
    return CoinTable(
        table_id=f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}",
        options=options,
        accounts=tuple(accounts),
        course=rng.choices(tuple(Course), (7, 3, 1))[0],
        begins_ms=rng.randrange(30_000),
        aborted_after_ms=rng.choice((0, 10, 100, 1_000, 5_000)),
    )
