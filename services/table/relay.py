"""A Relay: many players' watches and actions over one stream, answered in batches (table.proto)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final

import grpc
from banakil.table.v1 import contributing_pb2
from banakil.table.v1 import table_pb2 as wire

from services.table.journal import JournalError
from services.table.live import LiveTable
from services.table.player_calls import PlayerCalls, account_of
from services.table.refusals import DrainingError, ElsewhereError
from shared.kit.identity import ACCOUNT_ROLES, Role, TokenVerifier
from shared.kit.relaying import Outgoing, refusal_fields
from shared.kit.status import ROLE_NOT_ADMITTED, ApiError, FullError, NotAllowedError
from shared.kit.tasks import spawn
from shared.rules.views import Viewer

MOST_WATCHES: Final = 10_000
MOST_ACTS: Final = 2_000
"""Of one relay, under way at once."""
MOST_UNSENT: Final = 20_000
"""Answers that wait for a slow gateway before its stream is ended."""
MOST_IN_A_BATCH: Final = 500

_PLAYERS: Final = ACCOUNT_ROLES | {Role.BOTS}
_CONTRIBUTORS: Final = frozenset({Role.PLAYER})
_CONTRIBUTED: Final = contributing_pb2.ContributeResponse()

Translate = Callable[[Exception], ApiError]


class RelayWatcher:
    """One player's Watch on a relay."""

    def __init__(self, key: int, viewer: Viewer, account: str, relay: "Relay", table: LiveTable) -> None:
        self.viewer = viewer
        self.account = account
        self.key = key
        self.table = table
        self._relay = relay
        self._ended = False

    def put(self, update: bytes) -> None:
        """See ``Watcher``."""
        if not self._ended:
            self._relay.update(self.key, update)

    def end(self, error: ApiError | None) -> None:
        """See ``Watcher``."""
        if self._ended:
            return
        self._ended = True
        self._relay.forget(self.key)
        self._relay.answer(wire.RelayAnswer(key=self.key, ended=True) if error is None else _refused(self.key, error))

    @property
    def is_idle(self) -> bool:
        """See ``Watcher``: a relay's stream is never let go silent by one table's quiet."""
        return True


class Relay:
    """One open relay."""

    def __init__(self, calls: PlayerCalls, verifier: TokenVerifier, translate: Translate) -> None:
        self._calls = calls
        self._verifier = verifier
        self._translate = translate
        self._outgoing: Outgoing[wire.RelayAnswer] = Outgoing(MOST_IN_A_BATCH, MOST_UNSENT)
        self._watches: dict[int, RelayWatcher] = {}
        self._acts: set[asyncio.Future[Any] | _Act] = set()
        self._over = False
        self._shares = False
        self._last_update = b""
        self._last_told: wire.RelayAnswer | None = None

    async def run(self, requests: AsyncIterator[wire.RelayRequest]) -> AsyncIterator[wire.RelayResponse]:
        """Answer until the caller ends the stream. Raises ``FullError`` where it is too slow for what it asks."""
        reader = spawn(self._read(requests), "relay reads")
        try:
            async for batch in self._outgoing.batches():
                yield wire.RelayResponse(answers=batch)
        finally:
            reader.cancel()
            for task in self._acts:
                task.cancel()
            for watcher in list(self._watches.values()):
                watcher.table.watchers.close(watcher, is_ours=True)

    def answer(self, answer: wire.RelayAnswer) -> None:
        """Send an answer with the next batch."""
        self._outgoing.put(answer)

    def update(self, key: int, update: bytes) -> None:
        """Send a Watch its update; one answer does for all who get the same bytes one after the other."""
        told = self._last_told
        if told is not None and update is self._last_update and told is self._outgoing.last:
            told.also_keys.append(key)
            return
        told = wire.RelayAnswer(key=key, update=update)
        self._outgoing.put(told)
        if self._shares:
            self._last_update, self._last_told = update, told

    def forget(self, key: int) -> None:
        """A Watch has ended."""
        self._watches.pop(key, None)

    async def _read(self, requests: AsyncIterator[wire.RelayRequest]) -> None:
        try:
            async for request in requests:
                self._shares = self._shares or request.reads_also_keys
                for item in request.items:
                    await self._take(item)
        except grpc.aio.AbortError:
            pass  # whoever has ended the stream has said why
        finally:
            self._over = True
            self._finish()

    async def _take(self, item: wire.RelayItem) -> None:
        what = item.WhichOneof("item")
        try:
            if what == "act":
                self._act(item)
            elif what == "contribute":
                self._contribute(item)
            elif what == "ask":
                self._ask(item)
            elif what == "say":
                self._require_room()
                self._spawn(item.key, self._say(item, self._account(item)))
            elif what in {"watch", "spectate"}:
                await self._watch(item, what)
            elif what == "unwatch" and (watcher := self._watches.pop(item.key, None)) is not None:
                watcher.table.watchers.close(watcher)
        except Exception as error:
            self._refuse(item.key, error)

    def _act(self, item: wire.RelayItem) -> None:
        self._require_room()
        account = self._account(item)
        act = _Act(item, account, self)
        self._acts.add(act)
        try:
            is_here = self._calls.start_act(account, item.act, act)
        except Exception:
            self._done(act)
            raise
        if not is_here:
            self._acts.discard(act)
            self._spawn(item.key, self._act_later(item, account))

    def acted(self, act: "_Act", revision: int) -> None:
        """An action was played."""
        self.answer(wire.RelayAnswer(key=act.item.key, acted=self._calls.acted(revision)))
        self._done(act)

    def not_acted(self, act: "_Act", error: Exception) -> None:
        """An action was refused, or its outcome is not known."""
        if isinstance(error, JournalError | DrainingError):
            # Nobody knows whether it was played, or another process has the table: it is looked for anew.
            self._spawn(act.item.key, self._act_later(act.item, act.account))
        else:
            self._refuse(act.item.key, error)
        self._done(act)

    async def _act_later(self, item: wire.RelayItem, account: str) -> None:
        self._calls.look_again(item.act.table_id)
        acted = await self._calls.act(account, item.act)
        self.answer(wire.RelayAnswer(key=item.key, acted=acted))

    def _contribute(self, item: wire.RelayItem) -> None:
        account = self._account(item, _CONTRIBUTORS)
        if self._calls.contribute_now(account, item.contribute):
            self.answer(wire.RelayAnswer(key=item.key, contributed=_CONTRIBUTED))
            return
        self._require_room()
        self._spawn(item.key, self._contribute_later(item, account))

    async def _contribute_later(self, item: wire.RelayItem, account: str) -> None:
        self._calls.look_again(item.contribute.table_id)
        contributed = await self._calls.contribute(account, item.contribute)
        self.answer(wire.RelayAnswer(key=item.key, contributed=contributed))

    def _ask(self, item: wire.RelayItem) -> None:
        account = self._account(item, ACCOUNT_ROLES)
        self._require_room()
        self._spawn(item.key, self._ask_later(item, account))

    async def _ask_later(self, item: wire.RelayItem, account: str) -> None:
        self._calls.look_again(item.ask.table_id)
        self.answer(wire.RelayAnswer(key=item.key, asked=await self._calls.ask(account, item.ask)))

    async def _say(self, item: wire.RelayItem, account: str) -> None:
        self._calls.look_again(item.say.table_id)
        self.answer(wire.RelayAnswer(key=item.key, said=await self._calls.say(account, item.say)))

    async def _watch(self, item: wire.RelayItem, what: str) -> None:
        if item.key in self._watches or len(self._watches) >= MOST_WATCHES:
            raise FullError("OVERLOADED", "too many watches, or two of one key", retry_after_ms=1_000)
        request = item.watch if what == "watch" else item.spectate
        account = self._account(item, _PLAYERS if what == "watch" else ACCOUNT_ROLES)
        self._calls.look_again(request.table_id)
        viewer: Viewer = None
        if isinstance(request, wire.WatchRequest):
            table, viewer = await self._calls.seated(account, request)
        else:
            table = await self._calls.spectated(account, request)
        watcher = self._watches[item.key] = RelayWatcher(item.key, viewer, account, self, table)
        try:
            table.watchers.open(table.state, table.actor.ring, watcher, request.last_revision)
        except FullError:
            del self._watches[item.key]
            raise

    def _require_room(self) -> None:
        if len(self._acts) >= MOST_ACTS:
            raise FullError("OVERLOADED", "too many at once", retry_after_ms=250)

    def _spawn(self, key: int, work: Coroutine[Any, Any, None]) -> None:
        """Do what has to wait; what it raises is the answer."""

        async def refusing() -> None:
            try:
                await work
            except Exception as error:
                self._refuse(key, error)

        task = spawn(refusing(), "relay waits")
        self._acts.add(task)
        task.add_done_callback(self._done)

    def _done(self, act: "asyncio.Future[Any] | _Act") -> None:
        self._acts.discard(act)
        self._finish()

    def _finish(self) -> None:
        """The stream ends with the last answer to a caller that asks for nothing more."""
        if self._over and not self._acts:
            self._outgoing.finish()

    def _refuse(self, key: int, error: Exception) -> None:
        self.answer(_refused(key, self._translate(error)))

    def _account(self, item: wire.RelayItem, roles: frozenset[Role] = _PLAYERS) -> str:
        caller = self._verifier.verify(item.token)
        if caller.role not in roles:
            raise NotAllowedError(ROLE_NOT_ADMITTED, f"not for the role {caller.role}")
        return account_of(caller)


class _Act:
    """An action under way. It is told its outcome at once: the answer goes in one batch with what its players see."""

    def __init__(self, item: wire.RelayItem, account: str, relay: Relay) -> None:
        self.item = item
        self.account = account
        self._relay = relay
        self._cancelled = False

    def done(self) -> bool:
        """See ``Answer``."""
        return self._cancelled

    def set_result(self, revision: int, /) -> None:
        """See ``Answer``."""
        self._relay.acted(self, revision)

    def set_exception(self, error: Exception, /) -> None:
        """See ``Answer``."""
        self._relay.not_acted(self, error)

    def cancel(self) -> None:
        """Nobody is there any more to be told."""
        self._cancelled = True


def _refused(key: int, error: ApiError) -> wire.RelayAnswer:
    owner_address = error.owner_address if isinstance(error, ElsewhereError) else ""
    refusal = wire.RelayAnswer.Refusal(owner_address=owner_address, **refusal_fields(error))
    return wire.RelayAnswer(key=key, refused=refusal)
