"""The wallet service: what tables tell over a real NATS, asked for over a real socket."""

import io
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest
import structlog
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, MODE_PARTNERS, PRESET_SAHRAT
from banakil.events.v1 import facts_pb2
from banakil.wallet.v1 import scores_pb2 as wire
from banakil.wallet.v1.scores_pb2_grpc import ScoreServiceStub

from services.wallet.app import BUS_USER, bind
from services.wallet.settings import WalletSettings
from shared.codec.facts import FACTS_STREAM, fact_subject
from shared.codec.refusals import STATUS_OF
from shared.kit import logging
from shared.kit.app import App
from shared.kit.bus import Bus, open_bus
from shared.kit.clients import Channels, bearer
from shared.kit.clock import RealClock
from shared.kit.database import open_database
from shared.kit.keys import ensure_keys
from shared.kit.metrics import Metrics
from shared.kit.nats_server import BusUser, NatsServer, running_nats_server
from shared.kit.outbox import Outbox
from shared.kit.status import api_error
from shared.kit.tables import OUTBOX
from tests.support.kit import Identities, eventually
from tests.support.wallet import ENDED_MS, HOUSE_BOT, match_ended, people

CLOCK = RealClock()
TABLE = BusUser("table", owns=(FACTS_STREAM,))


@pytest.fixture(autouse=True)
def log() -> Iterator[io.StringIO]:
    written = io.StringIO()
    logging.configure("test", stream=written, console=False)
    yield written
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def identities() -> Identities:
    return Identities(CLOCK)


@pytest.fixture
async def nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with running_nats_server(tmp_path / "nats", [TABLE, BUS_USER], CLOCK) as server:
        (tmp_path / "nats.password").write_text(server.passwords["wallet"])
        yield server


@pytest.fixture
async def bus(nats: NatsServer) -> AsyncIterator[Bus]:
    """The table service's."""
    async with open_bus(nats.url, name="table", password=nats.passwords["table"]) as bus:
        await bus.declare(FACTS_STREAM)
        yield bus


class Wallet:
    """A running service, asked as a player."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self.stub = ScoreServiceStub(channel)
        self.metadata = bearer(token)

    async def result(self, number: int) -> wire.GetMatchResultResponse:
        request = wire.GetMatchResultRequest(match_id=f"{number:032x}")
        return await self.stub.GetMatchResult(request, metadata=self.metadata)

    async def has(self, number: int) -> bool:
        try:
            await self.result(number)
        except grpc.aio.AioRpcError as fault:
            if api_error(fault).code != "NO_SUCH_MATCH":
                raise
            return False
        return True

    async def stats(self, account: str) -> list[tuple[int, int, int, int]]:
        answer = await self.stub.GetPlayerStats(wire.GetPlayerStatsRequest(account_id=account), metadata=self.metadata)
        return [(each.preset, each.mode, each.played, each.won) for each in answer.stats]

    async def rated(self, account: str) -> list[tuple[int, int]]:
        """Matches played and won, of each rating of all time."""
        answer = await self.stub.GetRating(wire.GetRatingRequest(account_id=account), metadata=self.metadata)
        return [(each.played, each.won) for each in answer.ratings if not each.season]


@asynccontextmanager
async def serving(data: Path, nats: NatsServer, identities: Identities) -> AsyncIterator[Wallet]:
    ensure_keys(data / "keys", ["wallet"])
    settings = WalletSettings.load(
        database_url=f"sqlite:///{data / 'wallet.db'}",
        nats_url=nats.url,
        nats_password_file=data / "nats.password",
        keys=data / "keys",
        calls_burst=10_000,
    )
    app = App(verifier=identities.verifier("wallet"), clock=CLOCK)
    async with app.serving(lambda app: bind(app, settings)), Channels(None) as channels:
        yield Wallet(channels.to(app.address, "wallet"), identities.player())


@pytest.fixture
async def wallet(tmp_path: Path, nats: NatsServer, bus: Bus, identities: Identities) -> AsyncIterator[Wallet]:
    async with serving(tmp_path, nats, identities) as running:
        yield running


async def publish(bus: Bus, fact: facts_pb2.Fact, message_id: str = "") -> None:
    await bus.publish(fact_subject(fact), fact.SerializeToString(), message_id or fact.fact_id)


async def test_the_end_of_a_match_becomes_its_result_and_counts_for_its_people(wallet: Wallet, bus: Bus) -> None:
    await publish(bus, match_ended())
    await eventually(lambda: wallet.has(1))
    assert await wallet.result(1) == wire.GetMatchResultResponse(
        preset=PRESET_SAHRAT,
        mode=MODE_PARTNERS,
        account_ids=["ada", "bob", "", "robo"],
        total_half_points=[310, -24],
        winner_team=0,
        ended_at_ms=ENDED_MS,
    )
    assert await wallet.stats("ada") == [(PRESET_SAHRAT, MODE_PARTNERS, 1, 1)]
    assert await wallet.stats("bob") == [(PRESET_SAHRAT, MODE_PARTNERS, 1, 0)]
    assert await wallet.stats("robo") == await wallet.stats("nobody") == []


async def test_a_duel_is_counted_apart(wallet: Wallet, bus: Bus) -> None:
    await publish(bus, match_ended(1))
    await publish(bus, match_ended(2, (("ada", False), HOUSE_BOT), mode="duel", winner=1))
    await eventually(lambda: wallet.has(2))
    assert await wallet.stats("ada") == [
        (PRESET_SAHRAT, MODE_DUEL, 1, 0), (PRESET_SAHRAT, MODE_PARTNERS, 1, 1),
    ]  # fmt: skip


async def test_an_end_that_is_signalled_again_and_again_has_one_effect(
    tmp_path: Path, nats: NatsServer, bus: Bus, identities: Identities
) -> None:
    """SCENARIOS 5: by the same message, under other message ids, as another fact, and after a restart."""
    among_people = people("eve", "fay", "gus", "hal")

    async def repeat(round_no: int) -> None:
        for number in range(3):
            for first in (match_ended(), match_ended(2, among_people)):
                await publish(bus, first)
                await publish(bus, first, f"resent-{first.fact_id}-{round_no}-{number}")
            fact_id = f"again-{round_no}-{number}"
            await publish(bus, match_ended(fact_id=fact_id, at_ms=ENDED_MS + number))
            await publish(bus, match_ended(2, among_people, fact_id=f"{fact_id}-rated", at_ms=ENDED_MS + number))
        await publish(bus, match_ended(100 + round_no, (("zoe", False), HOUSE_BOT, HOUSE_BOT, HOUSE_BOT)))

    for round_no in range(2):
        async with serving(tmp_path, nats, identities) as wallet:
            await repeat(round_no)
            await eventually(lambda: wallet.has(100 + round_no))  # noqa: B023  # awaited within the round
            assert await wallet.stats("ada") == [(PRESET_SAHRAT, MODE_PARTNERS, 1, 1)]
            assert (await wallet.result(1)).ended_at_ms == ENDED_MS
            assert await wallet.rated("eve") == [(1, 1)]
            assert await wallet.rated("ada") == []


async def test_nothing_is_lost_or_counted_twice_while_wallet_and_nats_come_and_go(
    tmp_path: Path, nats: NatsServer, bus: Bus, identities: Identities, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way: a table's outbox, a NATS that is killed, a wallet that is stopped and started."""
    monkeypatch.setattr("shared.kit.inbox.ACK_WAIT_S", 1)  # for what was on its way when NATS was killed
    async with AsyncExitStack() as stack:
        sender = await stack.enter_async_context(open_database(f"sqlite:///{tmp_path / 'table.db'}"))
        async with sender.transaction() as connection:
            await connection.run_sync(OUTBOX.create)
        outbox = Outbox(sender, bus, CLOCK, Metrics())
        app = App(verifier=identities.verifier("table"), clock=CLOCK)
        app.background("outbox", outbox.run)
        await stack.enter_async_context(app.serving())

        async def end(*numbers: int) -> None:
            async with sender.transaction() as connection:
                for number in numbers:
                    fact = match_ended(number)
                    await outbox.add(connection, fact_subject(fact), fact.fact_id, fact.SerializeToString())
            outbox.wake()

        await end(*range(1, 11))
        async with serving(tmp_path, nats, identities) as wallet:
            await eventually(lambda: wallet.has(1))
            assert nats.process is not None
            nats.process.send_signal(signal.SIGKILL)
            await nats.process.wait()
            await end(*range(11, 21))
            assert await wallet.has(1)
            await nats.start(CLOCK)
            await eventually(lambda: wallet.has(15))
        await end(*range(21, 31))
        async with serving(tmp_path, nats, identities) as wallet:
            for number in range(1, 31):
                await eventually(lambda: wallet.has(number))  # noqa: B023  # awaited at once
            assert await wallet.stats("ada") == [(PRESET_SAHRAT, MODE_PARTNERS, 30, 30)]


async def test_a_result_that_makes_no_sense_stops_nobody(
    wallet: Wallet, bus: Bus, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.kit.inbox.RETRY_FIRST_MS", 5)
    await publish(bus, match_ended(1, seats=(HOUSE_BOT, HOUSE_BOT)))
    await publish(bus, match_ended(2))
    await publish(bus, match_ended(2, winner=1, fact_id="otherwise"))
    await publish(bus, match_ended(3))
    await eventually(lambda: wallet.has(3))
    await eventually(lambda: log.getvalue().count('"fact.buried"') == 2)
    assert not await wallet.has(1)
    assert (await wallet.result(2)).winner_team == 0
    assert await wallet.stats("ada") == [(PRESET_SAHRAT, MODE_PARTNERS, 2, 2)]


async def refused(call: object) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call  # type: ignore[misc]  # any call
    error = api_error(failed.value)
    assert error.status is STATUS_OF[error.code]
    return error.code


async def test_each_refusal_has_its_code_and_its_status(wallet: Wallet) -> None:
    assert await refused(wallet.result(9)) == "NO_SUCH_MATCH"
    for match_id in ("", "f" * 31, "F" * 32, "f" * 33):
        request = wire.GetMatchResultRequest(match_id=match_id)
        assert await refused(wallet.stub.GetMatchResult(request, metadata=wallet.metadata)) == "BAD_REQUEST"
    for account in ("", "a" * 65, "a\0"):
        assert await refused(wallet.stats(account)) == "BAD_REQUEST"


async def test_players_and_bots_may_ask_and_nobody_else(wallet: Wallet, identities: Identities) -> None:
    request = wire.GetPlayerStatsRequest(account_id="ada")
    for token in (identities.player("eve"), identities.player("robo", bot=True)):
        await wallet.stub.GetPlayerStats(request, metadata=bearer(token))
    for service in ("table", "lobby", "operator"):
        token = identities.issuer(service).for_service("wallet").text
        call = wallet.stub.GetPlayerStats(request, metadata=bearer(token))
        assert await refused(call) == "ROLE_NOT_ADMITTED"
    assert await refused(wallet.stub.GetPlayerStats(request)) == "NO_TOKEN"
    assert await refused(wallet.stub.GetMatchResult(wire.GetMatchResultRequest(), metadata=bearer("x"))) == "BAD_TOKEN"


async def test_an_account_that_asks_too_often_waits_and_others_do_not(
    tmp_path: Path, nats: NatsServer, identities: Identities
) -> None:
    ensure_keys(tmp_path / "keys", ["wallet"])
    settings = WalletSettings.load(
        database_url=f"sqlite:///{tmp_path / 'wallet.db'}", nats_url=nats.url,
        nats_password_file=tmp_path / "nats.password", keys=tmp_path / "keys", calls_per_second=0.001, calls_burst=2,
    )  # fmt: skip
    app = App(verifier=identities.verifier("wallet"), clock=CLOCK)
    async with app.serving(lambda app: bind(app, settings)), Channels(None) as channels:
        channel = channels.to(app.address, "wallet")
        ada, bob = (Wallet(channel, identities.player(name)) for name in ("ada", "bob"))
        await ada.stats("ada")
        assert not await ada.has(1)
        assert await refused(ada.stats("ada")) == "RATE_LIMITED"
        await bob.stats("ada")
