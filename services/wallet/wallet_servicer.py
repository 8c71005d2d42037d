"""WalletService: reads, orders, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

import uuid
from contextlib import suppress
from typing import Any, Final

import grpc
from banakil.wallet.v1 import wallet_pb2 as wire
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceServicer

from services.wallet.books import Hold, player_account
from services.wallet.grants import Grants
from services.wallet.holds import HoldAnswer, HoldOutcome, Holds, Obstacle, obstacles_of
from services.wallet.ids import read_account_id, read_match_id
from services.wallet.refusals import (
    BadRequestError,
    LedgerReadOnlyError,
    MatchSettledError,
    OtherHoldError,
    UnpaidMatchError,
)
from services.wallet.statements import Line, Purse, Statements
from shared.kit.identity import Role
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import principal
from shared.kit.status import ROLE_NOT_ADMITTED, NotAllowedError
from shared.rules.options import RANGES

SEATS: Final = (2, 4)
PAGE: Final = 50
MOST_ON_A_PAGE: Final = 100
_MOST_STAKE: Final = RANGES["stake"][1]
_HELD: Final = {
    HoldOutcome.HELD: wire.HOLD_OUTCOME_HELD,
    HoldOutcome.EXISTS: wire.HOLD_OUTCOME_EXISTS,
    HoldOutcome.REFUSED: wire.HOLD_OUTCOME_REFUSED,
}
Context = grpc.aio.ServicerContext[Any, Any]


class WalletServicer(WalletServiceServicer):
    """See wallet.proto. `calls` limits how often one account may ask."""

    def __init__(self, holds: Holds, grants: Grants, statements: Statements, calls: RateLimiter) -> None:
        self._holds = holds
        self._grants = grants
        self._statements = statements
        self._calls = calls

    async def HoldStakes(self, request: wire.HoldStakesRequest, _context: Context) -> wire.HoldStakesResponse:
        hold = _hold(request)
        answer = await self._holds.hold(hold)
        if short := _short(hold, answer):
            # In a series the prize of the match before may be the stake of the next: it is paid first.
            if await self._statements.is_unpaid(hold.table_id, short):
                raise UnpaidMatchError
            answer = await self._holds.hold(hold)
        if answer.outcome is HoldOutcome.DIFFERENT:
            raise OtherHoldError
        if answer.outcome is HoldOutcome.SETTLED:
            raise MatchSettledError
        return wire.HoldStakesResponse(
            outcome=_HELD[answer.outcome],
            obstacles=[
                wire.HoldStakesResponse.Obstacle(seat=seat, reason=_obstacle(obstacle))
                for seat, obstacle in answer.obstacles
            ],
        )

    async def GetWallet(self, _request: wire.GetWalletRequest, _context: Context) -> wire.GetWalletResponse:
        purse = await self._purse(self._admit())
        answer = wire.GetWalletResponse(
            balance_coins=purse.balance,
            held_coins=purse.held,
            named=principal().named or purse.player is not None,
            matches_finished=purse.matches_finished,
            matches_needed=self._holds.matches_needed,
        )
        if purse.player is not None:
            answer.daily.CopyFrom(wire.GetWalletResponse.Daily(**self._grants.daily(purse.player)._asdict()))
        return answer

    async def ClaimDaily(self, request: wire.ClaimDailyRequest, _context: Context) -> wire.ClaimDailyResponse:
        account_id = self._admit()
        command_id = _uuid(request.command_id, "command_id")
        if principal().named:
            await self._grants.open(account_id)
        claim = await self._grants.claim(account_id, command_id)
        return wire.ClaimDailyResponse(coins=claim.coins, streak_days=claim.streak_days, balance_coins=claim.balance)

    async def ListTransfers(self, request: wire.ListTransfersRequest, _context: Context) -> wire.ListTransfersResponse:
        account = player_account(self._admit())
        if request.page_size > MOST_ON_A_PAGE or request.before < 0:
            raise BadRequestError(f"a page has at most {MOST_ON_A_PAGE} lines, and begins below a line")
        lines, before = await self._statements.lines(account, request.before, request.page_size or PAGE)
        return wire.ListTransfersResponse(lines=[_line(line, account) for line in lines], before=before)

    async def CheckStake(self, request: wire.CheckStakeRequest, _context: Context) -> wire.CheckStakeResponse:
        account_id, stake = read_account_id(request.account_id), _stake(request.stake_coins)
        if principal().role is not Role.LOBBY and account_id != self._admit():
            raise NotAllowedError(ROLE_NOT_ADMITTED, "a player asks of itself alone")
        purse = await self._purse(account_id)
        balance = purse.balance if purse.player is not None else None
        obstacles = obstacles_of(balance, purse.matches_finished, stake, self._holds.matches_needed)
        return wire.CheckStakeResponse(obstacles=map(_obstacle, obstacles))

    async def _purse(self, account_id: str) -> Purse:
        """What the account has; one that is named and asks for itself is opened by that."""
        purse = await self._statements.purse(account_id)
        caller = principal()
        if purse.player is None and caller.named and caller.account == account_id:
            with suppress(LedgerReadOnlyError):
                await self._grants.open(account_id)
                purse = await self._statements.purse(account_id)
        return purse

    def _admit(self) -> str:
        account_id = principal().account
        self._calls.admit(account_id, "RATE_LIMITED")
        return account_id


def _hold(request: wire.HoldStakesRequest) -> Hold:
    accounts = tuple(map(read_account_id, request.account_ids))
    if len(accounts) not in SEATS or len(set(accounts)) < len(accounts):
        raise BadRequestError("two or four accounts play, none twice")
    return Hold(
        read_match_id(request.match_id), _uuid(request.table_id, "table_id"), _stake(request.stake_coins), accounts
    )


def _short(hold: Hold, answer: HoldAnswer) -> list[str]:
    """Who has too few coins, where nothing else is in the way."""
    is_all = all(obstacle is Obstacle.TOO_FEW_COINS for _, obstacle in answer.obstacles)
    return [hold.account_ids[seat] for seat, _ in answer.obstacles] if is_all else []


def _stake(coins: int) -> int:
    if not 0 < coins <= _MOST_STAKE or coins % 5:
        raise BadRequestError(f"a stake is 5 to {_MOST_STAKE} coins, in fives")
    return coins


def _uuid(text: str, name: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise BadRequestError(f"{name} is a UUID") from None


def _obstacle(obstacle: Obstacle) -> wire.StakeObstacle.ValueType:
    return wire.StakeObstacle.Value(f"STAKE_OBSTACLE_{obstacle}")


def _line(line: Line, account: str) -> wire.StatementLine:
    came = line.credit == account
    return wire.StatementLine(
        at_ms=line.at_ms,
        cause=wire.TransferCause.Value(f"TRANSFER_CAUSE_{line.cause}"),
        coins=line.coins if came else -line.coins,
        balance_after_coins=line.credit_after if came else line.debit_after,
        match_id=line.match_id,
    )
