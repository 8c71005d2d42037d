"""The database's time: the machine's own may be wrong, and nothing goes back."""

import random

from shared.kit.clock import VirtualClock
from shared.kit.database_clock import SLOW_MS, DatabaseClock


def test_it_tells_the_databases_time_whatever_the_machine_believes() -> None:
    machine = VirtualClock(now_ms=5_000)
    clock = DatabaseClock(machine)
    assert clock.now_ms() == 5_000
    clock.measured(0, 1_000_000, 10)
    assert clock.now_ms() == 999_995
    machine.advance(250)
    assert clock.now_ms() == 1_000_245


def test_two_machines_with_wrong_clocks_agree() -> None:
    clocks = [DatabaseClock(VirtualClock(now_ms)) for now_ms in (1, 99_000_000)]
    for clock in clocks:
        clock.measured(0, 7_000, 2)
    assert clocks[0].now_ms() == clocks[1].now_ms()


def test_a_database_that_was_believed_ahead_is_waited_for(rng: random.Random) -> None:
    machine = VirtualClock()
    clock = DatabaseClock(machine)
    clock.measured(0, 50_000, 0)
    clock.measured(0, 49_700, 0)
    assert clock.now_ms() == 49_700  # nothing had been dated yet
    clock.measured(0, 49_000, 0)
    assert clock.now_ms() == 49_700
    machine.advance(600)
    assert clock.now_ms() == 49_700
    machine.advance(101)
    assert clock.now_ms() == 49_701
    before_ms = clock.now_ms()
    for _ in range(200):
        machine.advance(rng.randrange(50))
        at_ms = machine.monotonic_ms()
        clock.measured(at_ms, 49_000 + at_ms + rng.randrange(-90, 90), at_ms)
        assert before_ms <= clock.now_ms() <= before_ms + 300
        before_ms = clock.now_ms()


def test_a_slow_answer_tells_nothing_where_there_was_a_quick_one() -> None:
    clock = DatabaseClock(VirtualClock(now_ms=0))
    clock.measured(0, 80_000, 2 * SLOW_MS)
    assert clock.now_ms() == 80_000 - SLOW_MS
    clock.measured(0, 90_000, SLOW_MS + 1)
    assert clock.now_ms() == 80_000 - SLOW_MS
    clock.measured(0, 90_000, 2)
    assert clock.now_ms() == 89_999
