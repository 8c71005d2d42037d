"""What a seed plays, and what goes wrong meanwhile."""

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shared.rules.options import Options, make_options
from tests.support.play import Temper


class Chances(NamedTuple):
    """How likely it is that something goes wrong, and how long what is right takes."""

    drop: float = 0.0
    """Of one message."""
    duplicate: float = 0.0
    latency_ms: int = 3
    """At the most, and evenly below: what is sent later may come earlier."""
    cut: float = 0.0
    """Of a stream, at each of its messages."""
    commit: float = 0.0
    """Of one commit, to fail or to lose its answer, or its process."""
    bus_away: float = 0.0
    """That NATS is away, in each ten seconds."""
    lives: int = 0
    """How many steps a process lives on the average; 0: for ever."""
    pause: float = 0.0
    """Of a table's process, to stand still for a while, in each ten seconds."""
    pause_ms: int = 20_000
    """The longest while."""
    drain: float = 0.0
    """Of a table's process, to be told to stop, in each ten seconds."""


class Habits(NamedTuple):
    """What the clients of a table are like."""

    think_ms: int
    leave: float
    """Of a watch, to be let go by its client after an update."""
    asleep: float
    """Of a turn, to be slept through."""
    careless: float
    """Of a contribution to a shuffle, to be missing, wrong or late."""
    mischief_ms: int
    """How often somebody tries something, on the average; 0: never."""
    absent: float = 0.0
    """Of a watch, to be let go for long after an update: a house bot may have come."""
    quits: float = 0.0
    """Of an update, to make a player leave on purpose."""
    wish_ms: int = 0
    """How often a player wants another seat or a break, or its end, on the average; 0: never."""


class Planned(NamedTuple):
    """One table."""

    options: Options
    seats: tuple[str, ...]
    """Of each: person, bot, or house."""
    temper: Temper
    habits: Habits
    private: bool = False
    """Whether friends made it, who may have a break."""


class Plan(NamedTuple):
    """A whole world."""

    pods: int
    """How many processes of the table service share a database; 0: there is one, and no other."""

    tables: tuple[Planned, ...]
    chances: Chances
    heals_ms: int
    """From then on nothing goes wrong any more."""
    operator_ms: int = 0
    """How often an operator has each table stand still for a while, on the average; 0: never."""
    aborts: float = 0.0
    """How likely it is each time that the table is ended then."""


CALM = Chances()


def plan_of(seed: int) -> Plan:
    """What the seed plays. A fifth of the seeds have a rough time in everything, the others in a thing or two."""
    rng = random.Random(f"{seed}/plan")
    rough = rng.random() < 0.2

    def some(*values: Any) -> Any:
        return rng.choice(values) if rough or rng.random() < 0.3 else type(values[0])()

    chances = Chances(
        drop=some(0.01, 0.03, 0.1),
        duplicate=some(0.02, 0.1),
        latency_ms=rng.choice((3, 30, 300)) if rough or rng.random() < 0.3 else 3,
        cut=some(0.002, 0.01, 0.03),
        commit=some(0.005, 0.02, 0.05),
        bus_away=some(0.1, 0.4),
        lives=some(4_000, 10_000, 40_000),
        pause=some(0.05, 0.2),
        drain=some(0.03, 0.15),
    )
    tables = tuple(_table(rng) for _ in range(rng.choice((1, 1, 2))))
    return Plan(rng.choice((0, 0, 0, 2, 3)), tables, chances, heals_ms=rng.choice((120, 400, 1_200)) * 1_000)


def brisk_plan(seed: int) -> Plan:
    """What the seed plays, but the shortest of deals, three matches of them: most for their cost."""
    plan, rng = plan_of(seed), random.Random(f"{seed}/brisk")
    turn_seconds = rng.choice((5, 10, 20))
    options = make_options(
        {
            "preset": "sahrat",
            "mode": "duel",
            "target": 80,
            "format": "best_of_3",
            "turn_seconds": turn_seconds,
            "grace_seconds": rng.choice((5, 20)),
        }
    )
    planned = plan.tables[0]
    habits = planned.habits._replace(mischief_ms=rng.choice((0, 5_000)), leave=min(planned.habits.leave, 0.002))
    seats = ("person", rng.choice(("person", "bot", "house")))
    return plan._replace(tables=(planned._replace(options=options, seats=seats, habits=habits),))


def rough_plan(seed: int) -> Plan:
    """A short match in the roughest of times."""
    rng = random.Random(f"{seed}/rough")
    options = make_options({"preset": "sahrat", "mode": "duel", "target": 50, "turn_seconds": 5, "grace_seconds": 5})
    temper = Temper(meld=0.97, several_melds=0.6, amend=0.97, take=0.1, undo=0.02, timeout=0.0, mischief=0.02)
    habits = Habits(think_ms=300, leave=0.02, asleep=0.05, careless=0.1, mischief_ms=400, absent=0.005, quits=0.001)
    chances = Chances(
        drop=0.05,
        duplicate=0.1,
        latency_ms=rng.choice((3, 100)),
        cut=0.02,
        commit=0.04,
        bus_away=0.8,
        lives=rng.choice((1_000, 4_000)),
        pause=0.3,
        drain=0.1,
    )
    table = Planned(options, ("person", rng.choice(("person", "bot"))), temper, habits)
    return Plan(rng.choice((0, 2, 3)), (table,), chances, heals_ms=300_000)


def zombie_plan(seed: int) -> Plan:
    """Several processes that stand still about as long as their leases run, on a slow network."""
    plan = rough_plan(seed)
    chances = CALM._replace(drop=0.15, latency_ms=300, pause=1.0, pause_ms=9_000)
    table = plan.tables[0]._replace(seats=("person", "person"), habits=plan.tables[0].habits._replace(careless=0.0))
    return plan._replace(pods=3, tables=(table,), chances=chances)


def stopped_plan(seed: int) -> Plan:
    """What is brisk, and stands still again and again."""
    return brisk_plan(seed)._replace(operator_ms=random.Random(f"{seed}/stopped").choice((5_000, 20_000)))


def evening_plan(seed: int) -> Plan:
    """Friends, who swap seats, have breaks and leave; now and then an operator has their table stand still, too."""
    plan, rng = plan_of(seed), random.Random(f"{seed}/evening")
    options = make_options(
        {
            "preset": "sahrat",
            "target": 50,
            "format": "best_of_3",
            "turn_seconds": rng.choice((5, 10)),
            "grace_seconds": rng.choice((5, 20)),
        }
    )
    temper = Temper(meld=0.97, several_melds=0.6, amend=0.97, take=0.1, undo=0.0, timeout=0.0, mischief=0.0)
    habits = Habits(
        think_ms=50,
        leave=rng.choice((0.0, 0.002)),
        asleep=0.0,
        careless=0.0,
        mischief_ms=0,
        absent=rng.choice((0.0, 0.002)),
        quits=rng.choice((0.0, 0.0005)),
        wish_ms=rng.choice((1_500, 5_000)),
    )
    table = Planned(options, ("person",) * 3 + (rng.choice(("person", "bot", "house")),), temper, habits, private=True)
    return plan._replace(tables=(table,), operator_ms=rng.choice((0, 0, 20_000)), aborts=0.15)


def lossy_plan(seed: int) -> Plan:
    """A third of all messages gets lost, and NATS is away half of the time."""
    return rough_plan(seed)._replace(pods=0, chances=CALM._replace(drop=0.3, bus_away=1.0))


def _table(rng: random.Random) -> Planned:
    preset = rng.choice(("sahrat",) * 6 + ("banakil202",))  # whose deals are four times as long
    changed: dict[str, Any] = {
        "mode": rng.choice(("partners", "duel")),
        "target": rng.choice((50, 50, 80)),
        "format": rng.choice(("single", "single", "best_of_3")),
        "tie_rule": rng.choice(("level_plays_on", "gap_over_5")),
        "turn_seconds": rng.choice((5, 10, 20)),
        "grace_seconds": rng.choice((5, 20, 60)),
    }
    options = make_options({"preset": preset, **changed})
    seats = tuple(rng.choices(("person", "bot", "house"), (8, 1, 1), k=options.seats))
    temper = Temper(
        meld=rng.choice((0.9, 0.97)),
        several_melds=0.6,
        amend=rng.choice((0.9, 0.97)),
        take=rng.choice((0.05, 0.1, 0.3)),
        undo=0.02,
        timeout=0.0,
        mischief=rng.choice((0.0, 0.03)),
    )
    habits = Habits(
        think_ms=rng.choice((50, 300, 1_000)),
        leave=rng.choice((0.0, 0.002, 0.02)),
        asleep=rng.choice((0.0, 0.01, 0.05)),
        careless=rng.choice((0.0, 0.05, 0.3)),
        mischief_ms=rng.choice((0, 1_500, 6_000)),
        absent=rng.choice((0.0, 0.0, 0.003)),
        quits=rng.choice((0.0, 0.0, 0.0005)),
    )
    return Planned(options, seats, temper, habits)


MIXED: Final = "mixed"
PLANS: Final[Mapping[str, Callable[[int], Plan]]] = {
    MIXED: plan_of,
    "brisk": brisk_plan,
    "rough": rough_plan,
    "zombies": zombie_plan,
    "lossy": lossy_plan,
    "stopped": stopped_plan,
    "evening": evening_plan,
}
"""Kinds of plans."""
