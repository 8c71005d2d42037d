"""What players want besides their moves: other seats after a series' first match, a break, the end of a break."""

import uuid
from typing import Any, Final

from banakil.table.v1 import wishes_pb2
from banakil.table.v1.views_pb2 import STAGE_SWAP

from shared.kit.status import ApiError, AwayError, FullError
from tests.sim.checks import Checks
from tests.sim.loop import Process
from tests.sim.network import Network
from tests.sim.player import AGAIN_MS, Player

NOT_NOW: Final = frozenset(
    {
        "NOT_SEATED",
        "PAUSED",
        "PAUSE_NOT_POSSIBLE",
        "SEAT_LEFT",
        "STAND_IN_PLAYS",
        "SWAP_NOT_POSSIBLE",
        "TABLE_CLOSED",
        "TABLE_FROZEN",
    }
)
"""What a wish may be answered that comes too late, or that a player has no more a right to."""
OFTEN, SELDOM = 0.8, 0.1


class Wisher:
    """The wishes of one player, until the table is over."""

    def __init__(self, network: Network, clients: Process, checks: Checks, player: Player, every_ms: int) -> None:
        """``every_ms``: how often, on the average."""
        self._network = network
        self._world = network.world
        self._clients = clients
        self._checks = checks
        self._player = player
        self._every_ms = every_ms
        self._rng = network.world.rng(f"wishes of {player.who.account} at {player.table_id}")
        clients.start(self._run())

    async def _run(self) -> None:
        player = self._player
        while not player.is_over:
            await self._clients.clock.sleep_ms(self._rng.randrange(2 * self._every_ms))
            wish = self._wish()
            if wish is None:
                continue
            outcome = await self._ask(wish)
            # A wish that has changed nothing is in no journal, and may be answered otherwise when it comes again.
            made = self._checks.mirror.books[player.table_id].commands.get(wish.command_id)
            if made is None:
                continue
            answers = {outcome, await self._ask(wish)} if self._draws(SELDOM) else {outcome}
            if answers != {made.revision}:
                self._world.fail(f"a wish of {player.account} was answered {answers}, and is revision {made.revision}")

    def _wish(self) -> wishes_pb2.AskRequest | None:
        """What one wants now, if anything; once nothing goes wrong any more, no more than that play goes on."""
        view, behaves = self._player.client.view, self._player.habits.wish_ms == 0
        pause = view.pause
        if pause.until_ms:
            return self._request(end_pause=wishes_pb2.EndPause()) if behaves or self._draws(SELDOM) else None
        if behaves:
            return None
        if view.stage == STAGE_SWAP or self._draws(SELDOM):
            return self._request(swap=wishes_pb2.SwapSeats())
        if self._draws(OFTEN if pause.agreed_seats else SELDOM):
            return self._request(pause=wishes_pb2.Pause())
        return self._request(end_pause=wishes_pb2.EndPause()) if self._draws(SELDOM) else None

    def _draws(self, chance: float) -> bool:
        return self._rng.random() < chance

    def _request(self, **wish: Any) -> wishes_pb2.AskRequest:
        command_id = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        return wishes_pb2.AskRequest(table_id=self._player.table_id, command_id=command_id, **wish)

    async def _ask(self, request: wishes_pb2.AskRequest) -> int | str:
        """The revision, or the refusal's code."""
        self._world.counts["wishes"] += 1
        while True:
            try:
                answer = await self._network.call(self._clients, "table", "Ask", request, self._player.who)
            except (AwayError, FullError) as error:
                await self._clients.clock.sleep_ms(error.retry_after_ms or self._rng.randrange(AGAIN_MS))
            except ApiError as error:
                if error.code not in NOT_NOW:
                    self._world.fail(f"{self._player.account} wishes in vain: {error.code}")
                return error.code
            else:
                return wishes_pb2.AskResponse.FromString(answer).revision
