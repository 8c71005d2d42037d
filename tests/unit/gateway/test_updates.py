import json
import random
from collections.abc import Iterator

from banakil.table.v1.events_pb2 import Delta, Heartbeat
from banakil.table.v1.saying_pb2 import Said
from banakil.table.v1.table_pb2 import WatchResponse
from banakil.table.v1.views_pb2 import View
from google.protobuf.json_format import Parse

from services.gateway.updates import KEPT, Update, Updates
from shared.codec.events import write_event
from shared.codec.results import Standing
from shared.codec.views import write_deal_view
from shared.rules.events import DealEnded
from shared.rules.evolve import evolve
from shared.rules.match import MatchState
from shared.rules.options import SAHRAT
from shared.rules.views import seen_event, view_of
from tests.support.play import play, random_start

STANDING = Standing("ab" * 16, "cd" * 16, 1, 3, MatchState(SAHRAT), (0, 0))


def updates_of_a_deal(rng: random.Random, viewer: int) -> Iterator[WatchResponse]:
    """A snapshot, then a delta for each step, as a Watch of this viewer would bring them."""
    state, _ = random_start(rng, SAHRAT)
    deal = write_deal_view(view_of(state, viewer), 3)
    yield WatchResponse(server_now_ms=1_700_000_000_000, snapshot=View(table_id="t", revision=10, deal=deal))
    for number, step in enumerate(play(rng, state), start=11):
        delta, before = Delta(revision=number, turn_no=step.after.turn_no), step.before
        for event in step.events:
            after = evolve(before, event)
            if not isinstance(event, DealEnded):
                delta.events.append(write_event(seen_event(event, before, after, viewer), STANDING))
            before = after
        yield WatchResponse(server_now_ms=1_700_000_000_000 + number, remaining_ms=rng.randrange(40_000), delta=delta)


def test_an_update_holds_what_the_message_holds_and_no_more(rng: random.Random) -> None:
    updates = Updates()
    for viewer in range(4):
        for message in updates_of_a_deal(rng, viewer):
            update = updates.read(message.SerializeToString())
            assert Parse("{" + update.body, WatchResponse()) == message
            assert update.revision == (message.snapshot.revision or message.delta.revision)


def test_a_heartbeat_tells_the_head_and_is_not_passed_on() -> None:
    assert Updates().read(WatchResponse(heartbeat=Heartbeat(head_revision=9)).SerializeToString()) == Update(9, "", 0)


def test_what_is_said_belongs_to_no_revision() -> None:
    update = Updates().read(WatchResponse(said=Said(seat=2, phrase_id="heart")).SerializeToString())
    assert (update.revision, json.loads("{" + update.body)) == (0, {"said": {"seat": 2, "phraseId": "heart"}})


def test_what_several_viewers_see_alike_is_converted_once() -> None:
    updates = Updates()
    raw = WatchResponse(delta=Delta(revision=4)).SerializeToString()
    first = updates.read(raw)
    assert updates.read(bytes(bytearray(raw))) is first
    for revision in range(KEPT + 5):
        updates.read(WatchResponse(delta=Delta(revision=revision + 100)).SerializeToString())
    assert updates.read(raw) is not first
    assert json.loads("{" + updates.read(raw).body) == {"delta": {"revision": 4}}
