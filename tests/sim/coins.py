"""Many short matches for coins while everything goes wrong between table, outbox, JetStream, inbox and ledger.

python -m tests.sim.coins 1..500 plays seeds, of forty tables each, and says of those that violate something how to play
it again.
"""

import argparse
import sqlite3
import sys
import uuid
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final, TextIO

from banakil.table.v1 import admin_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.views_pb2 import STAGE_CLOSED, STAGE_DEAL

from services.wallet.days import Days
from services.wallet.grants import Grants
from services.wallet.ledger import open_ledger
from shared.codec.actions import write_action
from shared.codec.options import write_options
from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from shared.rules.action_text import parse_action
from shared.rules.actions import Timeout, at_seat
from tests.sim.bus import Nats
from tests.sim.coin_checks import Books, Journals, check_all
from tests.sim.coin_plan import MOST_TABLES, NOVICE, PLAYERS, CoinTable, Course, coin_tables, coins_plan
from tests.sim.coin_services import LAST_CARD, MATCHES_NEEDED, MELDS, CoinShuffle, CoinTables, CoinWallet
from tests.sim.command import play_seeds, read_seeds
from tests.sim.disk import database_of, folder_of_databases, simulated
from tests.sim.logs import watched_logs
from tests.sim.loop import Process
from tests.sim.network import Caller, Network
from tests.sim.plan import CALM
from tests.sim.services import GRANTS, Surroundings
from tests.sim.simulation import LOBBY, Result
from tests.sim.world import World

KIND: Final = "coins"
LOOK_MS: Final = 1_000
TROUBLE_MS: Final = 5_000
GIVES_UP_MS: Final = 150_000
"""After which an operator ends a table that does not come to its end."""
LONGEST_MS: Final = 4 * 3_600_000
OPERATOR: Final = Principal(Role.OPERATOR, "op")


def simulate_coins(seed: int, trace: TextIO | None = None, *, tables: int = MOST_TABLES, rough: bool = False) -> Result:
    """Play a seed to its end, at so many tables. Raises `ViolationError`. ``rough``: whatever it says, everything goes
    wrong."""
    with watched_logs() as worlds, folder_of_databases() as folder:
        world = World(seed, folder, KIND, trace, plan=coins_plan(seed, rough=rough))
        worlds.append(world)
        with simulated(world):
            try:
                return _Coins(world, coin_tables(seed, tables)).run()
            finally:
                world.end()


class _Coins:
    def __init__(self, world: World, tables: list[CoinTable]) -> None:
        self.world = world
        self.tables = tables
        self.network = Network(world)
        self.nats = Nats(self.network)
        self.around = Surroundings(world, self.network, self.nats)
        self.shuffle = CoinShuffle({table.table_id: table.course for table in self.tables})
        self.rng = world.rng("trouble")
        self.numbers = 0
        self.is_over = False
        self.journals = Journals(world.folder)
        self.books = Books(world.folder)
        self.clients = Process(world, "clients")
        world.add(self.clients)

    def run(self) -> Result:
        """From the first process to the last check."""
        world = self.world
        self.open_accounts()
        opening = {
            row[0].removeprefix("player:"): row[1]
            for row in self.books.rows("SELECT account_id, balance FROM accounts WHERE account_id LIKE 'player:%'")
        }
        for kind in (CoinTables, CoinWallet):
            self.keep_running(kind)
        for table in self.tables:
            self.clients.start(self.play(table))
        world.later(world.plan.heals_ms, self.heal)
        world.later(TROUBLE_MS, self.trouble)
        world.later(LOOK_MS, self.look)
        world.run(lambda: self.is_over, LONGEST_MS)
        check_all(world, self.journals, self.books, opening)
        world.raise_violation()
        world.note("ends", *sorted(world.counts.items()))
        return Result(world.seed, world.hash, dict(world.counts))

    def open_accounts(self) -> None:
        """Players with a thousand coins each, most of whom may sit at coin tables."""
        world = self.world
        chances, world.chances = world.chances, CALM
        process = Process(world, "opening")
        world.add(process)
        done: list[bool] = []

        async def work() -> None:
            database = database_of(world.folder / "wallet.db")
            async with open_ledger(database, process.clock) as ledger:
                for name in (*PLAYERS, NOVICE):
                    await Grants(ledger, process.clock, Days(180), GRANTS).open(name)
            done.append(True)

        world.current = process
        process.start(work())
        world.run(lambda: bool(done), LONGEST_MS)
        world.kill(process)
        with closing(_plainly(str(world.folder / "wallet.db"))) as wallet:
            for name in PLAYERS:
                row = (name, "sahrat", "duel", MATCHES_NEEDED, *[0] * 4)
                wallet.execute(f"INSERT INTO player_stats VALUES ({', '.join('?' * len(row))})", row)
            wallet.commit()
        world.chances = chances

    def keep_running(self, kind: Callable[..., Process]) -> None:
        """Have a process of a kind, and another whenever it has died."""
        world = self.world
        lives = world.chances.lives
        self.numbers += 1
        world.current = None
        lifetime = round(self.rng.expovariate(1 / lives)) + 1 if lives else None
        process = kind(self.around, self.shuffle, f"{kind.__name__}-{self.numbers}", lives=lifetime)
        world.add(process)
        process.on_death["again"] = lambda: world.later(self.rng.randrange(20, 6_000), lambda: self.keep_running(kind))

    async def play(self, table: CoinTable) -> None:
        """Make a table, play it by script, or end it."""
        clock = self.clients.clock
        await clock.sleep_ms(table.begins_ms)
        request = seating_pb2.CreateRequest(
            table_id=table.table_id,
            options=write_options(table.options),
            seats=[seating_pb2.SeatAssignment(account_id=name, display_name=name.title()) for name in table.accounts],
        )
        await self.until_done("Create", request, LOBBY)
        for name in table.accounts:
            self.clients.start(self.watch(table.table_id, name))
        began_ms = clock.monotonic_ms()
        ends_ms = table.aborted_after_ms if table.course is Course.ABORTED else GIVES_UP_MS
        while not await self.move(table):
            await clock.sleep_ms(min(LOOK_MS, max(1, began_ms + ends_ms - clock.monotonic_ms())))
            if clock.monotonic_ms() - began_ms >= ends_ms:
                await self.abort(table.table_id)

    async def watch(self, table_id: str, account: str) -> None:
        """Be there: stakes are asked for once all are."""
        request = wire.WatchRequest(table_id=table_id).SerializeToString()
        while True:
            stream = self.network.open(self.clients, "table", "Watch", Caller(Principal(Role.PLAYER, account)))
            stream.send(request)
            try:
                async for _ in stream.updates():
                    pass
                return  # the table is closed
            except ApiError as error:
                await self.clients.clock.sleep_ms(error.retry_after_ms or LOOK_MS)
            finally:
                stream.let_go()

    async def move(self, table: CoinTable) -> bool:
        """Whether the table is closed; else its next move is made, if one is due."""
        request = wire.GetViewRequest(table_id=table.table_id)
        answer = await self.until_done("GetView", request, Principal(Role.PLAYER, f"eye-{table.table_id}"))
        view = wire.GetViewResponse.FromString(answer).view
        if view.stage == STAGE_DEAL and table.course is not Course.ABORTED and view.deal.turn_no == 1:
            seat = view.deal.turn_seat
            for text in (f"{seat} meld {MELDS}", f"{seat} discard {LAST_CARD}"):
                await self.act(table, view, text)
        return bool(view.stage == STAGE_CLOSED)

    async def act(self, table: CoinTable, view: Any, text: str) -> None:
        action = parse_action(text)
        assert not isinstance(action, Timeout)
        seat = view.deal.turn_seat
        request = wire.ActRequest(
            table_id=table.table_id,
            command_id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{view.match.match_id} {text}")),
            deal_no=view.deal.deal_no,
            turn_no=1,
            action=write_action(at_seat(action, seat)),
        )
        await self.until_done("Act", request, Principal(Role.PLAYER, table.accounts[seat]), may_be_refused=True)

    async def abort(self, table_id: str) -> None:
        request = admin_pb2.AbortRequest(table_id=table_id, reason="a trial")
        await self.until_done("Abort", request, OPERATOR, may_be_refused=True)

    async def until_done(self, method: str, request: Any, who: Principal, *, may_be_refused: bool = False) -> bytes:
        """Call until there is an answer."""
        while True:
            try:
                return await self.network.call(self.clients, "table", method, request, who)
            except (AwayError, FullError) as error:
                await self.clients.clock.sleep_ms(error.retry_after_ms or LOOK_MS)
            except ApiError as error:
                if not may_be_refused:
                    self.world.fail(f"{method} was refused: {error.code}")
                return b""

    def trouble(self) -> None:
        """NATS is away now and then, or gives again all that it ever gave to a wallet that has forgotten it."""
        world = self.world
        if self.rng.random() < world.chances.bus_away:
            self.nats.go_away()
        if world.chances.duplicate and self.rng.random() < world.chances.duplicate:
            self.give_again()
        world.later(TROUBLE_MS, self.trouble)

    def give_again(self) -> None:
        """Facts come once more whose ids the inbox no longer knows."""
        world = self.world
        with closing(_plainly(str(world.folder / "wallet.db"), timeout=0)) as wallet:
            try:
                wallet.execute("DELETE FROM inbox")
                wallet.commit()
            except sqlite3.OperationalError:
                world.later(LOOK_MS, self.give_again)  # somebody writes just now
                return
        world.counts["facts given again"] += len(self.nats.facts)
        world.note("facts are given again")
        self.nats.consumer("wallet").rewind()

    def heal(self) -> None:
        """Nothing goes wrong any more; but where messages came twice, all facts do once more."""
        if self.world.chances.duplicate:
            self.give_again()
        self.world.heal()

    def look(self) -> None:
        """Whether all is over."""
        self.journals.read()
        self.is_over = (
            len(self.journals.closed) == len(self.tables)
            and not self.journals.unsent()
            and self.nats.is_idle
            and self.books.is_quiet
        )
        if self.is_over and self.world.chances is not CALM:
            self.world.heal()
        self.world.later(2 * LOOK_MS, self.look)


def _plainly(path: str, **how: Any) -> sqlite3.Connection:
    """A connection that is no process's."""
    return sqlite3.Connection(path, **how)


def main(arguments: list[str]) -> int:
    """Play; 1 where something was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.coins", description="Plays matches for coins.")
    parser.add_argument("seeds", type=read_seeds, help="a seed, or from..to; forty tables each")
    parser.add_argument("--trace", help="a file for all that happens, of one seed")
    given = parser.parse_args(arguments)
    return play_seeds(
        given.seeds, given.trace, simulate_coins, lambda seed: f"make sim-coins SEEDS={seed} ARGS='--trace trace.txt'"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
