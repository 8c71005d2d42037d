"""Two tables that differ only in cards hidden from a viewer give that viewer the same bytes, whatever it asks (R5.9).

Scenarios 12 and 13: a hand leaks through an initial state, undo data, a log line, an error text, a hint; a drawn card
is told to all.
"""

import io
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from banakil.table.v1 import hints_pb2
from banakil.table.v1 import table_pb2 as wire

from services.table.admin import AdminServicer
from services.table.forwarding import Forwarding
from services.table.refusals import from_rules
from services.table.relay import Relay
from services.table.servicer import TableServicer
from services.table.state import Stage
from shared.kit import logging
from shared.kit.clients import Channels
from shared.kit.identity import Principal, Role
from shared.kit.rpc_context import RpcContext, current_rpc
from shared.rules.actions import Discard, Timeout
from shared.rules.cards import bag_cards, codes
from shared.rules.options import Options, make_options
from shared.rules.refusal import RefusedError
from shared.rules.views import Viewer
from tests.support.journals import Kept, copy_of
from tests.support.local_shuffle import LocalShuffle
from tests.support.table_process import TableProcess, sent, watch
from tests.support.tables import PEOPLE, TABLE_ID
from tests.support.twins import Twins, make_twins

SAHRAT: dict[str, object] = {"preset": "sahrat"}
BANAKIL202: dict[str, object] = {"preset": "banakil202"}
DUEL: dict[str, object] = {"preset": "sahrat", "mode": "duel", "pile_take": "any_depth"}
VIEWERS: list[tuple[Viewer, dict[str, object]]] = [
    *((viewer, SAHRAT) for viewer in (None, 0, 1, 2, 3)),
    *((viewer, BANAKIL202) for viewer in (None, 0, 3)),
    *((viewer, DUEL) for viewer in (None, 1)),
]


class Told(NamedTuple):
    """All that one viewer, the log, the bus, and who reads the journal without its key, were told."""

    watched: list[bytes]
    spectated: list[bytes]
    """By the viewer's own account, whether or not it has a seat."""
    asked: list[bytes]
    refused: list[str]
    logged: list[dict[str, object]]
    facts: list[tuple[object, ...]]
    journalled: list[tuple[object, ...]]


@contextmanager
def calling(account: str) -> Iterator[None]:
    """As within an RPC of this account."""
    rpc = RpcContext()
    rpc.principal = Principal(Role.PLAYER, account)
    token = current_rpc.set(rpc)
    yield
    current_rpc.reset(token)


def no_relay(_calls: object) -> Relay:
    raise AssertionError("nobody asks for one here")


async def told(made: Path, folder: Path, options: Options, twins: Twins, which: int, viewer: Viewer) -> Told:
    """Plays the script with one of the decks. What the viewer asks for, it asks for after every move."""
    written = io.StringIO()
    logging.configure("test", level="debug", stream=written, console=False)
    shuffle = LocalShuffle(decks={1: twins.decks[which]}, starter=twins.starter)
    watched, spectated, asked, refused = [], [], [], []
    account = "eve" if viewer is None else PEOPLE[viewer]
    folder = folder / str(which)
    folder.mkdir()
    async with copy_of(made, folder) as database:
        kept = Kept(database)
        async with TableProcess(kept, shuffle) as process:
            await process.make(options)
            table = await process.live()
            watcher, public = watch(table, viewer), watch(table, None, spectator=account)
            servicer = TableServicer(
                process.tables,
                process.journal,
                process.clock,
                Forwarding(Channels(None), process.tables.ownership),
                no_relay,
            )
            unused: Any = None
            admin = AdminServicer(process.tables, unused, process.clock, unused, unused)
            for number, action in enumerate(twins.script):
                process.clock.advance(737)
                try:
                    if isinstance(action, Timeout):
                        await process.ring()
                    else:
                        await process.act(action)
                except RefusedError as refusal:
                    error = from_rules(refusal)
                    refused.append(f"{error.code} {error.message} {error.metadata}")
                await process.settle()
                watched += await sent(watcher)
                spectated += await sent(public)
                if number % 7 == 0:
                    watcher = watch(table, viewer)
                    public = watch(table, None, table.state.revision - number % 3, spectator=account)
                    asked.append(await answers(servicer, viewer))
                    asked.append((await admin.inspected(TABLE_ID)).SerializeToString())
        structlog.get_config()["logger_factory"]().flush()
        lines = [json.loads(line) for line in written.getvalue().splitlines()]
        for line in lines:
            line.pop("time")
        columns = "revision, at_ms, match_id, deal_no, action, events, start"
        return Told(
            watched, spectated, asked, refused, lines,
            await kept.rows("SELECT subject, payload FROM outbox ORDER BY id"),
            await kept.rows(f"SELECT {columns} FROM entries ORDER BY revision"),
        )  # fmt: skip


async def answers(servicer: TableServicer, viewer: Viewer) -> bytes:
    """What the viewer's calls answer."""
    with calling("eve" if viewer is None else PEOPLE[viewer]):
        said = (await servicer.GetView(wire.GetViewRequest(table_id=TABLE_ID), None)).SerializeToString()
        if viewer is not None:
            said += (await servicer.GetHints(hints_pb2.GetHintsRequest(table_id=TABLE_ID), None)).SerializeToString()
        return said


@pytest.mark.parametrize(("viewer", "values"), VIEWERS, ids=str)
async def test_a_viewer_is_told_the_same_whatever_the_cards_that_it_may_not_see(
    made: Path, tmp_path: Path, rng: random.Random, values: dict[str, object], viewer: Viewer
) -> None:
    options = make_options(values)
    twins = make_twins(rng, options, viewer)
    one, other = [await told(made, tmp_path, options, twins, which, viewer) for which in (0, 1)]
    assert len(one.watched) > len(twins.script) // 2
    assert one.watched == other.watched
    assert len(one.spectated) > len(twins.script) // 2
    assert one.spectated == other.spectated
    for update in map(wire.WatchResponse.FromString, one.spectated):
        assert not update.snapshot.HasField("viewer_seat")
        assert not update.snapshot.deal.hand
        assert not any(event.drew.card for event in update.delta.events)
    assert one.asked == other.asked
    assert one.refused == other.refused
    if viewer is None:
        assert one.logged == other.logged
        assert one.facts == other.facts
        assert one.journalled == other.journalled


async def test_the_twins_do_differ_where_the_viewer_is_another(made: Path, tmp_path: Path, rng: random.Random) -> None:
    """Else the tests above would show nothing."""
    options = make_options({"preset": "banakil202"})
    twins = make_twins(rng, options, 0)
    others = []
    for viewer in (1, 3):
        folder = tmp_path / str(viewer)
        folder.mkdir()
        others.append([await told(made, folder, options, twins, which, viewer) for which in (0, 1)])
    assert any(one.watched != other.watched for one, other in others)
    assert twins.hidden >= 10


async def test_a_drawn_card_is_told_to_its_seat_alone(kept: Kept) -> None:
    async with TableProcess(kept) as process:
        await process.make(make_options({"preset": "sahrat"}))
        table = await process.live()
        viewers: tuple[Viewer, ...] = (None, 0, 1, 2, 3)
        watchers = {viewer: watch(table, viewer) for viewer in viewers}
        for _ in range(6):
            state = table.state
            assert state.deal is not None
            drawn = codes(state.deal.stock[:1])
            await process.ring()
            for viewer, watcher in watchers.items():
                for update in map(wire.WatchResponse.FromString, await sent(watcher)):
                    for event in update.delta.events:
                        if event.HasField("drew"):
                            assert [event.drew.card] == (drawn if event.drew.seat == viewer else [""])


async def test_no_error_of_the_service_and_no_log_of_it_names_a_card(kept: Kept, log: io.StringIO) -> None:
    """A fault in the midst of a deal, whose exception holds the deck: the log has its type and place."""
    shuffle = LocalShuffle(decks={1: bytes(106)})
    async with TableProcess(kept, shuffle) as process:
        await process.make()
        assert (await process.state()).stage is Stage.CEREMONY
        del shuffle.decks[1]
        await process.pass_time(10_000)
        state = await process.state()
        assert state.deal is not None
        await kept.execute("ALTER TABLE entries RENAME TO away")
        with pytest.raises(Exception, match="OperationalError"):
            await process.act(Discard(0, bag_cards(state.deal.hands[0])[0]))
    structlog.get_config()["logger_factory"]().flush()
    lines = log.getvalue()
    assert "RecordError" in lines
    assert "OperationalError" in lines
    known = codes(range(53))
    words = set(lines.replace('"', " ").replace(",", " ").replace("[", " ").split())
    assert not words & set(known)
