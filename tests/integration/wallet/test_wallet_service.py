"""Stakes and purses, asked for over a real socket."""

import sqlite3
import uuid
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import grpc
import pytest
from banakil.wallet.v1 import ledger_pb2 as ledger
from banakil.wallet.v1 import wallet_pb2 as wire
from banakil.wallet.v1.ledger_pb2_grpc import LedgerServiceStub
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from services.wallet.app import bind
from services.wallet.settings import WalletSettings
from shared.kit.app import App
from shared.kit.clients import Channels, bearer
from shared.kit.clock import VirtualClock
from shared.kit.keys import ensure_keys
from shared.kit.status import api_error
from tests.support.kit import Identities
from tests.support.purses import FOUR, TABLE_ID, match_id

Obstacle = wire.HoldStakesResponse.Obstacle


class Asked:
    """A running service, with the tokens of who asks."""

    def __init__(
        self, app: App, channel: grpc.aio.Channel, path: Path, identities: Identities, clock: VirtualClock
    ) -> None:
        self.app = app
        self.stub: Any = WalletServiceStub(channel)
        self.ledger: Any = LedgerServiceStub(channel)
        self.health: Any = HealthStub(channel)  # type: ignore[no-untyped-call]  # the library has few types
        self.path = path
        self.clock = clock
        self.test = 0
        """Each test has accounts and matches of its own."""
        self._identities = identities

    def account(self, name: str) -> str:
        """The test's own account of that name."""
        return f"{name}{self.test}" if name else ""

    def match(self, number: int) -> str:
        """The test's own match of that number."""
        return match_id(1_000 * self.test + number)

    async def by(self, account: str, method: str, request: Any, *, named: bool = True) -> Any:
        """As a player."""
        return await getattr(self.stub, method)(request, metadata=bearer(self.token(account, named=named)))

    def token(self, account: str, *, named: bool = True) -> str:
        """A player's."""
        return self._identities.player(self.account(account), named=named)

    async def by_service(self, service: str, method: str, request: Any) -> Any:
        """As another service."""
        token = self._identities.credentials(service).token("wallet")
        return await getattr(self.stub, method)(request, metadata=bearer(token))

    async def operator(self, method: str, request: Any) -> Any:
        """As one who runs the system."""
        token = self._identities.issuer("operator").for_service("wallet", account="samira").text
        return await getattr(self.ledger, method)(request, metadata=bearer(token))

    async def hold(self, number: int = 1, stake: int = 100, accounts: tuple[str, ...] = FOUR) -> Any:
        """As the table service."""
        request = wire.HoldStakesRequest(
            match_id=self.match(number),
            table_id=TABLE_ID,
            stake_coins=stake,
            account_ids=map(self.account, accounts),
        )
        return await self.by_service("table", "HoldStakes", request)


@pytest.fixture(scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asked]:
    clock = VirtualClock()
    identities = Identities(clock)
    path = tmp_path_factory.mktemp("wallet") / "wallet.db"
    ensure_keys(path.parent / "keys", ["wallet"])
    settings = WalletSettings.load(
        database_url=f"sqlite:///{path}",
        nats_url="nats://127.0.0.1:1",
        keys=path.parent / "keys",
        matches_needed=0,
        calls_burst=10_000,
    )
    app = App(verifier=identities.verifier("wallet"), clock=clock)
    async with app.serving(lambda app: bind(app, settings)), Channels(None) as channels:
        yield Asked(app, channels.to(app.address, "wallet"), path, identities, clock)


@pytest.fixture
def wallet(running: Asked) -> Asked:
    running.test += 1
    return running


async def refused(call: Awaitable[Any]) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await call
    return api_error(refusal.value).code


async def test_a_named_players_first_call_opens_its_account(wallet: Asked) -> None:
    shown = await wallet.by("ada", "GetWallet", wire.GetWalletRequest())
    assert (shown.balance_coins, shown.held_coins, shown.named, shown.matches_needed) == (1_000, 0, True, 0)
    assert (shown.daily.available, shown.daily.streak_days, shown.daily.coins) == (True, 1, 100)


async def test_a_guest_has_no_coins_and_is_told_so(wallet: Asked) -> None:
    assert await wallet.by("guest", "GetWallet", wire.GetWalletRequest(), named=False) == wire.GetWalletResponse()
    assert await wallet.by("guest", "ListTransfers", wire.ListTransfersRequest(), named=False) == (
        wire.ListTransfersResponse()
    )
    claim = wire.ClaimDailyRequest(command_id=str(uuid.uuid4()))
    assert await refused(wallet.by("guest", "ClaimDaily", claim, named=False)) == "GUEST_ACCOUNT"


async def test_the_bonus_of_a_day_is_had_once(wallet: Asked) -> None:
    claim = wire.ClaimDailyRequest(command_id=str(uuid.uuid4()))
    had = await wallet.by("ada", "ClaimDaily", claim)
    assert had == wire.ClaimDailyResponse(coins=100, streak_days=1, balance_coins=1_100)
    assert await wallet.by("ada", "ClaimDaily", wire.ClaimDailyRequest(command_id=str(uuid.uuid4()))) == had
    assert not (await wallet.by("ada", "GetWallet", wire.GetWalletRequest())).daily.available


async def test_stakes_are_held_for_the_table_service_and_the_statement_says_so(wallet: Asked) -> None:
    for account in FOUR:
        await wallet.by(account, "GetWallet", wire.GetWalletRequest())
    assert await wallet.hold() == wire.HoldStakesResponse(outcome=wire.HOLD_OUTCOME_HELD)
    assert await wallet.hold() == wire.HoldStakesResponse(outcome=wire.HOLD_OUTCOME_EXISTS)
    assert await refused(wallet.hold(stake=105)) == "DUPLICATE_COMMAND_BODY"
    shown = await wallet.by("ada", "GetWallet", wire.GetWalletRequest())
    assert (shown.balance_coins, shown.held_coins) == (900, 100)
    listed = await wallet.by("ada", "ListTransfers", wire.ListTransfersRequest())
    assert list(listed.lines) == [
        wire.StatementLine(
            at_ms=wallet.clock.now_ms(),
            cause=wire.TRANSFER_CAUSE_STAKE,
            coins=-100,
            balance_after_coins=900,
            match_id=wallet.match(1),
        ),
        wire.StatementLine(
            at_ms=wallet.clock.now_ms(), cause=wire.TRANSFER_CAUSE_WELCOME, coins=1_000, balance_after_coins=1_000
        ),
    ]
    assert listed.before == 0


async def test_whose_stake_is_missing_is_told_by_seat(wallet: Asked) -> None:
    for account in FOUR[:3]:
        await wallet.by(account, "GetWallet", wire.GetWalletRequest())
    assert await wallet.hold(stake=1_005) == wire.HoldStakesResponse(
        outcome=wire.HOLD_OUTCOME_REFUSED,
        obstacles=[
            *(Obstacle(seat=seat, reason=wire.STAKE_OBSTACLE_TOO_FEW_COINS) for seat in range(3)),
            Obstacle(seat=3, reason=wire.STAKE_OBSTACLE_GUEST),
        ],
    )


async def test_who_waits_to_be_paid_for_the_match_before_is_not_called_too_poor(
    wallet: Asked,
) -> None:
    for account in FOUR:
        await wallet.by(account, "GetWallet", wire.GetWalletRequest())
    assert (await wallet.hold(1, stake=1_000)).outcome == wire.HOLD_OUTCOME_HELD
    assert await refused(wallet.hold(2, stake=1_000)) == "DEPENDENCY_AWAY"
    elsewhere = wire.HoldStakesRequest(
        match_id=wallet.match(3), table_id=str(uuid.uuid4()), stake_coins=5, account_ids=map(wallet.account, FOUR)
    )
    answer = await wallet.by_service("table", "HoldStakes", elsewhere)
    assert [each.reason for each in answer.obstacles] == [wire.STAKE_OBSTACLE_TOO_FEW_COINS] * 4


async def test_the_lobby_asks_of_anybody_and_a_player_of_itself(wallet: Asked) -> None:
    request = wire.CheckStakeRequest(account_id=wallet.account("ada"), stake_coins=1_005)
    guest = wire.CheckStakeResponse(obstacles=[wire.STAKE_OBSTACLE_GUEST])
    poor = wire.CheckStakeResponse(obstacles=[wire.STAKE_OBSTACLE_TOO_FEW_COINS])
    assert await wallet.by_service("lobby", "CheckStake", request) == guest
    assert await wallet.by("ada", "CheckStake", request) == poor
    assert await wallet.by_service("lobby", "CheckStake", request) == poor
    assert await refused(wallet.by("bob", "CheckStake", request)) == "ROLE_NOT_ADMITTED"


async def test_a_statement_is_read_page_by_page(wallet: Asked) -> None:
    for account in FOUR:
        await wallet.by(account, "GetWallet", wire.GetWalletRequest())
    for number in range(1, 8):
        await wallet.hold(number, 5 * number)
    whole = (await wallet.by("ada", "ListTransfers", wire.ListTransfersRequest())).lines
    assert [line.coins for line in whole] == [-35, -30, -25, -20, -15, -10, -5, 1_000]
    read, before = [], 0
    while True:
        page = await wallet.by("ada", "ListTransfers", wire.ListTransfersRequest(page_size=3, before=before))
        read += page.lines
        if not (before := page.before):
            break
    assert read == list(whole)


@pytest.mark.parametrize(
    ("stake", "accounts"),
    [(0, FOUR), (7, FOUR), (1_000_005, FOUR), (5, FOUR[:3]), (5, ("ada", "ada")), (5, ("ada", "")), (5, ())],
)
async def test_stakes_that_could_never_be_held_are_refused(
    wallet: Asked, stake: int, accounts: tuple[str, ...]
) -> None:
    assert await refused(wallet.hold(stake=stake, accounts=accounts)) == "BAD_REQUEST"


async def test_scenario_11_a_clients_own_figure_is_nowhere_asked_for(wallet: Asked) -> None:
    """What a player sends names no balance and no account: whose coins they are the token says, how many the ledger."""
    asked = {
        field.name
        for name, method in wire.DESCRIPTOR.services_by_name["WalletService"].methods_by_name.items()
        if name != "HoldStakes"  # which services call
        for field in method.input_type.fields
    }
    assert asked == {"command_id", "page_size", "before", "account_id", "stake_coins"}
    other = wire.CheckStakeRequest(account_id=wallet.account("bob"), stake_coins=5)
    assert await refused(wallet.by("ada", "CheckStake", other)) == "ROLE_NOT_ADMITTED"
    stakes = wire.HoldStakesRequest(
        match_id=wallet.match(1), table_id=TABLE_ID, stake_coins=5, account_ids=map(wallet.account, FOUR)
    )
    assert await refused(wallet.by("ada", "HoldStakes", stakes)) == "ROLE_NOT_ADMITTED"
    more = wire.ClaimDailyRequest(command_id=str(uuid.uuid4()))
    more.MergeFromString(b"\x10\xc0\x84\x3d")  # a field of a client's own: 1,000,000
    assert (await wallet.by("ada", "ClaimDaily", more)).balance_coins == 1_100


def audited(wallet: Asked, what: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(wallet.path) as database:
        query = "SELECT operator, target, reason, outcome FROM audit WHERE what = ? ORDER BY id"
        return database.execute(query, (what,)).fetchall()


async def test_an_operator_follows_a_match_reads_accounts_and_it_is_written_down(wallet: Asked) -> None:
    for account in FOUR:
        await wallet.by(account, "GetWallet", wire.GetWalletRequest())
    await wallet.hold()
    trace = await wallet.operator("TraceMatch", ledger.TraceMatchRequest(match_id=wallet.match(1)))
    assert (trace.table_id, trace.stake_coins, trace.escrow_coins, trace.outcome) == (TABLE_ID, 100, 400, "")
    assert [(one.debit, one.coins, one.credit_after_coins) for one in trace.transfers] == [
        (f"player:{wallet.account(name)}", 100, 100 * number) for number, name in enumerate(FOUR, 1)
    ]
    account = f"player:{wallet.account('ada')}"
    statement = await wallet.operator("AccountStatement", ledger.AccountStatementRequest(account=account))
    assert statement.balance_coins == 900
    assert [one.cause for one in statement.transfers] == [wire.TRANSFER_CAUSE_STAKE, wire.TRANSFER_CAUSE_WELCOME]
    balance = await wallet.operator("TrialBalance", ledger.TrialBalanceRequest())
    assert [line.kind for line in balance.lines] == ["escrow", "fees", "mint", "player"]
    assert balance.total_coins == 0 < balance.transfers
    nobody = ledger.AccountStatementRequest(account="player:nobody")
    assert await refused(wallet.operator("AccountStatement", nobody)) == "NO_SUCH_ACCOUNT"
    nothing = ledger.TraceMatchRequest(match_id=wallet.match(9))
    assert await refused(wallet.operator("TraceMatch", nothing)) == "NO_SUCH_MATCH"
    assert audited(wallet, "trace")[-2:] == [
        ("samira", wallet.match(1), "", "done"),
        ("samira", wallet.match(9), "", "NO_SUCH_MATCH"),
    ]
    assert audited(wallet, "statement")[-2:] == [
        ("samira", account, "", "done"),
        ("samira", "player:nobody", "", "NO_SUCH_ACCOUNT"),
    ]
    assert audited(wallet, "balance")[-1] == ("samira", "", "", "done")


async def test_nobody_but_an_operator_asks_the_ledger(wallet: Asked) -> None:
    token = bearer(wallet.token("ada"))
    for method in ("TrialBalance", "AccountStatement", "TraceMatch", "CheckLedger"):
        request = getattr(ledger, f"{method}Request")()
        assert await refused(getattr(wallet.ledger, method)(request, metadata=token)) == "ROLE_NOT_ADMITTED"


async def test_a_ledger_that_does_not_hold_together_says_so_and_takes_no_writes_until_it_is_reopened(
    wallet: Asked,
) -> None:
    await wallet.by("ada", "GetWallet", wire.GetWalletRequest())
    account = f"player:{wallet.account('ada')}"

    async def serves(service: str) -> bool:
        await wallet.app.check_ready()
        answer = await wallet.health.Check(HealthCheckRequest(service=service))
        return bool(answer.status == HealthCheckResponse.SERVING)

    def lose(coins: int) -> None:
        with sqlite3.connect(wallet.path) as database:
            (trigger,) = database.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'accounts_keep_balance'"
            ).fetchone()
            database.execute("DROP TRIGGER accounts_keep_balance")
            database.execute("UPDATE accounts SET balance = balance - ? WHERE account_id = ?", (coins, account))
            database.execute(trigger)

    lose(5)
    checked = await wallet.operator("CheckLedger", ledger.CheckLedgerRequest())
    assert [breach.rule for breach in checked.breaches] == ["balance", "sum"]
    assert checked.read_only_since_ms == wallet.clock.now_ms()
    assert not await serves("banakil.wallet.v1.WalletService")
    assert await serves("banakil.wallet.v1.LedgerService")
    assert await serves("")
    claim = wire.ClaimDailyRequest(command_id=str(uuid.uuid4()))
    assert await refused(wallet.by("ada", "ClaimDaily", claim)) == "LEDGER_READ_ONLY"
    assert await refused(wallet.hold()) == "LEDGER_READ_ONLY"
    shown = await wallet.by("bob", "GetWallet", wire.GetWalletRequest())
    assert (shown.named, shown.balance_coins, shown.HasField("daily")) == (True, 0, False)
    lose(-5)
    assert (await wallet.operator("CheckLedger", ledger.CheckLedgerRequest())).read_only_since_ms
    assert await refused(wallet.operator("CheckLedger", ledger.CheckLedgerRequest(reopen=True))) == "BAD_REQUEST"
    reopened = await wallet.operator("CheckLedger", ledger.CheckLedgerRequest(reopen=True, reason="mended"))
    assert (len(reopened.breaches), reopened.read_only_since_ms) == (0, 0)
    assert (await wallet.by("ada", "ClaimDaily", claim)).balance_coins == 1_100
    assert await serves("banakil.wallet.v1.WalletService")
    assert audited(wallet, "reopen") == [("samira", "", "mended", "done")]
