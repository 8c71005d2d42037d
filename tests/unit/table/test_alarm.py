from services.table.alarm import Alarm
from shared.kit.clock import VirtualClock


class Bell:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.began_ms = self.clock.now_ms()
        self.rang: list[tuple[int, int]] = []
        self.alarm = Alarm(self.clock, self._ring)

    def _ring(self, due_ms: int) -> None:
        self.rang.append((due_ms - self.began_ms, self.clock.now_ms() - self.began_ms))

    def set(self, after_ms: int | None) -> None:
        self.alarm.set(None if after_ms is None else self.began_ms + after_ms)


def test_an_alarm_rings_when_it_was_last_set_to_and_once() -> None:
    for first, last in ((100, 300), (300, 100), (300, 300)):
        bell = Bell()
        bell.set(first)
        bell.clock.advance(50)
        bell.set(last)
        bell.set(last)
        bell.clock.advance(1_000)
        assert bell.rang == [(last, last)]


def test_an_alarm_that_is_put_off_again_and_again_rings_after_the_last_time() -> None:
    bell = Bell()
    for now_ms in range(0, 1_000, 70):
        bell.set(now_ms + 100)
        bell.clock.advance(70)
    bell.clock.advance(1_000)
    assert bell.rang == [(980 + 100, 980 + 100)]


def test_an_alarm_that_is_set_to_no_moment_does_not_ring() -> None:
    bell = Bell()
    bell.set(100)
    bell.set(None)
    bell.clock.advance(1_000)
    assert bell.rang == []


def test_an_alarm_rings_again_for_a_moment_that_it_was_made_to_forget() -> None:
    bell = Bell()
    bell.set(100)
    bell.clock.advance(100)
    bell.set(100)
    bell.clock.advance(100)
    bell.alarm.forget()
    bell.set(100)
    bell.clock.advance(100)
    assert bell.rang == [(100, 100), (100, 200)]
