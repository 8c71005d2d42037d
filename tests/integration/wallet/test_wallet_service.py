"""Stakes and purses, asked for over a real socket."""

import uuid
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import grpc
import pytest
from banakil.wallet.v1 import wallet_pb2 as wire
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.wallet.app import bind
from services.wallet.settings import WalletSettings
from shared.kit.app import App
from shared.kit.clients import Channels, bearer
from shared.kit.clock import VirtualClock
from shared.kit.status import api_error
from tests.support.kit import Identities
from tests.support.purses import FOUR, TABLE_ID, match_id

Obstacle = wire.HoldStakesResponse.Obstacle


class Asked:
    """A running service, with the tokens of who asks."""

    def __init__(self, stub: Any, identities: Identities, clock: VirtualClock) -> None:
        self.stub = stub
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
        token = self._identities.player(self.account(account), named=named)
        return await getattr(self.stub, method)(request, metadata=bearer(token))

    async def by_service(self, service: str, method: str, request: Any) -> Any:
        """As another service."""
        token = self._identities.credentials(service).token("wallet")
        return await getattr(self.stub, method)(request, metadata=bearer(token))

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
    settings = WalletSettings.load(
        database_url=f"sqlite:///{tmp_path_factory.mktemp('wallet') / 'wallet.db'}",
        nats_url="nats://127.0.0.1:1",
        matches_needed=0,
        calls_burst=10_000,
    )
    app = App(verifier=identities.verifier("wallet"), clock=clock)
    async with app.serving(lambda app: bind(app, settings)), Channels(None) as channels:
        yield Asked(WalletServiceStub(channels.to(app.address, "wallet")), identities, clock)


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
