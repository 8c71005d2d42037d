"""A seat's client: it watches, thinks, acts and sends again what was not answered, as far as its habits let it."""

import asyncio
import random
import uuid
from collections.abc import Iterator
from typing import Any, Final

from banakil.table.v1 import contributing_pb2, wishes_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import STAGE_CLOSED

from services.table.player_calls import HOUSE
from shared.codec.actions import write_action
from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from shared.rules.actions import Timeout
from shared.rules.views import seat_state
from tests.sim.checks import Checks
from tests.sim.loop import Process
from tests.sim.network import Caller, Network
from tests.sim.plan import Habits, Planned
from tests.support.contributing import Contributor
from tests.support.follower import Follower
from tests.support.play import next_action

AGAIN_MS: Final = 200
LOOK_MS: Final = 1_000
"""After which a client that waits for news of its own action looks again."""
REMEMBERED: Final = 50
AWAY_MS: Final = 120_000
"""The longest that one is away who is so for long."""


class Player:
    """One seat's client, in the process of all clients."""

    def __init__(
        self, network: Network, clients: Process, checks: Checks, table_id: str, who: Principal, planned: Planned
    ) -> None:
        self.who = who
        self.table_id = table_id
        self.client = Follower()
        self.acted: list[tuple[wire.ActRequest, int | None]] = []
        """The last requests, with the revisions that were answered."""
        self.waits_since_ms: int | None = None
        """Since when an action has had no answer."""
        self.is_over = False
        self._network = network
        self._world = network.world
        self._clients = clients
        self._checks = checks
        self._planned = planned
        self._rng: random.Random = network.world.rng(f"player {who.account} of {table_id}")
        self._contributor = Contributor()
        self._sending: set[bytes] = set()
        self._news = asyncio.Event()
        clients.start(self._watch())
        clients.start(self._play())

    @property
    def account(self) -> str:
        """As the table knows it."""
        return HOUSE + self.who.account if self.who.role is Role.BOTS else self.who.account

    @property
    def is_single(self) -> bool:
        """Whether one match is played."""
        return self._planned.options.format == "single"

    @property
    def habits(self) -> Habits:
        """Once nothing goes wrong any more, everybody behaves."""
        return self._planned.habits if self._world.plan.heals_ms > self._clients.clock.monotonic_ms() else _GOOD

    async def _watch(self) -> None:
        while not self.is_over:
            remembered = self.client.revision if self._rng.random() < 0.8 else 0
            request = wire.WatchRequest(table_id=self.table_id, last_revision=remembered)
            # What it sent for a shuffle may be forgotten with the process it was sent to.
            self._contributor = Contributor()
            stream = self._network.open(self._clients, "table", "Watch", Caller(self.who))
            stream.send(request.SerializeToString())
            try:
                async for update in stream.updates():
                    self._take(update)
                    if self._rng.random() < self.habits.leave:
                        stream.let_go()
                        await self._clients.clock.sleep_ms(self._rng.randrange(20_000))
                        break
                    if self._rng.random() < self.habits.absent:
                        stream.let_go()
                        self._world.counts["absences"] += 1
                        await self._clients.clock.sleep_ms(self._rng.randrange(AWAY_MS))
                        break
                    if self.who.role is not Role.BOTS and self._rng.random() < self.habits.quits:
                        self._clients.start(self._leave())
            except ApiError as error:
                self._world.note("watch of", self.account, "ends with", error.code)
                if error.code == "NOT_SEATED":
                    self.is_over = True  # a house bot, whose seat's player is back
                elif error.code == "SEAT_LEFT":
                    await self._clients.clock.sleep_ms(self._rng.randrange(2 * LOOK_MS, 10 * LOOK_MS))
            await self._clients.clock.sleep_ms(self._rng.randrange(AGAIN_MS))

    async def _leave(self) -> None:
        """Leave on purpose: it comes about, or the match is over."""
        command_id = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        request = wishes_pb2.AskRequest(table_id=self.table_id, command_id=command_id, leave=wishes_pb2.Leave())
        self._world.counts["leaves"] += 1
        clock = self._clients.clock
        while not self.is_over:
            try:
                await self._network.call(self._clients, "table", "Ask", request, self.who)
            except (AwayError, FullError) as error:
                await clock.sleep_ms(error.retry_after_ms or self._rng.randrange(AGAIN_MS))
            except ApiError as error:
                if error.code != "TABLE_FROZEN":
                    if error.code not in ("SEAT_LEFT", "TABLE_CLOSED"):
                        self._world.fail(f"{self.account} may not leave {self.table_id}: {error.code}")
                    return
                await clock.sleep_ms(AGAIN_MS)
            else:
                return

    def _take(self, update: bytes) -> None:
        try:
            message = wire.WatchResponse.FromString(update)
            self.client.take_in(message)
        except AssertionError as error:
            self._world.fail(f"{self.account} cannot follow an update of {self.table_id}: {error!r}")
            return
        view = self.client.view
        self._checks.seen(self.table_id, self.client, message)
        if view.stage == STAGE_CLOSED:
            self.is_over = True
        for request in self._contributor.due(view):
            self._clients.start(self._contribute(request))
        self._news.set()

    async def _play(self) -> None:
        clock = self._clients.clock
        while not self.is_over:
            await self._wait(LOOK_MS)
            if not self._is_to_act():
                continue
            if self._rng.random() < self.habits.asleep:
                await clock.sleep_ms(self._rng.randrange(8_000))
            await clock.sleep_ms(self._rng.randrange(self.habits.think_ms + 1))
            if not self._is_to_act():
                continue
            deal = self.client.deal
            assert deal is not None
            action = next_action(self._rng, seat_state(deal), self._planned.temper)
            if isinstance(action, Timeout):
                await self._wait(LOOK_MS)
                continue
            before = self.client.revision
            revision = await self.act(self.request(self.client.deal_no, deal.turn_no, action))
            if revision is not None and self.client.revision < revision:
                await self._wait(LOOK_MS)
            elif revision is None and self.client.revision == before:
                await clock.sleep_ms(AGAIN_MS)

    def request(self, deal_no: int, turn_no: int, action: Any) -> wire.ActRequest:
        """A new request."""
        return wire.ActRequest(
            table_id=self.table_id,
            command_id=str(uuid.UUID(int=self._rng.getrandbits(128), version=4)),
            deal_no=deal_no,
            turn_no=turn_no,
            action=write_action(action),
        )

    async def act(self, request: wire.ActRequest) -> int | None:
        """Send it until it is answered; the revision, or ``None`` for a refusal."""
        clock = self._clients.clock
        self.waits_since_ms = clock.monotonic_ms()
        while not self.is_over:
            try:
                answer = await self._network.call(self._clients, "table", "Act", request, self.who)
            except (AwayError, FullError) as error:
                await clock.sleep_ms(error.retry_after_ms or self._rng.randrange(AGAIN_MS))
            except ApiError:
                self._remember(request, None)
                return None
            else:
                revision = wire.ActResponse.FromString(answer).revision
                self._remember(request, revision)
                return revision
        self.waits_since_ms = None
        return None

    def _remember(self, request: wire.ActRequest, revision: int | None) -> None:
        self.waits_since_ms = None
        self.acted.append((request, revision))
        del self.acted[:-REMEMBERED]

    async def _contribute(self, request: contributing_pb2.ContributeRequest) -> None:
        """Hand in what a shuffle waits for, unless it is missing, wrong or late this time."""
        for careless in self._carelessness(request):
            await self._clients.clock.sleep_ms(careless)
        if self._rng.random() < self.habits.careless / 3:
            return
        while not self.is_over:
            try:
                await self._network.call(self._clients, "table", "Contribute", request, self.who)
            except (AwayError, FullError) as error:
                await self._clients.clock.sleep_ms(error.retry_after_ms or self._rng.randrange(AGAIN_MS))
            except ApiError as error:
                self._world.note(self.account, "contributes in vain", error.code)
                return
            else:
                return

    def _carelessness(self, request: contributing_pb2.ContributeRequest) -> Iterator[int]:
        """How late it comes (ms); and what it is may be wrong."""
        if self._rng.random() < self.habits.careless / 3:
            yield self._rng.randrange(8_000)
        if self._rng.random() < self.habits.careless / 3:
            wrong = self._rng.randbytes(32).hex()
            if request.WhichOneof("what") == "c_hex":
                request.c_hex = wrong

    def _is_to_act(self) -> bool:
        deal = self.client.deal
        return deal is not None and deal.turn == deal.viewer and not seat_state(deal).reshuffle_due

    async def _wait(self, most_ms: int) -> None:
        """Until there is news, or for so long."""
        clock = self._clients.clock
        timer = clock.call_at(clock.monotonic_ms() + most_ms, self._news.set)
        try:
            await self._news.wait()
        finally:
            timer.cancel()
        self._news.clear()


_GOOD: Final = Habits(think_ms=100, leave=0.0, asleep=0.0, careless=0.0, mischief_ms=0)
