"""A wallet's settling and reconciling without its service: what others would answer, the test says."""

from collections.abc import Sequence

from banakil.events.v1 import facts_pb2 as wire
from banakil.table.v1 import standing_pb2
from sqlalchemy import select

from services.wallet.facts import FactHandler
from services.wallet.proving import Claim, Proof, Verdict
from services.wallet.reconciling import Reconciling
from services.wallet.schema import SETTLEMENTS
from services.wallet.score_servicer import Scores
from services.wallet.settling import Settling
from shared.codec.facts import fact_subject
from shared.codec.options import write_options
from shared.kit.inbox import Fact
from shared.kit.metrics import Metrics
from shared.kit.status import AwayError
from shared.rules.options import make_options
from tests.support.purses import FOUR, TABLE_ID, Purses, match_id
from tests.support.wallet import match_ended

STAKE = 100
PATIENCE_MS = 86_400_000
ASK_AFTER_MS = 3_600_000


class Saga:
    """A wallet, and what it is told."""

    def __init__(self, made: Purses) -> None:
        metrics = Metrics()
        self.purses = made
        self.proof: Proof | None = Proof(Verdict.PROVEN)
        """Of every match; `None`: nobody answers."""
        self.standing: standing_pb2.GetMatchStandingResponse | None = None
        """Of every match; `None`: nobody answers."""
        self.faults: set[str] = set()
        """Matches of which to ask anybody goes wrong as nobody has foreseen."""
        self.claims: list[Claim] = []
        self.asked: list[tuple[str, str]] = []
        self.signs: list[str] = []
        """The matches that were looked at once they were paid."""
        self.settling = Settling(
            made.database,
            made.holds,
            self._prove,
            made.clock,
            metrics,
            proof_patience_ms=PATIENCE_MS,
            after_paying=self._paid,
        )
        self.reconciling = Reconciling(made.database, self.settling, self._ask, made.clock, ask_after_ms=ASK_AFTER_MS)
        scores = Scores.of(made.database, made.clock)
        self.handler = FactHandler(scores.results, scores.statistics, scores.ratings, made.grants, self.settling)

    async def take(self, fact: wire.Fact) -> None:
        """Takes a fact in, as the inbox would whose memory of it is gone."""
        arrived = Fact(fact_subject(fact), fact.fact_id, fact.SerializeToString())
        async with self.purses.database.transaction() as connection:
            after = await self.handler.take_in(connection, arrived)
        if after is not None:
            after()

    async def settle(self) -> None:
        """All that is due."""
        while await self.settling.settle_due():
            pass

    def wait(self, wait_ms: int) -> None:
        self.purses.clock.advance(wait_ms)

    async def settlements(self) -> list[tuple[str, str]]:
        """Outcome and cause, by match."""
        async with self.purses.database.reading() as connection:
            asked = select(SETTLEMENTS.c.outcome, SETTLEMENTS.c.cause).order_by(SETTLEMENTS.c.match_id)
            return [(row.outcome, row.cause) for row in await connection.execute(asked)]

    async def _paid(self, match: str) -> None:
        self.signs.append(match)

    async def _prove(self, claim: Claim) -> Proof:
        self.claims.append(claim)
        if claim.match_id in self.faults:
            raise LookupError(claim.match_id)
        if self.proof is None:
            raise AwayError("DEPENDENCY_AWAY", "nobody is there")
        return self.proof

    async def _ask(self, table_id: str, match: str) -> standing_pb2.GetMatchStandingResponse:
        self.asked.append((table_id, match))
        if match in self.faults:
            raise LookupError(match)
        if self.standing is None:
            raise AwayError("DEPENDENCY_AWAY", "nobody is there")
        return self.standing


def won(number: int = 1, accounts: Sequence[str] = FOUR, *, winner: int = 0, fact_id: str = "") -> wire.Fact:
    """That a match for coins is won."""
    seats = [(account, False) for account in accounts]
    mode = "duel" if len(accounts) == 2 else "partners"
    return match_ended(number, seats, winner=winner, stake=STAKE, mode=mode, fact_id=fact_id)


def aborted(number: int = 1, *, last_deal_no: int = 0, stake: int = STAKE) -> wire.Fact:
    """That a match is over without a result."""
    about = wire.MatchAborted(
        series_id=match_id(number),
        match_id=match_id(number),
        match_no=1,
        options=write_options(make_options({"preset": "sahrat", "stake": stake})),
        seats=[wire.MatchSeat(account_id=account) for account in FOUR],
        last_deal_no=last_deal_no,
    )
    return wire.Fact(fact_id=f"5c4b3a29-0000-4000-a000-{number:012x}", at_ms=1, table_id=TABLE_ID, match_aborted=about)


def closed() -> wire.Fact:
    """That the table of all matches is closed."""
    return wire.Fact(
        fact_id="5c4b3a29-0000-4000-b000-000000000001", at_ms=1, table_id=TABLE_ID, table_closed=wire.TableClosed()
    )
