"""One seat, played: taken, watched, and acted for, until its table is over or its person is back."""

import asyncio
import uuid
from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

import grpc
import structlog
from banakil.table.v1 import saying_pb2, seating_pb2, views_pb2
from banakil.table.v1 import table_pb2 as wire

from services.bots.house import HouseSeat
from services.bots.levels import level_of
from services.bots.mind import Mind
from services.bots.pauses import pause_ms
from services.bots.policies.policy import Policy
from services.bots.sight import LostSightError, Sight
from services.bots.talk import Remark, Talk
from shared.codec.actions import write_action
from shared.kit.clients import Metadata, answer, received
from shared.kit.clock import Clock
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.actions import SeatAction
from shared.rules.views import View

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

RETRY_FIRST_MS: Final = 100
RETRY_MOST_MS: Final = 5_000
MOST_TRIES: Final = 2
"""At one revision: what the policy wants, then what the fallback wants; then the clock plays."""
OVER: Final = frozenset({"TABLE_CLOSED", "NO_SUCH_TABLE", "NO_SUCH_VACANCY", "VACANCY_TAKEN", "NOT_SEATED"})
"""Refusals after which the seat is not ours, nor will be."""
OVERTAKEN: Final = frozenset({"STALE_TURN", "DUPLICATE_COMMAND_BODY", "DEAL_OVER", "MATCH_OVER"})
"""Refusals of an action for a moment that has passed: what happened in its place is on its way."""
COMMAND_IDS: Final = uuid.UUID("0b6f3a52-1df5-5b57-9b07-1c2f8f0f7a3d")

_log = structlog.get_logger("bots.player")


class Outcome(Enum):
    """Why a player stops."""

    OVER = auto()
    """The seat is no longer ours: forget it."""
    SUPERSEDED = auto()
    """Somebody else watches it in our name."""
    ELSEWHERE = auto()
    """It is another process's to play."""


class ElsewhereError(Exception):
    """This process may not play the seat any more."""


class Player:
    """Plays one seat. All that it needs to go on elsewhere is the seat itself: the rest is in the table."""

    occupant: views_pb2.Occupant.ValueType = views_pb2.OCCUPANT_HOUSE_BOT
    """What it is at the table."""

    def __init__(  # noqa: PLR0913  # what playing a seat takes
        self, seat: HouseSeat, policy: Policy, mind: Mind, table: "TableServiceAsyncStub",
        token: Callable[[], Metadata], clock: Clock, may_play: Callable[[], bool] = lambda: True,
        *, spare: Policy | None = None,
    ) -> None:  # fmt: skip
        """``may_play``: asked before anything is done that would get in the way of another process that plays it."""
        self._seat = seat
        self._policy = policy
        self._spare = spare
        self._mind = mind
        self._table = table
        self._token = token
        self._clock = clock
        self._may_play = may_play
        self.sight = Sight(self.occupant)
        self._manner = level_of(seat.level)
        self._talk = Talk(seat.table_id, self._manner.talk)
        self._saying: asyncio.Task[None] | None = None
        self._acted_revision = 0
        self._refused: tuple[int, int] = (0, 0)
        """The revision at which actions were last refused, and how many."""
        self._retry_ms = RETRY_FIRST_MS
        self._log = _log.bind(table=seat.table_id, vacancy=seat.vacancy_id)

    async def play(self) -> Outcome:
        """Play to the end; what is away is waited for."""
        taken = False
        while True:
            retry_after_ms = None
            try:
                if not taken:
                    await self._take_seat()
                    taken = True
                await self._watch()
                if self.sight.closed or not self.sight.ours:
                    return Outcome.OVER
            except ElsewhereError:
                self._log.info("seat.elsewhere")
                return Outcome.ELSEWHERE
            except LostSightError as fault:
                self._log.warning("sight.lost", reason=str(fault), revision=self.sight.revision)
                self.sight.forget()
            except ApiError as error:
                if error.code in OVER or error.status is grpc.StatusCode.INVALID_ARGUMENT:
                    self._log.info("seat.lost", reason=error.code)
                    return Outcome.OVER
                if error.code == "WATCH_SUPERSEDED":
                    self._log.info("seat.superseded")
                    return Outcome.SUPERSEDED
                self._log.warning("table.away", reason=error.code, retry_ms=self._retry_ms)
                retry_after_ms = error.retry_after_ms
            await self._clock.sleep_ms(max(self._retry_ms, retry_after_ms or 0))
            self._retry_ms = min(2 * self._retry_ms, RETRY_MOST_MS)

    def _require_right(self) -> None:
        if not self._may_play():
            raise ElsewhereError

    async def _take_seat(self) -> None:
        self._require_right()
        seat = self._seat
        request = seating_pb2.TakeSeatRequest(
            table_id=seat.table_id, vacancy_id=seat.vacancy_id, display_name=seat.name
        )
        taken = await answer(self._table.TakeSeat(request, metadata=self._token()))
        self._log.info("seat.taken", seat=taken.seat, name=seat.name)

    async def _watch(self) -> None:
        """Follow the table and act until the stream or the seat is over. Raises ``ApiError``, ``LostSightError``."""
        self._require_right()
        sight = self.sight
        request = wire.WatchRequest(table_id=self._seat.table_id, last_revision=sight.revision)
        updates = self._table.Watch(request, metadata=self._token())
        try:
            async for update in received(updates):
                sight.take_in(update)
                if sight.closed or not sight.ours:
                    return
                if update.HasField("delta"):
                    self._retry_ms = RETRY_FIRST_MS
                    if (remark := self._talk.hear(sight, update.delta)) is not None:
                        await self._say(remark)
                if sight.revision >= self._acted_revision and (view := sight.to_act) is not None:
                    await self._act(view)
        finally:
            updates.cancel()
            await self._hush()

    async def _say(self, remark: Remark) -> None:
        """Say it in a while. What it says last replaces what is still on the tip of its tongue."""
        await self._hush()

        async def say() -> None:
            await self._mind.pause(remark.after_ms, self._clock.monotonic_ms())
            request = saying_pb2.SayRequest(table_id=self._seat.table_id, phrase_id=remark.phrase_id)
            try:
                await answer(self._table.Say(request, metadata=self._token()))
            except ApiError as error:
                self._log.info("remark.unsaid", reason=error.code)

        self._saying = spawn(say(), "house bot says")

    async def _hush(self) -> None:
        if self._saying is not None:
            await cancel_and_wait(self._saying)

    async def _act(self, view: View) -> None:
        """Decide, wait as a person would, and act. What is refused is tried again in a plainer way, once."""
        sight = self.sight
        tries = self._refused[1] if self._refused[0] == sight.revision else 0
        if tries >= MOST_TRIES:
            return
        since_ms = self._clock.monotonic_ms()
        action = self._mind.fall_back(view) if tries else await self._decide(view)
        moment = f"{self._seat.table_id}:{self._seat.account}:{sight.deal_no}:{view.turn_no}:{sight.revision}:{tries}"
        usual_ms = pause_ms(action, self._manner.pause_percent, moment)
        await self._mind.pause(usual_ms, since_ms, sight.remaining_ms, in_haste=sight.is_deserted)
        request = wire.ActRequest(
            table_id=self._seat.table_id,
            command_id=str(uuid.uuid5(COMMAND_IDS, moment)),
            deal_no=sight.deal_no,
            turn_no=view.turn_no,
            action=write_action(action),
        )
        error = await self._send(request)
        if error is None or error.code in OVERTAKEN or (error.code == "TIME_IS_UP" and not view.time_up):
            return
        self._log.warning("action.refused", reason=error.code, revision=sight.revision, tries=tries)
        self._refused = (sight.revision, tries + 1)
        raise LostSightError("an action was refused")

    async def _decide(self, view: View) -> SeatAction:
        if self._spare is not None and self.sight.is_deserted:
            return await self._mind.decide(self._spare, view)  # nobody is there whom it would matter to
        return await self._mind.decide(self._policy, view, self._spare)

    async def _send(self, request: wire.ActRequest) -> ApiError | None:
        """Send an action; the rules' refusal, if any. Raises ``ApiError`` for all else, but waits where asked to."""
        while True:
            self._require_right()
            try:
                acted = await answer(self._table.Act(request, metadata=self._token()))
            except ApiError as error:
                if error.status is grpc.StatusCode.RESOURCE_EXHAUSTED:
                    await self._clock.sleep_ms(error.retry_after_ms or RETRY_FIRST_MS)
                    continue
                if error.code in OVER or error.status not in _REFUSALS:
                    raise
                return error
            self._acted_revision = acted.revision
            return None


_REFUSALS: Final = frozenset(
    {
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
    }
)
