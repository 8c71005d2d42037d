"""What players ask of their tables, whichever way it comes: by a call of its own, or over a Relay."""

import hashlib
import re
from typing import Any, Final

from banakil.table.v1 import contributing_pb2, saying_pb2, spectating_pb2, wishes_pb2
from banakil.table.v1 import table_pb2 as wire

from services.table.commands import Ask, Cut, Play
from services.table.contributing import Asked, read_contribution
from services.table.live import LiveTable
from services.table.mail import Answer
from services.table.refusals import NotSeatedError, StaleCeremonyError, TableClosedError, UnknownPhraseError
from services.table.seats import seat_to_play, seat_to_watch
from services.table.shuffling import is_about
from services.table.state import Stage
from services.table.tables import Tables
from services.table.wishing import read_wish
from shared.codec.actions import read_action
from shared.codec.phrases import PHRASES
from shared.fairness.encoding import ID_BYTES
from shared.kit.clock import Clock
from shared.kit.identity import Principal, Role
from shared.kit.limits import RateLimiter
from shared.kit.status import MalformedError

ACTS_PER_SECOND: Final = 20.0
ACTS_AT_ONCE: Final = 60
WISHES_PER_SECOND: Final = 1.0
WISHES_AT_ONCE: Final = 8
READS_PER_SECOND: Final = 10.0
READS_AT_ONCE: Final = 40
COMINGS_PER_SECOND: Final = 1.0
"""Watches of one account at one table that it did not watch: who comes and goes has it written down each time, and all
who watch told. One that takes an open one's place changes nothing."""
COMINGS_AT_ONCE: Final = 20
SAYS_PER_SECOND: Final = 0.4
"""Of one seat: five in ten seconds, and no more than four at once."""
SAYS_AT_ONCE: Final = 4
_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
HOUSE: Final = "house:"
"""Before the account of a house bot; no account of the lobby has a colon."""


class PlayerCalls:
    """Acts, wishes, watches and parts in shuffles, within each account's limits."""

    def __init__(self, tables: Tables, clock: Clock) -> None:
        self._tables = tables
        self._acts = RateLimiter(clock, per_second=ACTS_PER_SECOND, burst=ACTS_AT_ONCE)
        self._wishes = RateLimiter(clock, per_second=WISHES_PER_SECOND, burst=WISHES_AT_ONCE)
        self._reads = RateLimiter(clock, per_second=READS_PER_SECOND, burst=READS_AT_ONCE)
        self._comings = RateLimiter(clock, per_second=COMINGS_PER_SECOND, burst=COMINGS_AT_ONCE)
        self._says = RateLimiter(clock, per_second=SAYS_PER_SECOND, burst=SAYS_AT_ONCE)

    async def act(self, account: str, request: wire.ActRequest) -> wire.ActResponse:
        """Play an action; answers once it is journalled."""
        self._acts.admit(account, "RATE_LIMITED")
        check_uuid(request.command_id)
        play = _play(await self._tables.get(request.table_id), account, request)
        return self.acted(await self._tables.submit(request.table_id, *play))

    def start_act(self, account: str, request: wire.ActRequest, answer: Answer) -> bool:
        """As ``act``, at a table that runs here, and tells the revision; false where it does not. Raises, or tells,
        ``JournalError`` too and ``DrainingError``, after which ``act`` may know more."""
        table = self._tables.running(request.table_id)
        if table is None:
            return False
        self._acts.admit(account, "RATE_LIMITED")
        check_uuid(request.command_id)
        table.actor.take(*_play(table, account, request), answer)
        return True

    def acted(self, revision: int) -> wire.ActResponse:
        """The answer to an action."""
        return wire.ActResponse(revision=revision, owner_address=self._tables.ownership.address)

    async def ask(self, account: str, request: wishes_pb2.AskRequest) -> wishes_pb2.AskResponse:
        """Grant a wish; answers once it is journalled."""
        self._wishes.admit(account, "RATE_LIMITED")
        check_uuid(request.command_id)
        command = Ask(account, read_wish(request))
        command_id = f"{account}:{request.command_id}"
        revision = await self._tables.submit(request.table_id, command, command_id, digest_of(request))
        return wishes_pb2.AskResponse(revision=revision)

    async def contribute(
        self, account: str, request: contributing_pb2.ContributeRequest
    ) -> contributing_pb2.ContributeResponse:
        """Hand in a seat's h, its c, or the host's cut for the next deal's shuffle."""
        self._acts.admit(account, "RATE_LIMITED")
        asked = read_contribution(request)
        table = await self._tables.get(request.table_id)
        if not isinstance(asked.what, int):
            _gather(table, account, request, asked)
            return contributing_pb2.ContributeResponse()
        seat_to_play(table.state, account)
        command = Cut(account, asked.match_id, request.deal_no, request.attempt, asked.what)
        command_id = f"cut:{request.match_id}:{request.deal_no}:{request.attempt}:{account}"
        await self._tables.submit(request.table_id, command, command_id, digest_of(request))
        return contributing_pb2.ContributeResponse()

    def contribute_now(self, account: str, request: contributing_pb2.ContributeRequest) -> bool:
        """As ``contribute``, where that waits for nothing: of an h or a c, at a table that runs here."""
        table = self._tables.running(request.table_id)
        if table is None or request.HasField("cut"):
            return False
        self._acts.admit(account, "RATE_LIMITED")
        _gather(table, account, request, read_contribution(request))
        return True

    async def seated(self, account: str, request: wire.WatchRequest) -> tuple[LiveTable, int]:
        """The table to watch, and the account's seat there. Raises ``NotSeatedError``."""
        self.admit_read(account)
        table = await self._tables.get(request.table_id)
        seat = seat_to_watch(table.state, account)
        if not table.watchers.is_there(account):
            self._comings.admit(f"{request.table_id}:{account}", "RATE_LIMITED")
        return table, seat

    async def spectated(self, account: str, request: spectating_pb2.SpectateRequest) -> LiveTable:
        """The table to look on at."""
        self.admit_read(account)
        return await self._tables.get(request.table_id)

    async def say(self, account: str, request: saying_pb2.SayRequest) -> saying_pb2.SayResponse:
        """Say something to all who watch. Raises ``UnknownPhraseError``, ``TableClosedError``, and as
        ``seat_to_watch``."""
        self.admit_read(account)
        if request.phrase_id not in PHRASES:
            raise UnknownPhraseError
        table = await self._tables.get(request.table_id)
        seat = seat_to_watch(table.state, account)
        if table.state.stage is Stage.CLOSED:
            raise TableClosedError
        self._says.admit(f"{request.table_id}:{seat}", "RATE_LIMITED")
        table.watchers.say(table.state, saying_pb2.Said(seat=seat, phrase_id=request.phrase_id))
        return saying_pb2.SayResponse()

    def look_again(self, table_id: str) -> None:
        """Find out anew where a table is, where it does not run here: a gateway that is sent on may have been there."""
        self._tables.ownership.forget(table_id)

    def admit_read(self, caller: str) -> None:
        """Count a call that only reads. Raises ``FullError`` where there were too many."""
        self._reads.admit(caller, "RATE_LIMITED")


def _play(table: LiveTable, account: str, request: wire.ActRequest) -> tuple[Play, str, bytes]:
    """The command, its id and its digest."""
    # A house bot may have had a seat, whose player is back: of what it sends again the journal knows.
    seat = table.state.seat_of(account)
    if seat is None and not account.startswith(HOUSE):
        raise NotSeatedError
    action = read_action(request.action, seat or 0)
    command = Play(account, request.deal_no, request.turn_no, action, request.match_id)
    return command, f"{account}:{request.command_id}", digest_of(request)


def _gather(table: LiveTable, account: str, request: contributing_pb2.ContributeRequest, asked: Asked) -> None:
    seat, ceremony = seat_to_play(table.state, account), table.state.next_fair
    if ceremony is None or not is_about(ceremony, asked.match_id, request.deal_no, request.attempt):
        raise StaleCeremonyError
    assert isinstance(asked.what, bytes)
    table.actor.gather(asked.step, seat, asked.what)


def account_of(caller: Principal) -> str:
    """The account that a token names; those of house bots stand apart from everybody else's."""
    if caller.role is not Role.BOTS:
        return caller.account
    if not caller.account:
        raise NotSeatedError
    return HOUSE + caller.account


def check_uuid(text: str) -> None:
    """Raises ``MalformedError`` for what is not a UUID in its usual form."""
    if _UUID(text) is None:
        raise MalformedError("BAD_REQUEST", "an id is a UUID in its usual form")


def read_id(text: str) -> bytes:
    """Of a match or a series. Raises ``MalformedError``."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != ID_BYTES:
        raise MalformedError("BAD_REQUEST", "an id of a match or a series is 32 hex digits")
    return value


def digest_of(request: Any) -> bytes:
    """What tells a resend from another command under the same id."""
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()[:16]
