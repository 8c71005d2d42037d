"""A scripted player: watches, plays whole deals, sends again what was not answered, and does now and then what is not
allowed. It remembers all that it was told.
"""

import asyncio
import hashlib
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import grpc
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import STAGE_CLOSED
from banakil.table.v1.views_pb2 import View as WireView

from shared.codec.actions import write_action
from shared.kit.clients import answer, bearer
from shared.kit.clock import RealClock
from shared.kit.status import ApiError
from shared.rules.actions import SeatAction, Timeout
from shared.rules.state import DealState
from shared.rules.views import View, seat_state
from tests.support.follower import Follower
from tests.support.kit import PATIENCE_S
from tests.support.play import Temper, next_action
from tests.support.roaming import ATTEMPT_S, Roamer, _wait_as_told

TEMPER: Final = Temper(meld=0.8, amend=0.7, take=0.3, undo=0.1, timeout=0.01, mischief=0.05)
HURRIED: Final = replace(TEMPER, timeout=0.0)
THINK_MS: Final = 120
AGAIN: Final = 0.05
"""How often something is sent twice at once, or again with another body."""


class Answer(NamedTuple):
    """What became of a command."""

    request: wire.ActRequest
    revision: int | None
    """The one that was acknowledged; ``None``: refused."""
    code: str


class Notes(NamedTuple):
    """What a player was told."""

    answers: list[Answer]
    """All of them."""
    seen: dict[int, bytes]
    """The view's hash by revision, since the notes before."""


def view_hash(view: WireView, deal_no: int, deal: View | None) -> bytes:
    """Tells a view, its deal apart, from any other."""
    told = view.SerializeToString(deterministic=True)
    return hashlib.sha256(told + repr(None if deal is None else (deal_no, deal)).encode()).digest()


class Memory(Follower):
    """The view, and what it was at each revision."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, bytes] = {}
        """The view's hash by revision; who checked it may forget it."""

    def take(self, update: bytes) -> None:
        """AssertionError for one that does not follow, or shows less than was shown before."""
        before = self.revision
        self.take_in(wire.WatchResponse.FromString(update))
        assert self.revision >= before, f"revision {before} was shown, and {self.revision} later"
        told = view_hash(self.view, self.deal_no, self.deal)
        assert self.seen.setdefault(self.revision, told) == told, f"two views of revision {self.revision}"


class Player(Roamer):
    """One seat's."""

    client: Memory

    def __init__(self, channel: grpc.aio.Channel, table_id: str, account: str, token: str, rng: random.Random) -> None:
        super().__init__(channel, table_id, account, token)
        self.client = Memory()
        self.answers: list[Answer] = []
        self.resent = 0
        """Commands that needed more than one attempt."""
        self.hurries = False
        """Whether it neither thinks nor sleeps over its turns."""
        self._rng = rng

    @property
    def is_over(self) -> bool:
        """Whether the table is closed, as far as it knows."""
        return bool(self.client.view.stage == STAGE_CLOSED)

    @property
    def state(self) -> DealState | None:
        """See ``Roamer``."""
        deal = self.client.deal
        if deal is None or deal.turn != deal.viewer:
            return None
        state = seat_state(deal)
        return None if state.reshuffle_due else state

    def take_notes(self) -> Notes:
        """What it knows now."""
        seen, self.client.seen = self.client.seen, {}
        return Notes(list(self.answers), seen)

    async def play(self) -> None:
        """Play until the table is closed. TimeoutError where it stands still."""
        await self.watch()
        assert self._watching is not None
        self._watching.add_done_callback(lambda _: self._changed.set())
        while not self.is_over:
            await self._until(lambda: self.state is not None)
            if not self.hurries:
                await RealClock().sleep_ms(self._rng.randrange(THINK_MS))
            if (state := self.state) is None:
                continue
            action, before = next_action(self._rng, state, HURRIED if self.hurries else TEMPER), self.client.revision
            if isinstance(action, Timeout):
                await self._until(lambda: self.client.revision != before)  # noqa: B023  # awaited here
                continue
            revision = await self._act(self.request(action))
            if revision is not None:
                await self._until(lambda: self.client.revision >= revision)  # noqa: B023  # awaited here

    async def _until(self, holds: Callable[[], bool]) -> None:
        """As ``until``, or until the table is closed. Raises where it has stood still for so long."""
        while not (holds() or self.is_over):
            before = self.client.revision
            try:
                await self.until(lambda: self.client.revision != before or holds() or self.is_over)  # noqa: B023  # awaited here
            except TimeoutError as fault:
                now_s, what = time.monotonic(), f"{self.account} sees {self.table_id} stand still at revision {before}"
                ends = [f"{now_s - at_s:.1f} s ago {code}" for at_s, code in self.ends[-10:]]
                raise AssertionError(
                    f"{what}; its Watches began {len(self.first_updates)} times, ended {ends}"
                ) from fault

    async def _act(self, request: wire.ActRequest) -> int | None:
        """Send it until it is answered, and perhaps once more than that."""
        chance = self._rng.random()
        if chance < AGAIN:
            first, second = await asyncio.gather(self._answered(request), self._answered(request))
            assert first.revision == second.revision, f"one command, two answers: {first} and {second}"
            return first.revision
        answer = await self._answered(request)
        if chance > 1 - AGAIN and answer.revision is not None:
            other = wire.ActRequest.FromString(request.SerializeToString())
            other.turn_no += 1
            assert (await self._answered(other)).code == "DUPLICATE_COMMAND_BODY"
            assert (await self._answered(request)).revision == answer.revision
        return answer.revision

    async def _answered(self, request: wire.ActRequest) -> Answer:
        async with asyncio.timeout(PATIENCE_S):
            answer = await self._attempt(request)
            self.resent += answer is None
            while answer is None:
                answer = await self._attempt(request)
        self.answers.append(answer)
        return answer

    async def _attempt(self, request: wire.ActRequest) -> Answer | None:
        """``None`` where it is to be sent again; then after the wait that was asked for."""
        try:
            acted = await answer(self._stub.Act(request, metadata=bearer(self._token), timeout=ATTEMPT_S))
        except ApiError as fault:
            try:
                await _wait_as_told(fault)
            except ApiError:
                return Answer(request, None, fault.code)
            return None
        return Answer(request, acted.revision, "")

    def request(self, action: SeatAction) -> wire.ActRequest:
        """See ``Roamer``."""
        deal = self.client.deal
        assert deal is not None
        return wire.ActRequest(
            table_id=self.table_id,
            command_id=str(uuid.UUID(int=self._rng.getrandbits(128), version=4)),
            deal_no=self.client.deal_no,
            turn_no=deal.turn_no,
            action=write_action(action),
        )
