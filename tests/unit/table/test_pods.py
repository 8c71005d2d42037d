"""Who is dead, who takes over, and where the next table is made."""

import random

from services.table.pods import Pod, addresses, dead, fewest, others, still_placed


def pod(name: str, live_tables: int = 0, *, draining: bool = False, alive: bool = True, renewed_ms: int = 0) -> Pod:
    return Pod(name, f"{name}:1", renewed_ms, live_tables, draining, alive)


PODS = [pod("a", 3), pod("b", 1), pod("c", 0, draining=True), pod("d", 0, alive=False)]


def test_the_dead_are_those_without_lease_or_lock() -> None:
    assert dead(PODS) == ["d"]
    assert addresses(PODS) == {"a:1", "b:1", "c:1"}


def test_who_drains_takes_over_nothing() -> None:
    assert [other.pod_id for other in others(PODS, "a")] == ["b"]


def test_the_next_table_goes_where_the_fewest_are_live() -> None:
    chosen = fewest(PODS, "a", {})
    assert chosen is not None
    assert chosen.pod_id == "b"


def test_of_equals_this_pod_is_preferred_and_then_the_first() -> None:
    equals = [pod("b", 2), pod("a", 2), pod("c", 2)]
    assert [fewest(equals, mine, {}).pod_id for mine in ("c", "other")] == ["c", "a"]  # type: ignore[union-attr]


def test_where_nobody_takes_any_there_is_no_place() -> None:
    assert fewest([pod("c", draining=True), pod("d", alive=False)], "c", {}) is None


def test_a_burst_of_new_tables_is_spread_before_anybody_has_counted(rng: random.Random) -> None:
    pods = [pod(name, rng.randrange(6)) for name in "abcd"]
    placed: dict[str, int] = {}
    most = max(one.live_tables for one in pods)
    for _ in range(4 * most - sum(one.live_tables for one in pods) + 8):
        chosen = fewest(pods, "a", placed)
        assert chosen is not None
        placed[chosen.pod_id] = placed.get(chosen.pod_id, 0) + 1
    assert {one.live_tables + placed[one.pod_id] for one in pods} == {most + 2}


def test_what_was_placed_counts_until_the_pod_has_counted_its_tables_itself() -> None:
    before = [pod("a", renewed_ms=10), pod("b", renewed_ms=10), pod("c", renewed_ms=10)]
    now = [pod("a", renewed_ms=10), pod("b", renewed_ms=1_010), pod("new", renewed_ms=5)]
    assert still_placed({"a": 2, "b": 3, "c": 4, "new": 1}, before, now) == {"a": 2}
