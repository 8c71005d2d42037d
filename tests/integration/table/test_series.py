"""Whole evenings over the real services, as they are wanted: series, swaps of seats, tie-breaks, and their records."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from banakil.table.v1 import records_pb2, wishes_pb2
from banakil.table.v1.views_pb2 import FAIR_STEP_SETTLED, STAGE_CLOSED, STAGE_DEAL, STAGE_RESULT, STAGE_SWAP, View

from shared.cli.verify_record import check_file
from shared.cli.verify_report import Evidence
from shared.fairness.closed import CutKind
from shared.fairness.fair_json import read_fair
from shared.fairness.signing_keys import KeyBook
from shared.kit.nats_server import NatsServer
from shared.rules.match import MatchState, after_deal
from shared.rules.options import Options, make_options
from shared.rules.record import read_json, record_of
from shared.rules.replay import Replay, replay
from shared.rules.series_record import series_of
from shared.rules.series_replay import replay_series
from shared.rules.state import DealState
from tests.support.contributing import CUT
from tests.support.kit import PATIENCE_S
from tests.support.steering import Wish, noting_decks, steered
from tests.support.table_service import Sight, TableServer, refused, serving_tables, whole_record
from tests.support.tables import PEOPLE

EVENING_S = 500.0
TRIES = 6
"""The cards are the shuffle's own: now and then no play of them gives a tie."""
SERIES = make_options({"preset": "banakil202", "format": "best_of_3", "target": 60})
SWAPPED = ["cem", "dana", "ada", "bayan"]


class Evening:
    """A table of four people, each with a Watch, who play as a test wants."""

    def __init__(
        self, server: TableServer, table_id: str, sights: Mapping[str, Sight], dealt: Callable[[], DealState]
    ) -> None:
        self.server = server
        self.table_id = table_id
        self.sights = sights
        self._dealt = dealt

    @property
    def view(self) -> View:
        return next(iter(self.sights.values())).client.view

    def order(self) -> list[str]:
        """Who sits where, as all see it."""
        orders = [[seat.account_id for seat in sight.client.view.seats] for sight in self.sights.values()]
        assert all(order == orders[0] for order in orders)
        assert all(orders[0][sight.client.view.viewer_seat] == account for account, sight in self.sights.items())
        return orders[0]

    async def until(self, stage: "View.stage.ValueType") -> None:  # type: ignore[name-defined]  # a stub's type
        """Wait for a stage; the result's time passes where nothing else is awaited."""
        while self.view.stage != stage:
            if self.view.stage == STAGE_RESULT and self.view.next_fair.step in (0, FAIR_STEP_SETTLED):
                self.server.clock.advance(8_000)
            await self.together(self.view.revision + 1)

    async def together(self, revision: int) -> None:
        await asyncio.gather(*(sight.until(revision) for sight in self.sights.values()))

    async def deal(self, rng: random.Random, wish: Wish) -> None:
        """Have the next deal dealt, and played to its end as is wished."""
        await self.until(STAGE_DEAL)
        start = self._dealt()
        told = self.view.match
        match = MatchState(start.options, (told.total_half_points[0], told.total_half_points[1]), 0, told.tiebreak)
        order = self.order()
        for action in steered(rng, start, match, wish):
            deal = self.view.deal
            self.server.clock.advance(60)
            account = order[action.seat]
            revision = await self.server.act(self.table_id, account, action, (deal.deal_no, deal.turn_no))
            await self.together(revision)
        assert self.view.stage == STAGE_RESULT

    async def match(self, rng: random.Random, wish: Wish) -> int:
        """Play one match; the team that won."""
        while True:
            await self.deal(rng, wish)
            if self.view.match.HasField("winner_team"):
                return self.view.match.winner_team

    async def tie(self, rng: random.Random, wish: Wish) -> None:
        """Play until an extra deal is due, or the match is won all the same."""
        await self.deal(rng, wish)
        while not self.view.match.tiebreak and not self.view.match.HasField("winner_team"):
            await self.deal(rng, wish)

    async def ask_to_swap(self, account: str) -> None:
        await self.together((await swap_seats(self.server, self.table_id, account)).revision)

    async def end(self) -> bytes:
        """Go on to the table's end; the record of all that was played."""
        series_id = self.view.match.series_id
        await self.until(STAGE_CLOSED)
        request = records_pb2.GetSeriesRecordRequest(series_id=series_id)
        while not (found := await self.server.stub.GetSeriesRecord(request, **self.server.by("reader"))).complete:
            self.server.clock.advance(200)
        return found.record_json.encode()


async def swap_seats(server: TableServer, table_id: str, account: str) -> wishes_pb2.AskResponse:
    request = wishes_pb2.AskRequest(table_id=table_id, command_id=str(uuid.uuid4()), swap=wishes_pb2.SwapSeats())
    return await server.stub.Ask(request, **server.by(account))


@asynccontextmanager
async def evening(tmp_path: Path, nats: NatsServer, options: Options) -> AsyncIterator[Evening]:
    async with AsyncExitStack() as stack:
        dealt = stack.enter_context(noting_decks())
        server = await stack.enter_async_context(serving_tables(tmp_path, nats))
        table_id = await server.create(options)
        sights = {name: await stack.enter_async_context(server.watching(table_id, name)) for name in PEOPLE}
        await stack.enter_async_context(asyncio.timeout(EVENING_S))
        # Not together: only who has seen that all are there is at the same revision as the others.
        await asyncio.gather(*(_all_are_there(sight) for sight in sights.values()))
        yield Evening(server, table_id, sights, dealt)


async def _all_are_there(sight: Sight) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while sight.client.view.stage != STAGE_DEAL or any(seat.away for seat in sight.client.view.seats):
            await sight.more()


async def test_a_series_of_banakil202_with_a_cut_two_swaps_and_a_tie_break(
    tmp_path: Path, nats: NatsServer, rng: random.Random
) -> None:
    for number in range(TRIES):
        data = await _series(_folder(tmp_path, number), nats, rng)
        value = read_json(data)
        result = replay_series(series_of(value))
        if any(_tied(match) for match in result.matches):
            break
    else:
        raise AssertionError("no match was tied, though it was tried")
    assert (result.series.wins, result.series.winner, result.series.seating) == ((1, 2), 1, (2, 3, 0, 1))
    assert [match.deals[0].starter for match in result.matches[1:]] == [1, 0]
    fairs = [[read_fair(deal["fair"]) for deal in match["deals"]] for match in value["matches"]]  # type: ignore[index]
    assert (fairs[0][0].closed.cut_kind, fairs[0][0].closed.cut) == (CutKind.HOST, CUT)
    assert [[seat.account for seat in match[0].closed.seats] for match in fairs] == [list(PEOPLE), SWAPPED, SWAPPED]
    assert len({match[0].ctx.match for match in fairs}) == 3
    assert all(all(deal.played.contributions) for match in fairs for deal in match)
    assert check_file(value, Evidence(KeyBook()), lambda: None).verdict() is None


def _folder(tmp_path: Path, number: int) -> Path:
    folder = tmp_path / f"{number}"
    folder.mkdir()
    return folder


async def _series(folder: Path, nats: NatsServer, rng: random.Random) -> bytes:
    """A series that team 1 wins 2-1, in whose first match a tie-break is tried for until there is one."""
    async with evening(folder, nats, SERIES) as table:
        assert (table.view.fair.host_seat, table.view.fair.cut) == (0, CUT)
        assert (await refused(swap_seats(table.server, table.table_id, "ada"))).code == "SWAP_NOT_POSSIBLE"
        assert await table.match(rng, Wish(1)) == 1
        await table.until(STAGE_SWAP)
        await table.ask_to_swap("ada")
        assert [team.HasField("asked_by_seat") for team in table.view.swap.teams] == [True, False]
        for account in ("dana", "cem"):
            await table.ask_to_swap(account)
        assert table.order() == ["cem", "bayan", "ada", "dana"]
        assert [(team.asked_by_seat, team.agreed) for team in table.view.swap.teams] == [(2, True), (3, False)]
        assert (await refused(swap_seats(table.server, table.table_id, "ada"))).code == "SWAP_NOT_POSSIBLE"
        await table.ask_to_swap("bayan")
        assert await table.match(rng, Wish(0)) == 0
        assert (table.order(), table.view.host_seat) == (SWAPPED, 2)
        await table.tie(rng, Wish())
        if table.view.match.HasField("winner_team"):
            return await table.end()
        assert await table.match(rng, Wish(1)) == 1
        return await table.end()


async def test_a_match_of_sahrat_to_222_with_a_level_top(tmp_path: Path, nats: NatsServer, rng: random.Random) -> None:
    for number in range(TRIES):
        data, team = await _match(_folder(tmp_path, number), nats, rng)
        value = read_json(data)
        result = replay(record_of(value))
        if _tied(result):
            break
    else:
        raise AssertionError("no match was level at the top, though it was tried")
    *_, level, last = result.totals
    assert level[0] == level[1] >= 444
    assert last[team] > last[1 - team]
    starters = [deal.starter for deal in result.deals]
    assert starters == [(starters[0] + number) % 4 for number in range(len(starters))]
    assert check_file(value, Evidence(KeyBook()), lambda: None).verdict() is None


async def _match(folder: Path, nats: NatsServer, rng: random.Random) -> tuple[bytes, int]:
    async with evening(folder, nats, make_options({"preset": "sahrat"})) as table:
        await table.tie(rng, Wish(patience=200))
        team = rng.randrange(2)
        if not table.view.match.HasField("winner_team"):
            assert await table.match(rng, Wish(team)) == team
        match_id = table.view.match.match_id
        data = await table.end()
        assert data == await whole_record(table.server, match_id)
        return data, team


def _tied(match: Replay) -> bool:
    """Whether its last deals but one left an extra one due (R8.1, R8.2)."""
    assert match.match is not None
    options = match.match.options
    before = MatchState(options)
    for totals in match.totals[:-1]:
        before = after_deal(before, (totals[0] - before.totals[0], totals[1] - before.totals[1]))
    return before.tiebreak
