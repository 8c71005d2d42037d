import pytest

from shared.kit.clock import VirtualClock
from shared.kit.limits import BoundedDict, RateLimiter
from shared.kit.status import FullError


def test_a_bounded_dict_forgets_what_was_set_longest_ago() -> None:
    bounded = BoundedDict[str, int](2)
    bounded["a"], bounded["b"] = 1, 2
    bounded["a"] = 3
    bounded["c"] = 4
    assert dict(bounded) == {"a": 3, "c": 4}


def test_a_key_may_burst_and_then_goes_at_its_rate() -> None:
    clock = VirtualClock()
    limiter = RateLimiter(clock, per_second=4, burst=3)
    assert [limiter.take("a") for _ in range(4)] == [0, 0, 0, 250]
    clock.advance(249)
    assert limiter.take("a") == 1
    clock.advance(1)
    assert limiter.take("a") == 0


def test_keys_do_not_share() -> None:
    limiter = RateLimiter(VirtualClock(), per_second=1, burst=1)
    assert (limiter.take("a"), limiter.take("b")) == (0, 0)


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    clock = VirtualClock()
    limiter = RateLimiter(clock, per_second=1000, burst=2)
    limiter.take("a")
    clock.advance(60_000)
    assert [limiter.take("a") for _ in range(3)] == [0, 0, 1]


def test_a_refusal_says_when_to_come_back() -> None:
    limiter = RateLimiter(VirtualClock(), per_second=2, burst=1)
    limiter.admit("a", "RATE_LIMITED")
    with pytest.raises(FullError) as refused:
        limiter.admit("a", "RATE_LIMITED")
    assert (refused.value.code, refused.value.retry_after_ms) == ("RATE_LIMITED", 500)
