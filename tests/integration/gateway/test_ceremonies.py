"""A shuffle over sockets, against real services: what two players put into it is in the record of their deal."""

import asyncio
import json
from pathlib import Path

from banakil.table.v1.table_pb2 import WatchResponse
from banakil.table.v1.views_pb2 import View
from google.protobuf.json_format import MessageToDict

from services.bots.sight import Sight
from shared.fairness.closed import CutKind, SeatKind
from shared.fairness.fair_json import read_fair
from shared.rules.options import make_options
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.support.contributing import CUT, Contributor
from tests.support.gateway import Tab, World, open_world
from tests.support.http import http
from tests.support.kit import PATIENCE_S

DUEL = make_options({"preset": "banakil202", "mode": "duel", "turn_seconds": 300, "discard_seconds": 30})
PEOPLE = ("ada", "bea")


class Player:
    """A tab that takes part in shuffles as the page does."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.view = View()
        self._part = Contributor()
        self._due: list[dict[str, object]] = []
        tab.seen = self._see

    def _see(self, _tab: Tab, update: WatchResponse) -> None:
        if update.HasField("snapshot"):
            self.view.CopyFrom(update.snapshot)
        for event in update.delta.events:
            if event.HasField("fair_published"):
                self.view.next_fair.CopyFrom(event.fair_published.fair)
        self._due += [MessageToDict(request) for request in self._part.due(self.view)]

    async def shuffle(self) -> list[str]:
        """Take part until the deal is dealt; how each thing was answered."""
        sent: dict[str, str] = {}
        while self.tab.sight.deal is None or not all(sent.values()):
            frame = await self.tab.step()
            if frame.get("commandId") in sent:
                sent[frame["commandId"]] = frame["t"]
            for fields in self._due:
                command_id = f"{self.tab.table_id[:8]}-{len(sent)}"
                sent[command_id] = ""
                await self.tab.send("contribute", commandId=command_id, **fields)
            self._due.clear()
        return list(sent.values())


async def test_what_players_send_down_their_sockets_is_in_the_record_of_the_deal(tmp_path: Path) -> None:
    async with open_world(tmp_path, pace=1.0) as world, world.tables(), world.gateway():
        table_id = await world.create(DUEL, *PEOPLE)
        players = [Player(world.tab(table_id, account)) for account in PEOPLE]
        answers = await asyncio.gather(*(player.shuffle() for player in players))
        # The host, in the first seat, cut besides promising and opening.
        assert [sorted(each) for each in answers] == [["done"] * 3, ["done"] * 2]
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.tab.play(until=over))
        record = await first_deal(world, players[0].view.match.match_id)
    played = read_fair(json.loads(record)["deals"][0]["fair"]).played
    assert [(seat.kind, seat.account) for seat in played.closed.seats] == [(SeatKind.HUMAN, who) for who in PEOPLE]
    assert (played.closed.cut_kind, played.closed.cut) == (CutKind.HOST, CUT)
    assert all(played.contributions)
    replay(read_record(record))


def over(sight: Sight) -> bool:
    return sight.deal is None or sight.deal.end is not None


async def first_deal(world: World, match_id: str) -> bytes:
    """The match's record, once the first deal's secret is out."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            record = await http(world.web, "GET", f"/api/records/{match_id}")
            if record.status == 200 and record.json["deals"]:
                return record.content
