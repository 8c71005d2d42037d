"""When all tables are closed: facts arrived and took effect once, records replay to the scores told, deals are fair."""

import sqlite3
from collections import Counter
from typing import Any, Final

from banakil.events.v1.facts_pb2 import Fact
from banakil.table.v1 import records_pb2

from services.wallet.facts import read_result
from services.wallet.ratings import NEWCOMER, Skill, is_rated, rate
from services.wallet.results import MatchResult
from shared.cli.verify_record import check_record
from shared.cli.verify_report import Evidence
from shared.fairness.signing_keys import KeyBook
from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from shared.rules.record import read_record
from shared.rules.replay import replay
from tests.sim.checks import Checks
from tests.sim.disk import observe
from tests.sim.loop import Process
from tests.sim.services import SIGNING, Surroundings

PATIENCE_MS: Final = 180_000
"""For facts to arrive once nothing goes wrong any more: longer than a delivery whose acknowledgement got lost waits."""
LOOK_MS: Final = 500
READER: Final = Principal(Role.PLAYER, "reader")


class Ending:
    """The last checks."""

    def __init__(self, around: Surroundings, checks: Checks, clients: Process) -> None:
        self.is_over = False
        self._world, self._network, self._nats = around
        self._checks = checks
        self._clients = clients
        self._table = observe(self._world.folder / "table.db")
        self._wallet = observe(self._world.folder / "wallet.db")
        self._told = {id_: told for book in checks.mirror.books.values() for id_, told in book.facts.items()}
        self._ended = [fact for fact in map(Fact.FromString, self._told.values()) if fact.HasField("match_ended")]

    async def run(self) -> None:
        """Check all."""
        await self._facts_arrive()
        self._facts_are_right()
        for fact in self._ended:
            await self._match(fact)
        self._checks.all_refused_stayed_out()
        self.is_over = True

    async def _facts_arrive(self) -> None:
        clock = self._clients.clock
        until_ms = clock.monotonic_ms() + PATIENCE_MS
        while clock.monotonic_ms() < until_ms and not (self._nats.is_idle and self._is_sent):
            await clock.sleep_ms(LOOK_MS)
        if not self._is_sent:
            self._world.fail("facts are left in the outbox")

    @property
    def _is_sent(self) -> bool:
        return not _rows(self._table, "SELECT 1 FROM outbox") and len(self._nats.facts) >= len(self._told)

    def _facts_are_right(self) -> None:
        world = self._world
        published = {kept.message_id: kept.payload for kept in self._nats.facts}
        if published != self._told:
            world.fail(f"the journal tells {len(self._told)} facts, {len(published)} were published, or others")
        effects = Counter(row[0] for row in _rows(self._wallet, "SELECT message_id FROM effects"))
        for fact_id in self._told:
            if effects[fact_id] != 1:
                world.fail(f"the fact {fact_id} took effect {effects[fact_id]} times")
        if self._nats.buried:
            world.fail("a fact was buried")
        results = [read_result(fact) for fact in self._ended]
        kept = _rows(self._wallet, "SELECT match_id, half_points_0, half_points_1, winner_team FROM results")
        if sorted(kept) != sorted((one.match_id, *one.half_points, one.winner_team) for one in results):
            world.fail(f"the wallet keeps the results {kept}")
        played: Counter[str] = Counter()
        for result in results:
            played.update(seat.account_id for seat in result.seats if not seat.bot)
        counted = _rows(self._wallet, "SELECT account_id, sum(played) FROM player_stats GROUP BY account_id")
        if dict(counted) != dict(played):
            world.fail(f"the wallet counts {counted} instead of {played}")
        self._ratings_are_right([result for result in results if is_rated(result)])

    def _ratings_are_right(self, rated: list[MatchResult]) -> None:
        """Each match of people alone has rated each of them once, from what they had; and no other match anybody."""
        world = self._world
        world.counts["rated matches"] += len(rated)
        query = "SELECT match_id, seat, mu_before, sigma_before, mu, sigma FROM match_ratings WHERE season = 0"
        did = {(row[0], row[1]): (Skill(*row[2:4]), Skill(*row[4:])) for row in _rows(self._wallet, query)}
        if did.keys() != {(result.match_id, seat) for result in rated for seat in range(len(result.seats))}:
            world.fail(f"the wallet has rated {sorted(did)}")
        for result in rated:
            before, after = zip(*(did[result.match_id, seat] for seat in range(len(result.seats))), strict=True)
            if rate(before, result.winner_team) != after:
                world.fail(f"the match {result.match_id} has made {before} into {after}")
        played = Counter(seat.account_id for result in rated for seat in result.seats)
        kept = _rows(self._wallet, "SELECT account_id, played, mu, sigma FROM ratings WHERE season = 0")
        counted: Counter[str] = Counter()
        for account_id, count, *_ in kept:  # by preset and mode
            counted[account_id] += count
        if counted != played:
            world.fail(f"the wallet's ratings are {kept}, rated matches are {dict(played)}")
        befores, afters = {before for before, _ in did.values()}, {after for _, after in did.values()}
        if any(Skill(mu, sigma) not in afters for _, _, mu, sigma in kept) or not befores <= afters | {NEWCOMER}:
            world.fail("a rating came from nothing")

    async def _match(self, fact: Fact) -> None:
        """Its record is complete, replays to the totals that were told, and every deal of it is fair."""
        ended, world = fact.match_ended, self._world
        text = await self._record(ended.match_id)
        record = read_record(text.encode())
        result = replay(record)
        totals, winner = tuple(ended.total_half_points), ended.winner_team
        if result.match is None or (result.match.totals, result.match.winner) != (totals, winner):
            world.fail(f"the record of {ended.match_id} replays to {result.match}, told was {ended}")
        keys = {key_id: bytes.fromhex(key_id) for key_id in SIGNING.ids}
        report = check_record(record, Evidence(KeyBook(keys)), lambda: None)
        if report.verdict() is not None or len(report.deals) != ended.last_deal_no:
            world.fail(f"the record of {ended.match_id} does not verify: {report.verdict()}")

    async def _record(self, match_id: str) -> str:
        request = records_pb2.GetRecordRequest(match_id=match_id)
        while True:
            try:
                answer = await self._network.call(self._clients, "table", "GetRecord", request, READER)
            except (AwayError, FullError) as error:
                await self._clients.clock.sleep_ms(error.retry_after_ms or LOOK_MS)
            except ApiError as error:
                self._world.fail(f"there is no record of {match_id}: {error.code}")
                raise
            else:
                read = records_pb2.GetRecordResponse.FromString(answer)
                if not read.complete:
                    self._world.fail(f"the record of {match_id} is not complete")
                return read.record_json


def _rows(connection: sqlite3.Connection, query: str) -> list[Any]:
    return list(connection.execute(query))
