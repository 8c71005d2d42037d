"""A decision: the policy's if it comes in time, else a plain legal one; and how long a person would have taken."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog

from services.bots.metrics import BotMetrics
from services.bots.pauses import SHARE_OF_CLOCK
from services.bots.policies.fallback import Fallback
from services.bots.policies.policy import Policy
from shared.kit.clock import Clock, Pace
from shared.rules.actions import SeatAction
from shared.rules.views import View

THREADS: Final = 4
LEAST_PAUSE_MS: Final = 1
HASTE: Final = 10
"""So many times faster bots play out a match whose players are all gone: it costs the less."""

_log = structlog.get_logger("bots.mind")
_FALLBACK: Final = Fallback()


class Mind:
    """Decides for every seat of this process.

    Policies run on threads, so that one that does not end holds up neither the other seats nor its own: after
    ``budget_ms`` the fallback plays. A thread that is lost so is not replaced; with all lost the fallback plays on.
    """

    def __init__(self, clock: Clock, pace: Pace, metrics: BotMetrics, budget_ms: int) -> None:
        self._clock = clock
        self._pace = pace
        self._metrics = metrics
        self._budget_ms = budget_ms
        self._rests_until_ms = 0
        """Until when no long thought begins; while one goes on, for ever."""
        self._threads = ThreadPoolExecutor(THREADS, "bots-mind")

    async def decide(self, policy: Policy, view: View, spare: Policy | None = None) -> SeatAction:
        """The policy's choice for this view, or the fallback's where that is late or fails.

        ``spare``: given for a policy that thinks for long. Of those one at a time thinks, and for half of the time at
        the most, so that however many seats have it, the others are not held up: in between ``spare`` chooses.
        """
        if spare is None:
            return await self._decide(policy, view)
        if self._clock.monotonic_ms() < self._rests_until_ms:
            return await self._decide(spare, view)
        began_ms, self._rests_until_ms = self._clock.monotonic_ms(), sys.maxsize
        try:
            return await self._decide(policy, view)
        finally:
            now_ms = self._clock.monotonic_ms()
            self._rests_until_ms = now_ms + (now_ms - began_ms)

    async def _decide(self, policy: Policy, view: View) -> SeatAction:
        began_ms = self._clock.monotonic_ms()
        choosing = asyncio.get_running_loop().run_in_executor(self._threads, policy.choose, view)
        timer = self._clock.call_at(began_ms + self._budget_ms, choosing.cancel)
        try:
            action = await choosing
        except asyncio.CancelledError:
            if not choosing.cancelled() or (current := asyncio.current_task()) is None or current.cancelling():
                raise
            _log.error("decision.late", budget_ms=self._budget_ms)
            return self.fall_back(view)
        except Exception:
            _log.exception("decision.failed")
            return self.fall_back(view)
        finally:
            timer.cancel()
            self._metrics.decision_seconds.observe((self._clock.monotonic_ms() - began_ms) / 1000)
        return action

    def fall_back(self, view: View) -> SeatAction:
        """A legal action, at once."""
        self._metrics.fallbacks.inc()
        return _FALLBACK.choose(view)

    async def pause(
        self, usual_ms: int, since_ms: int, remaining_ms: int | None = None, *, in_haste: bool = False
    ) -> None:
        """Wait as long as a person would have taken, divided by the pace, the time since ``since_ms`` counted in.

        ``since_ms``: monotonic, when the seat saw that it was to act. ``in_haste``: nobody is there who would want to
        follow.
        """
        pause_ms = max(LEAST_PAUSE_MS, self._pace.ms(usual_ms))
        if in_haste:
            pause_ms = max(LEAST_PAUSE_MS, pause_ms // HASTE)
        if remaining_ms is not None:
            pause_ms = min(pause_ms, remaining_ms // SHARE_OF_CLOCK)
        await self._clock.sleep_until(since_ms + pause_ms)

    def close(self) -> None:
        """Start no more decisions."""
        self._threads.shutdown(wait=False, cancel_futures=True)
