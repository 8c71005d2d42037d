"""Matches for coins by real processes; wallet, table, NATS and Postgres are killed, and nothing is lost or done twice.

python -m tests.chaos.coins --matches 300 --seed 17
"""

import argparse
import asyncio
import random
import shutil
import sys
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import grpc
from banakil.table.v1 import admin_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.admin_pb2_grpc import AdminServiceStub
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import STAGE_CLOSED, STAGE_DEAL, View
from banakil.wallet.v1 import settlements_pb2, wallet_pb2
from banakil.wallet.v1.settlements_pb2_grpc import SettlementServiceStub
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.table.app import BUS_USER as TABLE_BUS
from services.wallet.app import BUS_USER as WALLET_BUS
from services.wallet.holds import shares
from shared.codec.actions import write_action
from shared.codec.options import write_options
from shared.kit.clients import Channels, answer, bearer, received
from shared.kit.clock import RealClock
from shared.kit.identity import TokenIssuer
from shared.kit.keys import SigningKey, ensure_keys
from shared.kit.nats_server import NatsServer, running_nats_server
from shared.kit.private_files import write_private
from shared.kit.sealing import SealingKeys
from shared.kit.status import ApiError
from shared.kit.tasks import cancel_and_wait, spawn
from shared.rules.action_text import parse_action
from shared.rules.actions import Timeout
from shared.rules.options import make_options
from tests.chaos.checks import fail
from tests.sim.coin_services import LAST_CARD, MELDS
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.roaming import AWAY
from tests.support.table_cluster import Pod

ISSUERS: Final = ("table", "shuffle", "wallet", "lobby", "operator")
PLAYERS: Final = tuple(f"player-{number}" for number in range(12))
WELCOME: Final = 1_000_000
DUEL: Final = make_options({"preset": "sahrat", "mode": "duel", "target": 50, "turn_seconds": 300, "stake": 50})
FOUR: Final = make_options({"preset": "sahrat", "target": 50, "turn_seconds": 300, "stake": 25})
PACE: Final = 20.0
AT_ONCE: Final = 8
ABORTED: Final = 0.1
"""Of matches, to be ended by an operator."""
TABLE_PODS: Final = 2
GAP_MS: Final = 4_000
"""The shortest between two kills, and a quarter of it until each was killed; the longest is twice that."""
AWAY_MS: Final = 700
LOOK_MS: Final = 100
END_S: Final = 240.0
WON: Final = settlements_pb2.SETTLEMENT_CAUSE_WON
CLOCK: Final = RealClock()
KINDS: Final = ("wallet", "table", "nats", "postgres")


class Bank:
    """The processes."""

    def __init__(self, folder: Path, postgres: PostgresServer, nats: NatsServer) -> None:
        self.postgres = postgres
        self.nats = nats
        self._folder = folder
        for name in (TABLE_BUS.name, WALLET_BUS.name):
            write_private(folder / f"{name}.password", nats.passwords[name].encode())
        self.shuffle = self._pod("shuffle", f"sqlite:///{folder / 'shuffle.db'}", module="tests.chaos.rigged_shuffle")
        self.wallet = self._pod("wallet", postgres.new_database())
        database = postgres.new_database()
        self.tables = [self._pod("table", database, str(number)) for number in range(TABLE_PODS)]
        near = {"SHUFFLE_ADDRESS": self.shuffle.address}
        self.wallet.set(TABLE_ADDRESS=self.table_address, WELCOME_COINS=WELCOME, MATCHES_NEEDED=0, **near)
        self.wallet.set(CALLS_BURST=100_000, CALLS_PER_SECOND=1_000, CHECK_EVERY_MS=500)
        for pod in self.tables:
            pod.set(WALLET_ADDRESS=self.wallet.address, SEALING_KEYS=folder / "keys" / "table-seal", PACE=PACE, **near)

    @property
    def table_address(self) -> str:
        """Of whichever process of the table service answers."""
        return "ipv4:" + ",".join(pod.address for pod in self.tables)

    def _pod(self, name: str, database: str, number: str = "", module: str = "") -> Pod:
        given: dict[str, object] = {"KEYS": self._folder / "keys", "LOG_LEVEL": "warning", "DATABASE_URL": database}
        if name != "shuffle":
            password = self._folder / f"{name}.password"
            given |= {"NATS_URL": self.nats.url, "NATS_PASSWORD_FILE": password, "DRAIN_MS": 2_000}
        return Pod(name, given, self._folder / f"{name}{number}.log", module=module)

    async def start(self) -> None:
        """Have all of them at work."""
        await asyncio.gather(self.shuffle.start(), self.wallet.start(), self.tables[0].start())
        await asyncio.gather(*(pod.start() for pod in self.tables[1:]))

    async def end(self) -> None:
        """All of them."""
        for pod in (*self.tables, self.wallet, self.shuffle):
            if pod.is_running:
                await pod.kill()

    async def strike(self, kind: str, rng: random.Random) -> None:
        """kill -9; returns once it is at work again."""
        strikes: dict[str, Callable[[], Awaitable[None]]] = {
            "wallet": lambda: self._kill(self.wallet, rng),
            "table": lambda: self._kill(rng.choice(self.tables), rng),
            "nats": lambda: self._kill_nats(rng),
            "postgres": lambda: self._kill_postgres(rng),
        }
        await strikes[kind]()

    async def _kill(self, pod: Pod, rng: random.Random) -> None:
        await pod.kill()
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await pod.start()

    async def _kill_nats(self, rng: random.Random) -> None:
        assert self.nats.process is not None
        self.nats.process.kill()
        await self.nats.process.wait()
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await self.nats.start(CLOCK)

    async def _kill_postgres(self, rng: random.Random) -> None:
        await asyncio.to_thread(self.postgres.stop, "immediate")
        await CLOCK.sleep_ms(rng.randrange(AWAY_MS))
        await asyncio.to_thread(self.postgres.start)


class Evening:
    """Matches, until there were so many."""

    def __init__(self, bank: Bank, folder: Path, channels: Channels, seed: str) -> None:
        self.counts: Counter[str] = Counter()
        self.coins = dict.fromkeys(PLAYERS, 0)
        """What each has won, as tables tell; or lost."""
        self._bank = bank
        self._seed = seed
        self._table = TableServiceStub(channels.to(bank.table_address, "table"))
        self._admin = AdminServiceStub(channels.to(bank.table_address, "table"))
        self._wallet = WalletServiceStub(channels.to(bank.wallet.address, "wallet"))
        self._settlements = SettlementServiceStub(channels.to(bank.wallet.address, "wallet"))
        keys = folder / "keys" / "private"
        self._lobby = TokenIssuer("lobby", SigningKey.load(keys / "lobby.jwk"), CLOCK)
        self._operator = TokenIssuer("operator", SigningKey.load(keys / "operator.jwk"), CLOCK)

    async def go(self, matches: int) -> None:
        """All of it. Raises `ChaosError`."""
        await asyncio.gather(*(self.purse(name) for name in PLAYERS))
        numbers = iter(range(matches))

        async def play_on() -> None:
            for number in numbers:
                await self._match(number)

        playing = asyncio.gather(*(play_on() for _ in range(AT_ONCE)))
        rng, number = random.Random(f"{self._seed}/faults"), 0
        kinds = rng.sample(KINDS, len(KINDS))
        while not playing.done() or number < len(KINDS):
            kind = kinds[number] if number < len(KINDS) else rng.choice(KINDS)
            await self._bank.strike(kind, rng)
            self.counts[f"{kind} killed"] += 1
            number += 1
            # Once each has been killed, so long that something can be at work again before the next one.
            gap_ms = GAP_MS if number >= len(KINDS) else GAP_MS // 4
            await asyncio.wait([playing], timeout=(gap_ms + rng.randrange(gap_ms)) / 1000)
        await playing
        for name, won in self.coins.items():
            balance = (await self.purse(name)).balance_coins
            if balance != WELCOME + won:
                fail(f"{name} has {balance} coins, and by its matches {WELCOME + won}")

    async def _match(self, number: int) -> None:
        rng = random.Random(f"{self._seed}/match {number}")
        options = rng.choice((DUEL, DUEL, FOUR))
        accounts = rng.sample(PLAYERS, options.seats)
        request = seating_pb2.CreateRequest(
            table_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            options=write_options(options),
            seats=[seating_pb2.SeatAssignment(account_id=name, display_name=name) for name in accounts],
        )
        by_lobby = bearer(self._lobby.for_service("table").text)
        await self._until_done(lambda: self._table.Create(request, metadata=by_lobby, timeout=2))
        async with AsyncExitStack() as there:
            for name in accounts:
                there.push_async_callback(cancel_and_wait, spawn(self._watch(request.table_id, name), name))
            view = await self._closed(request.table_id, accounts, aborts=rng.random() < ABORTED)
        asked = settlements_pb2.GetSettlementRequest(match_id=view.match.match_id)
        async with asyncio.timeout(END_S):
            while not (found := await self._settlement(asked)).cause:
                await CLOCK.sleep_ms(LOOK_MS)
        is_won = view.match.HasField("winner_team")
        if (found.cause == WON) is not is_won:
            fail(f"{view.match.match_id} is settled as {found.cause}, and its table tells {view.match}")
        self.counts["matches won" if is_won else "matches given back"] += 1
        if is_won:
            winners = accounts[view.match.winner_team :: 2]
            prize, _ = shares(options.stake * len(accounts), len(winners))
            for name in accounts:
                self.coins[name] += (prize if name in winners else 0) - options.stake

    async def _watch(self, table_id: str, account: str) -> None:
        """Be there: stakes are asked for once all are."""
        request, me = wire.WatchRequest(table_id=table_id), bearer(self._lobby.for_account(account).text)
        while True:
            with suppress(ApiError):
                async for _ in received(self._table.Watch(request, metadata=me)):
                    pass
            await CLOCK.sleep_ms(LOOK_MS)

    async def _closed(self, table_id: str, accounts: list[str], *, aborts: bool) -> View:
        """Play it, or have an operator end it, as where the clock has played; the table as it is closed."""
        reader = bearer(self._lobby.for_account(f"reader of {table_id}").text)
        request = wire.GetViewRequest(table_id=table_id)
        async with asyncio.timeout(END_S):
            while True:
                seen = await self._until_done(lambda: self._table.GetView(request, metadata=reader, timeout=2))
                view: View = seen.view
                if view.stage == STAGE_CLOSED:
                    return view
                if view.stage == STAGE_DEAL and (aborts or view.deal.turn_no > 1):
                    await self._abort(table_id)
                elif view.stage == STAGE_DEAL:
                    for text in (f"meld {MELDS}", f"discard {LAST_CARD}"):
                        await self._act(view, accounts, text)
                else:
                    await CLOCK.sleep_ms(LOOK_MS)

    async def _abort(self, table_id: str) -> None:
        request = admin_pb2.AbortRequest(table_id=table_id, reason="a trial")
        token = bearer(self._operator.for_service("table", account="op").text)
        with suppress(ApiError):  # it is over already
            await self._until_done(lambda: self._admin.Abort(request, metadata=token, timeout=2))

    async def _act(self, view: View, accounts: list[str], text: str) -> None:
        seat = view.deal.turn_seat
        action = parse_action(f"{seat} {text}")
        assert not isinstance(action, Timeout)
        request = wire.ActRequest(
            table_id=view.table_id,
            command_id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{view.match.match_id} {text}")),
            deal_no=view.deal.deal_no,
            turn_no=1,
            action=write_action(action),
        )
        token = bearer(self._lobby.for_account(accounts[seat]).text)
        with suppress(ApiError):  # it was done before, as its answer got lost
            await self._until_done(lambda: self._table.Act(request, metadata=token, timeout=2))

    async def _settlement(self, asked: settlements_pb2.GetSettlementRequest) -> Any:
        """One that nothing is known of yet is not settled."""
        try:
            return await self._until_done(lambda: self._settlements.GetSettlement(asked, timeout=2))
        except ApiError as error:
            if error.code != "NO_SUCH_MATCH":
                raise
            return settlements_pb2.GetSettlementResponse()

    async def purse(self, account: str) -> Any:
        """What a named account has."""
        token = bearer(self._lobby.for_account(account, named=True).text)
        request = wallet_pb2.GetWalletRequest()
        return await self._until_done(lambda: self._wallet.GetWallet(request, metadata=token, timeout=2))

    async def _until_done(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call until there is an answer. Raises `ApiError` for one that calling again would not change."""
        async with asyncio.timeout(END_S):
            while True:
                try:
                    return await answer(call())
                except ApiError as error:
                    if error.status not in AWAY:
                        raise
                await CLOCK.sleep_ms(LOOK_MS)


async def _check_ledger(bank: Bank, folder: Path) -> None:
    """As an operator does."""
    key = folder / "keys" / "private" / "operator.jwk"
    command = ["admin", "ledger", "check", "--as", "chaos", "--address", bank.wallet.address, "--key", str(key)]
    checking = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shared.cli", *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await checking.communicate()
    if checking.returncode:
        fail(f"banakil admin ledger check: {said.decode()}")


@asynccontextmanager
async def _bank(folder: Path) -> AsyncIterator[Bank]:
    ensure_keys(folder / "keys", ISSUERS)
    SealingKeys.load(folder / "keys" / "table-seal", may_create=True)
    with running_postgres() as postgres:
        async with (
            running_nats_server(folder / "nats", [TABLE_BUS, WALLET_BUS], CLOCK) as nats,
            AsyncExitStack() as stack,
        ):
            bank = Bank(folder, postgres, nats)
            stack.push_async_callback(bank.end)
            await bank.start()
            yield bank


async def coin_chaos(folder: Path, matches: int, seed: str) -> Counter[str]:
    """A whole run with its files in a folder; what happened in it, counted. Raises `ChaosError`."""
    async with _bank(folder) as bank, Channels(None) as channels:
        evening = Evening(bank, folder, channels, seed)
        try:
            await evening.go(matches)
            await _check_ledger(bank, folder)
        except BaseException as fault:
            fault.add_note(f"{dict(evening.counts)}; its folder: {folder}")
            fault.add_note(f"again: make chaos-coins MATCHES={matches} SEED={seed}")
            raise
    return evening.counts


def main(arguments: list[str]) -> int:
    """1 where something did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.coins", description="Kills processes under stakes.")
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(2**32)))
    given = parser.parse_args(arguments)
    grpc.aio.init_grpc_aio()
    folder = Path(f"build/chaos/coins-{given.seed}").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began_s = time.monotonic()
    print(f"seed {given.seed}: {given.matches} matches for coins", flush=True)
    counts = asyncio.run(coin_chaos(folder, given.matches, given.seed))
    shutil.rmtree(folder)
    print(f"  {time.monotonic() - began_s:.0f} s: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
