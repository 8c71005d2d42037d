"""One deal over the real wire with four seats watching, and all that was sent: moves sent twice, clicks twice over,
moves against the rules, hints, and what onlookers were shown.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import grpc
from banakil.common.v1.rule_options_pb2 import Preset, RuleOptions
from banakil.table.v1 import hints_pb2, records_pb2, table_pb2

from shared.codec.actions import write_action
from shared.rules.actions import Discard, Draw, Lay, SeatAction, Timeout, Undo
from shared.rules.cards import bag_cards
from shared.rules.engine import decide
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState
from tests.support.calls import METHODS, Refusal, call
from tests.support.kit import eventually
from tests.support.play import Temper, mischief, sensible_action
from tests.support.up import Up
from tests.support.wire_seat import Guest, Seat, come, new_id, patiently, play, sit_down

LIVELY = Temper(meld=0.7, amend=0.8, take=0.6, undo=0.4)
FEW = 3
"""Moves that are refused with one code, and each verb's moves that are sent twice at once."""
LOOKS = 30
"""Calls that one onlooker makes: fewer than are allowed at once."""
Answer: TypeAlias = Any
"""An ``ActResponse`` or a :class:`Refusal`."""


class Sent(NamedTuple):
    """Requests that were sent at the same moment, and their answers."""

    requests: tuple[table_pb2.ActRequest, ...]
    answers: tuple[Answer, ...]


class Tried(NamedTuple):
    """A move against the rules: what they say of it, and what came."""

    seat: int
    revision: int
    request: table_pb2.ActRequest
    expected: str
    answer: Answer


@dataclass
class NotedDeal:
    """The notes. What the seats saw is in their ``client.updates``."""

    preset: str
    channel: grpc.aio.Channel
    up: Up
    rng: random.Random
    guests: list[Guest] = field(default_factory=list)
    seats: list[Seat] = field(default_factory=list)
    table_id: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    doubles: list[Sent] = field(default_factory=list)
    """The same command twice at once."""
    clicks: list[Sent] = field(default_factory=list)
    """The same move twice at once, as two commands."""
    resends: list[Sent] = field(default_factory=list)
    """Each first answer, and the one to the same command long after."""
    reused: list[Answer] = field(default_factory=list)
    """Answers to other bodies under ids that were used."""
    tried: list[Tried] = field(default_factory=list)
    frames: list[table_pb2.GetViewResponse] = field(default_factory=list)
    hints: list[tuple[int, hints_pb2.GetHintsResponse]] = field(default_factory=list)
    played: list[tuple[Seat, table_pb2.ActRequest, Answer]] = field(default_factory=list)
    """Every move that was accepted, in order."""

    async def run(self) -> None:
        """Plays the deal and fetches its record."""
        preset = Preset.Value(f"PRESET_{self.preset.upper()}")
        options = RuleOptions(preset=preset, turn_seconds=300, target=1000)
        self.guests = [await come(self.channel, name) for name in ("ada", "bea", "cem", "dia")]
        self.table_id = await sit_down(self.channel, options, *self.guests)
        seats = [Seat(self.channel, self.table_id, guest) for guest in self.guests]
        try:
            for seat in seats:
                await seat.watch()
            self.seats = sorted(seats, key=lambda seat: seat.number)
            await self.seats[0].until(lambda: self.seats[0].view.HasField("deal"))
            await play(self.seats, self._choose)
            await self._send_again()
            await eventually(self._has_record)
        finally:
            for seat in seats:
                await seat.leave()

    async def _choose(self, seat: Seat, state: DealState) -> int:
        await self._look()
        await self._try(state)
        verbs = self.verbs_doubled()
        action = sensible_action(self.rng, state, LIVELY)
        if state.duties and not verbs["undo"]:
            action = Undo(seat.number)  # which chance may never come to
        assert not isinstance(action, Timeout)
        request = seat.request(action)
        requests: tuple[table_pb2.ActRequest, ...] = (request,)
        notes: list[Sent] = []
        if verbs[verb_of(request)] < FEW or self.rng.random() < 0.2:
            requests, notes = (request, request), self.doubles
        elif isinstance(action, Draw | Discard) and self.rng.random() < 0.5:
            requests, notes = (request, seat.request(action)), self.clicks
        answers = tuple(await asyncio.gather(*(seat.call("Act", each) for each in requests)))
        notes.append(Sent(requests, answers))
        accepted = [pair for pair in zip(requests, answers, strict=True) if not isinstance(pair[1], Refusal)]
        assert accepted, answers
        self.played.append((seat, *accepted[0]))
        return int(accepted[0][1].revision)

    def verbs_doubled(self) -> Counter[str]:
        """How often each verb was sent twice at once."""
        return Counter(verb_of(sent.requests[0]) for sent in self.doubles)

    async def _look(self) -> None:
        """An onlooker looks, and now and then somebody asks for hints."""
        onlooker = self.up.token(f"onlooker {self.preset} {len(self.frames) // LOOKS}").text
        request = table_pb2.GetViewRequest(table_id=self.table_id)
        self.frames.append(await call(self.channel, METHODS["GetView"], request, onlooker))
        if self.rng.random() < 0.3:
            seat = self.rng.choice(self.seats)
            hints = await seat.call("GetHints", hints_pb2.GetHintsRequest(table_id=self.table_id))
            self.hints.append((seat.number, hints))

    async def _try(self, state: DealState) -> None:
        """Moves that the rules refuse, some with each code."""
        for action in _mischief(self.rng, state):
            expected = _verdict(state, action)
            if expected is None or Counter(tried.expected for tried in self.tried)[expected] >= FEW:
                continue
            seat = self.seats[action.seat]
            deal = self.seats[0].view.deal
            request = table_pb2.ActRequest(
                table_id=self.table_id,
                command_id=new_id(),
                deal_no=deal.deal_no,
                turn_no=deal.turn_no,
                action=write_action(action),
            )
            revision = self.seats[0].client.revision
            answer = await seat.call("Act", request)
            self.tried.append(Tried(seat.number, revision, request, expected, answer))

    async def _send_again(self) -> None:
        for seat, request, first in self.rng.sample(self.played, min(len(self.played), 24)):
            self.resends.append(Sent((request,), (first, await seat.call("Act", request))))
            other = table_pb2.ActRequest.FromString(request.SerializeToString())
            other.turn_no += 1
            self.reused.append(await seat.call("Act", other))

    async def _has_record(self) -> bool:
        request = records_pb2.GetRecordRequest(match_id=self.seats[0].view.match.match_id)
        token = self.up.token(f"reader of {self.preset}").text
        answer = await patiently(lambda: call(self.channel, METHODS["GetRecord"], request, token))
        self.record = json.loads(answer.record_json)
        return bool(self.record["deals"])


def verb_of(request: table_pb2.ActRequest) -> str:
    """What is asked for."""
    return str(request.action.WhichOneof("verb"))


def _verdict(state: DealState, action: SeatAction) -> str | None:
    """The code that the rules refuse an action with, if they do. One that cannot be read never comes to the rules."""
    if isinstance(action, Lay) and not action.melds:
        return "BAD_ACTION"
    try:
        decide(state, action)
    except RefusedError as refused:
        return refused.code.value
    return None


def _mischief(rng: random.Random, state: DealState) -> Iterator[SeatAction]:
    """Some moves, most of them against the rules."""
    hand = bag_cards(state.hands[state.turn])
    for _ in range(4):
        action = mischief(rng, state)
        assert not isinstance(action, Timeout)
        yield action
        yield Lay(state.turn, (bytes(rng.sample(hand, min(len(hand), rng.randrange(2, 6)))),))
