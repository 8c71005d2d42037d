"""Plays one table from four seats, as quickly as it can: what the table bench drives with."""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

import grpc
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub

from shared.codec.actions import write_action
from shared.codec.events import read_event
from shared.codec.options import read_options
from shared.codec.views import read_deal_view
from shared.kit.clients import answer, bearer
from shared.kit.identity import IssuedToken
from shared.kit.status import ApiError
from shared.rules.actions import Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Undo
from shared.rules.cards import FIRST, RANK, RUN_FACES, Face, bag_faces
from shared.rules.discard_choice import least_useful_card
from shared.rules.drawing import takeable_depths
from shared.rules.follow import follow
from shared.rules.laying import may_amend
from shared.rules.layouts import new_layouts
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.ready import small_melds
from shared.rules.state import Phase
from shared.rules.views import SeenEvent, View, seat_state

MOST_WAIT_S = 0.2
"""For a batch to be full."""

Tokens: TypeAlias = Mapping[str, Callable[[str], IssuedToken]]
"""Accounts in seat order, with what signs a token for each."""


class Line(Protocol):
    """A way to the table service."""

    def watch(self, token: str, table_id: str, last_revision: int) -> AsyncIterable[bytes]:
        """A player's updates, encoded."""

    async def act(self, token: str, request: wire.ActRequest) -> wire.ActResponse:
        """Play an action. Raises ``ApiError``."""


class Calls:
    """Every watch and every action as a call of its own."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._act = TableServiceStub(channel).Act
        self._watch: Any = channel.unary_stream(
            "/banakil.table.v1.TableService/Watch", request_serializer=wire.WatchRequest.SerializeToString
        )

    def watch(self, token: str, table_id: str, last_revision: int) -> AsyncIterable[bytes]:
        """See ``Line``."""
        request = wire.WatchRequest(table_id=table_id, last_revision=last_revision)
        call: AsyncIterable[bytes] = self._watch(request, metadata=bearer(token), timeout=None)
        return call

    async def act(self, token: str, request: wire.ActRequest) -> wire.ActResponse:
        """See ``Line``."""
        return await answer(self._act(request, metadata=bearer(token), timeout=30))


class WatchedApart:
    """Watches over one line, actions over another."""

    def __init__(self, watches: Line, acts: Line) -> None:
        self.watch = watches.watch
        self.act = acts.act


class Batches:
    """Actions go so many at a time, as those of many players do that reach a busy server at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        """Returns once a batch is full, or no more has come for a while."""
        loop = asyncio.get_running_loop()
        goes = loop.create_future()
        self._waiting.append(goes)
        if len(self._waiting) >= self._size:
            self._go()
        elif len(self._waiting) == 1:
            self._timer = loop.call_later(MOST_WAIT_S, self._go)
        await goes

    async def __aexit__(self, *_: object) -> None:
        """Nothing is given back."""

    def _go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()  # it was this batch's
        going, self._waiting = self._waiting, []
        for goes in going:
            if not goes.done():
                goes.set_result(None)


class TableDriver:
    """Four players of one table."""

    def __init__(self, line: Line, table_id: str, tokens: Tokens, room: Batches) -> None:
        self._line = line
        self._table_id = table_id
        self._tokens = [sign(account).text for account, sign in tokens.items()]
        self._room = room
        self._views: list[View | None] = [None] * len(self._tokens)
        self._revisions = [0] * len(self._tokens)
        self._last_raw = b""
        self._last = wire.WatchResponse()
        self._last_seen: dict[int, SeenEvent | None] = {}
        self._deal_no = 0
        self._options: Options | None = None
        self._changed = asyncio.Event()
        self.begun = asyncio.Event()
        self.verbs: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.took_s: list[float] = []

    async def run(self) -> None:
        """Play until cancelled or until the table is closed."""
        watching = [asyncio.create_task(self._watch(seat)) for seat in range(len(self._tokens))]
        try:
            await self._play()
        finally:
            for task in watching:
                task.cancel()

    async def _watch(self, seat: int) -> None:
        async for raw in self._line.watch(self._tokens[seat], self._table_id, 0):
            update = self._read(raw)
            if update.HasField("snapshot"):
                self._options = read_options(update.snapshot.options)
                self._revisions[seat] = update.snapshot.revision
                if update.snapshot.HasField("deal"):
                    self._begin(seat, update.snapshot.deal)
            elif update.HasField("delta"):
                self._revisions[seat] = update.delta.revision
                for number, event in enumerate(update.delta.events):
                    self._follow(seat, number, event)
            self._changed.set()

    def _read(self, raw: bytes) -> wire.WatchResponse:
        """The update; most come to several seats alike, and are read once."""
        if self._last_raw != raw:
            self._last_raw, self._last = raw, wire.WatchResponse.FromString(raw)
            self._last_seen = {}
        return self._last

    def _begin(self, seat: int, deal: object) -> None:
        assert self._options is not None
        self._views[seat] = read_deal_view(deal, self._options, seat)  # type: ignore[arg-type]  # a DealView
        self._deal_no = deal.deal_no  # type: ignore[attr-defined]
        self.begun.set()

    def _follow(self, seat: int, number: int, event: object) -> None:
        if event.HasField("deal_started"):  # type: ignore[attr-defined]  # an Event
            self._begin(seat, event.deal_started.deal)  # type: ignore[attr-defined]
            return
        view = self._views[seat]
        if view is None or view.end is not None or self._options is None:
            return
        if number not in self._last_seen:
            self._last_seen[number] = read_event(event, self._options, seat)  # type: ignore[arg-type]
        seen = self._last_seen[number]
        if seen is not None:
            self._views[seat] = follow(view, seen)

    async def _play(self) -> None:
        acted = 0
        while True:
            await self._changed.wait()
            self._changed.clear()
            view = self._views[0]
            if view is None or view.end is not None or min(self._revisions) < acted or len(set(self._revisions)) > 1:
                continue
            own = self._views[view.turn]
            if own is None or own.turn != view.turn or seat_state(own).reshuffle_due:
                continue
            acted = max(acted, await self._act(own))

    async def _act(self, view: View) -> int:
        action = choose(view)
        request = wire.ActRequest(
            table_id=self._table_id,
            command_id=str(uuid.uuid4()),
            deal_no=self._deal_no,
            turn_no=view.turn_no,
            action=write_action(action),
        )
        async with self._room:
            began = time.perf_counter()
            try:
                acted = await self._line.act(self._tokens[view.turn], request)
            except ApiError as error:
                self.refused[error.code] += 1
                self._changed.set()
                return 0
        self.took_s.append(time.perf_counter() - began)
        self.verbs[type(action).__name__] += 1
        return acted.revision


def choose(view: View) -> SeatAction:
    """A quick choice with a real mix: takes, melds, lay-offs, discards."""
    state = seat_state(view)
    seat, hand, options = state.turn, state.hands[state.turn], state.options
    if state.phase is Phase.DRAW:
        if state.turn_no % 4 == 0 and takeable_depths(state):
            return Take(seat, 1)
        return Draw(seat) if state.stock else Pass(seat)
    if not state.time_up:
        owed = next(iter(bag_faces(state.duties)), None)
        meld = next(small_melds(hand, options, owed), None)
        if meld is not None:
            return Lay(seat, (meld,))
        for laid in state.melds:
            if may_amend(state, seat, laid):
                for face in _beside(laid, bag_faces(hand) if owed is None else [owed]):
                    for layout in new_layouts(laid, FIRST[face], seat, options):
                        if len(layout) > len(laid.cards):
                            return Amend(seat, laid.id, layout)
        if owed is not None:
            return Undo(seat)
    return Discard(seat, least_useful_card(state))


def _beside(meld: Meld, faces: list[Face]) -> list[Face]:
    """Those of the faces that may well go next to a run's ends, or into a set."""
    if not meld.start:
        ranks = {RANK[card] for card in meld.cards}
        return [face for face in faces if RANK[face] in ranks]
    order, end = RUN_FACES[meld.suit], meld.start + len(meld.cards)
    return [face for face in faces if face in order[max(0, meld.start - 2) : meld.start - 1] + order[end - 1 : end]]
