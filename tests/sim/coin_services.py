"""Tables and the wallet in processes of the world, wired as their `app.py` wires them; the shuffle is by script.

Tables are the real ones on their journal, but by their cards who starts goes out at once: a match is two moves.
"""

import asyncio
from typing import Any, Final

from banakil.table.v1 import admin_pb2, seating_pb2, standing_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.standing_pb2_grpc import StandingServiceStub
from banakil.wallet.v1 import wallet_pb2
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.table.admin import AdminServicer
from services.table.asking import Asking
from services.table.ceremony import Receipt
from services.table.commands import ClosedSet, Command, Outcome
from services.table.due import Due, NeedsClosedSet, NeedsOutcome, NeedsReveal, OfShuffle
from services.table.forwarding import Forwarding
from services.table.journal import JournalError
from services.table.servicer import TableServicer
from services.table.sqlite_journal import open_journal
from services.table.stake_asking import StakeAsker
from services.table.standing import StandingServicer
from services.table.state import TableState
from services.table.tables import Tables
from services.wallet.days import Days
from services.wallet.facts import CONSUMER, FactHandler
from services.wallet.grants import Grants
from services.wallet.holds import Holds
from services.wallet.ledger import open_ledger
from services.wallet.proving import Claim, Proof, Verdict
from services.wallet.reconciling import Reconciling, asking
from services.wallet.score_servicer import Scores
from services.wallet.settling import Settling
from services.wallet.statements import Statements
from services.wallet.wallet_servicer import WalletServicer
from shared.codec.facts import FACTS_STREAM
from shared.kit.audit import Audit
from shared.kit.clock import Pace
from shared.kit.identity import Role
from shared.kit.inbox import InboxConsumer
from shared.kit.limits import RateLimiter
from shared.kit.metrics import Metrics
from shared.kit.outbox import Outbox
from shared.kit.status import AwayError
from shared.kit.tasks import keep_running, spawn
from shared.rules.cards import FULL_DECK, parse_card
from tests.sim.channels import WorldChannels
from tests.sim.coin_plan import Course, Truth, starter_of, truth_of
from tests.sim.disk import database_of
from tests.sim.loop import Process
from tests.sim.mirror import TABLE_SEAL
from tests.sim.services import GRANTS, METRICS, Servicer, Surroundings, Together, _no_relay
from tests.support.local_shuffle import LocalShuffle

MELDS: Final = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS | 3H 4H 5H 6H 7H"
LAST_CARD: Final = "KD"
PROOF_PATIENCE_MS: Final = 150_000
ASK_AFTER_MS: Final = 90_000
MATCHES_NEEDED: Final = 3
_TABLE_REQUESTS: Final[dict[str, Any]] = {
    "Create": seating_pb2.CreateRequest,
    "Act": wire.ActRequest,
    "GetView": wire.GetViewRequest,
    "Watch": wire.WatchRequest,
}


def rigged_deck() -> bytes:
    """Who starts has these melds, and one card more."""
    hand = [parse_card(card) for card in f"{MELDS} {LAST_CARD}".replace("|", " ").split()]
    rest = list(FULL_DECK)
    for card in hand:
        rest.remove(card)
    return bytes([*hand, *rest])


class CoinShuffle(LocalShuffle):
    """The shuffle service of all processes, which never dies. It notes of which matches every secret is out."""

    def __init__(self, courses: dict[str, Course]) -> None:
        """``courses``: of tables."""
        super().__init__(decks={number: rigged_deck() for number in range(1, 9)})
        self._courses = courses
        self.revealed: set[str] = set()

    async def once(self, table: TableState, due: OfShuffle, _epoch: int) -> Command:
        """See `ShuffleAsker`."""
        return self.answer(table, due)

    def answer(self, table: TableState, due: Due) -> Command:
        """As ever, but for shuffles that are to fail."""
        match_id = table.match_id.hex()
        self.starter = starter_of(match_id, len(table.seats))
        fails = self._courses[table.table_id] is Course.VOID
        if isinstance(due, NeedsOutcome) and fails:
            return Outcome(due.context, None, (due.context.attempt,))
        answer = super().answer(table, due)
        if isinstance(due, NeedsClosedSet) and fails and isinstance(answer, ClosedSet):
            return answer._replace(transcript=None, receipts=(Receipt(due.context.attempt, 1, bytes(64)),))
        if isinstance(due, NeedsReveal) and due.match_over:
            self.revealed.add(due.context.match.hex())
        return answer


class CoinTables(Process):
    """A process of the table service."""

    def __init__(self, around: Surroundings, shuffle: CoinShuffle, name: str, *, lives: int | None) -> None:
        super().__init__(around.world, name, lives=lives)
        self._around = around
        self._shuffle = shuffle
        self.start(self._run())

    async def _run(self) -> None:
        try:
            await self._serve()
        except JournalError:
            self.world.note("cannot start", self.name)
        self.world.kill(self)

    async def _serve(self) -> None:
        network, path, clock = self._around.network, self.world.folder / "table.db", self.clock
        database, bus = database_of(path), self._around.nats.client(self)
        channels: Any = WorldChannels(network, self, Role.TABLE)
        outbox = Outbox(database, bus, clock, METRICS)  # type: ignore[arg-type]  # the world's bus
        async with open_journal(path, TABLE_SEAL, outbox.wake) as journal:
            stakes = StakeAsker(WalletServiceStub(channels.to("wallet", "wallet")))
            asker = Asking(self._shuffle, stakes, clock)  # type: ignore[arg-type]  # by script
            tables = self.tables = Tables(journal, clock, Pace(), asker.ask, outbox.has_room)
            forwarding = Forwarding(channels, tables.ownership)
            server = Servicer(self, TableServicer(tables, journal, clock, forwarding, _no_relay), _TABLE_REQUESTS)
            admins = AdminServicer(tables, database, clock, forwarding, Audit(database, clock, server.typed_error))
            standing = StandingServicer(tables, journal, forwarding)
            others = {
                "Abort": Servicer(self, admins, {"Abort": admin_pb2.AbortRequest}),
                "GetMatchStanding": Servicer(
                    self, standing, {"GetMatchStanding": standing_pb2.GetMatchStandingRequest}
                ),
            }
            await tables.resume_all()
            background = [
                spawn(keep_running("outbox", outbox.run, clock), "outbox"),
                spawn(keep_running("beat", tables.beat, clock), "beat"),
            ]
            network.serve("table", Together(server, others))
            await asyncio.gather(*background)


class CoinWallet(Process):
    """A process of the wallet service."""

    def __init__(self, around: Surroundings, shuffle: CoinShuffle, name: str, *, lives: int | None) -> None:
        super().__init__(around.world, name, lives=lives)
        self._around = around
        self._shuffle = shuffle
        self._rng = around.world.rng(f"proofs of {name}")
        self.start(self._run())

    async def _run(self) -> None:
        network, clock = self._around.network, self.clock
        database, bus = database_of(self.world.folder / "wallet.db"), self._around.nats.client(self)
        channels: Any = WorldChannels(network, self, Role.WALLET)
        metrics = Metrics()
        async with open_ledger(database, clock) as ledger:
            grants, holds = Grants(ledger, clock, Days(180), GRANTS), Holds(ledger, MATCHES_NEEDED)
            settling = Settling(database, holds, self._prove, clock, metrics, proof_patience_ms=PROOF_PATIENCE_MS)
            ask = asking(StandingServiceStub(channels.to("table", "table")))
            reconciling = Reconciling(database, settling, ask, clock, ask_after_ms=ASK_AFTER_MS)
            scores = Scores.of(database, clock)
            handler = FactHandler(scores.results, scores.statistics, scores.ratings, grants, settling)
            inbox = InboxConsumer(
                database, bus, clock, metrics, stream=FACTS_STREAM, name=CONSUMER, handler=handler.take_in  # type: ignore[arg-type]  # the world's bus
            )  # fmt: skip
            calls = RateLimiter(clock, per_second=1_000, burst=1_000)
            servicer = WalletServicer(holds, grants, Statements(database), calls)
            network.serve("wallet", Servicer(self, servicer, {"HoldStakes": wallet_pb2.HoldStakesRequest}))
            work = {"inbox": inbox.run, "settling": settling.run, "reconciling": reconciling.run}
            await asyncio.gather(*(keep_running(name, run, clock) for name, run in work.items()))

    async def _prove(self, claim: Claim) -> Proof:
        """What the shuffle service would show, if it is to be reached."""
        await self.clock.sleep_ms(self._around.network.delay_ms())
        if self._rng.random() < self.world.chances.drop:
            raise AwayError("DEPENDENCY_AWAY", "nobody is there")
        truth = truth_of(claim.match_id)
        if truth is Truth.NOTHING or claim.match_id not in self._shuffle.revealed:
            return Proof(Verdict.OPEN, "it is not out")
        return Proof(Verdict.FAILED, "it is another") if truth is Truth.FAULT else Proof(Verdict.PROVEN)
