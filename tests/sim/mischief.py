"""What clients should not do: resends, stale turns, other people's seats, garbage. Each has one right answer."""

import random
import uuid
from typing import Any, Final

from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire

from services.table.wire import write_view
from shared.codec.actions import write_action
from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from shared.rules.actions import Discard, Draw, Undo
from tests.sim.checks import Checks
from tests.sim.loop import Process
from tests.sim.network import Caller, Network
from tests.sim.player import Player

STRANGER: Final = Principal(Role.PLAYER, "stranger")


class Rascal:
    """Tries everything at one table."""

    def __init__(self, network: Network, clients: Process, checks: Checks, players: list[Player]) -> None:
        self._network = network
        self._world = network.world
        self._clients = clients
        self._checks = checks
        self._players = players
        self._rng: random.Random = network.world.rng(f"mischief at {players[0].table_id}")
        self._table_id = players[0].table_id
        if players[0].habits.mischief_ms:
            clients.start(self._run())

    async def _run(self) -> None:
        tricks = [self._resend, self._reuse, self._stale, self._strange, self._garble, self._look, self._contribute]
        while self._players[0].habits.mischief_ms:
            await self._clients.clock.sleep_ms(self._rng.randrange(2 * self._players[0].habits.mischief_ms))
            await self._rng.choice(tricks)()

    async def _resend(self) -> None:
        """The same again has the same answer, whenever."""
        player, request, revision = self._something_done()
        if request is not None and revision is not None:
            outcome = await self._act(request, player.who)
            self._expect(outcome, revision, "a resend")

    async def _reuse(self) -> None:
        """The same id for something else."""
        player, request, revision = self._something_done()
        if request is not None and revision is not None:
            other = wire.ActRequest.FromString(request.SerializeToString())
            other.turn_no += 1
            self._expect(await self._act(other, player.who), "DUPLICATE_COMMAND_BODY", "an id used again")

    async def _stale(self) -> None:
        """A turn that has passed. In a series another match may have such a turn."""
        player, request, _ = self._something_done()
        if request is not None and player.is_single:
            late = player.request(request.deal_no, max(0, request.turn_no - 1), Draw(0))
            self._expect_refusal(await self._act(late, player.who), "a turn that has passed")

    async def _strange(self) -> None:
        """Whoever has no seat plays none, whatever seat the action names; nor does another seat than the one to act."""
        player = self._rng.choice(self._players)
        client = player.client
        turn_no = 0 if client.deal is None else client.deal.turn_no
        request = player.request(client.deal_no, turn_no, self._rng.choice((Draw(0), Undo(1), Discard(2, 7))))
        self._expect(await self._act(request, STRANGER), "NOT_SEATED", "a stranger's move")
        if client.deal is not None and client.deal.turn != client.deal.viewer:
            self._expect_refusal(await self._act(request, player.who), "a move out of turn")

    async def _garble(self) -> None:
        """Bytes that mean nothing, and requests that lack what they need."""
        player = self._rng.choice(self._players)
        method = self._rng.choice(("Act", "Contribute", "Watch", "TakeSeat", "GetView", "GetRecord", "Create"))
        requests: list[bytes] = [
            self._rng.randbytes(self._rng.randrange(60)),
            wire.ActRequest(table_id=self._table_id, command_id="x" * self._rng.randrange(300)).SerializeToString(),
            wire.ActRequest(
                table_id=str(uuid.UUID(int=5)), command_id=str(uuid.UUID(int=6)), action=write_action(Draw(0))
            ).SerializeToString(),
            wire.WatchRequest(table_id=self._table_id, last_revision=2**31).SerializeToString(),
        ]
        if method in ("Watch", "GetView"):
            return  # those that happen to mean something are tried elsewhere
        try:
            await self._network.call_raw(self._clients, "table", method, self._rng.choice(requests), Caller(player.who))
        except ApiError:
            return
        self._world.fail(f"garbage for {method} of {self._table_id} was taken")

    async def _look(self) -> None:
        """What is public is so to everybody, and no more."""
        request = wire.GetViewRequest(table_id=self._table_id)
        try:
            answer = await self._network.call(self._clients, "table", "GetView", request, STRANGER)
        except ApiError:
            return
        view = wire.GetViewResponse.FromString(answer).view
        state = self._checks.mirror.books[self._table_id].states.get(view.revision)
        if state is None or view != write_view(state, None):
            self._world.fail(f"a stranger sees another {self._table_id} at revision {view.revision}")

    async def _contribute(self) -> None:
        """A stranger's contribution, and one for another shuffle."""
        player = self._rng.choice(self._players)
        fair = player.client.view.next_fair
        about: dict[str, Any] = {
            "table_id": self._table_id,
            "match_id": fair.match_id or "00" * 16,
            "deal_no": fair.deal_no,
            "attempt": fair.attempt + 1,
        }
        request = contributing_pb2.ContributeRequest(h_hex=self._rng.randbytes(64).hex(), **about)
        for who in (STRANGER, player.who):
            try:
                await self._network.call(self._clients, "table", "Contribute", request, who)
            except ApiError:
                continue
            now = player.client.view.next_fair
            if who is STRANGER or (now.match_id, now.deal_no, now.attempt) != (
                fair.match_id,
                fair.deal_no,
                fair.attempt,
            ):
                self._world.fail(f"a contribution of nobody to no shuffle of {self._table_id} was taken")

    async def _act(self, request: wire.ActRequest, who: Principal) -> int | str:
        """The revision, or the refusal's code."""
        self._world.counts["mischief"] += 1
        try:
            answer = await self._network.call(self._clients, "table", "Act", request, who)
        except (AwayError, FullError):
            return ""
        except ApiError as error:
            return error.code
        return wire.ActResponse.FromString(answer).revision

    def _something_done(self) -> tuple[Player, wire.ActRequest | None, int | None]:
        # What a house bot sends again after its seat's player is back is nobody's any more.
        player = self._rng.choice([player for player in self._players if player.who.role is not Role.BOTS])
        return player, *(self._rng.choice(player.acted) if player.acted else (None, None))

    def _expect(self, outcome: int | str, wanted: int | str, what: str) -> None:
        if outcome not in ("", wanted):
            self._world.fail(f"{what} at {self._table_id} was answered {outcome} instead of {wanted}")

    def _expect_refusal(self, outcome: int | str, what: str) -> None:
        if isinstance(outcome, int):
            self._world.fail(f"{what} at {self._table_id} was accepted")
