"""LedgerService: what operators ask of the ledger, each use written down before it is done."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import grpc
from banakil.wallet.v1 import ledger_pb2 as wire
from banakil.wallet.v1 import wallet_pb2
from banakil.wallet.v1.ledger_pb2_grpc import LedgerServiceServicer

from services.wallet.checking import Checker
from services.wallet.ids import read_match_id
from services.wallet.refusals import BadRequestError, UnknownAccountError, UnknownStakesError
from services.wallet.statements import Line, Statements
from shared.kit.audit import Audit
from shared.kit.identity import Role
from shared.kit.rpc_context import principal

PAGE: Final = 100
MOST_ON_A_PAGE: Final = 500
REASON_CHARS: Final = 200
ACCOUNT_CHARS: Final = 80
_T = TypeVar("_T")
Context = grpc.aio.ServicerContext[Any, Any]


class LedgerServicer(LedgerServiceServicer):
    """See ledger.proto."""

    def __init__(self, statements: Statements, checker: Checker, audit: Audit) -> None:
        self._statements = statements
        self._checker = checker
        self._audit = audit

    async def TrialBalance(self, _request: wire.TrialBalanceRequest, _context: Context) -> wire.TrialBalanceResponse:
        async def balanced() -> wire.TrialBalanceResponse:
            balance = await self._statements.trial_balance()
            return wire.TrialBalanceResponse(
                lines=[
                    wire.TrialBalanceResponse.Line(kind=kind, accounts=accounts, balance_coins=coins)
                    for kind, accounts, coins in balance.lines
                ],
                total_coins=sum(coins for _, _, coins in balance.lines),
                transfers=balance.transfers,
            )

        return await self._noting("balance", "", "", balanced)

    async def AccountStatement(
        self, request: wire.AccountStatementRequest, _context: Context
    ) -> wire.AccountStatementResponse:
        account = request.account
        if not 0 < len(account) <= ACCOUNT_CHARS or not account.isprintable():
            raise BadRequestError(f"an account has a name of 1 to {ACCOUNT_CHARS} characters, all printable")
        if request.page_size > MOST_ON_A_PAGE or request.before < 0:
            raise BadRequestError(f"a page has at most {MOST_ON_A_PAGE} transfers, and begins below one")

        async def stated() -> wire.AccountStatementResponse:
            balance = await self._statements.balance(account)
            if balance is None:
                raise UnknownAccountError
            lines, before = await self._statements.lines(account, request.before, request.page_size or PAGE)
            return wire.AccountStatementResponse(balance_coins=balance, transfers=map(_transfer, lines), before=before)

        return await self._noting("statement", account, "", stated)

    async def TraceMatch(self, request: wire.TraceMatchRequest, _context: Context) -> wire.TraceMatchResponse:
        match_id = read_match_id(request.match_id)

        async def traced() -> wire.TraceMatchResponse:
            trace = await self._statements.trace(match_id)
            if trace is None:
                raise UnknownStakesError
            return wire.TraceMatchResponse(
                table_id=trace.table_id,
                stake_coins=trace.stake_coins,
                account_ids=trace.account_ids,
                held_at_ms=trace.held_ms,
                outcome=trace.outcome,
                cause=trace.cause,
                settled_at_ms=trace.settled_ms,
                escrow_coins=trace.escrow,
                transfers=map(_transfer, trace.lines),
            )

        return await self._noting("trace", match_id, "", traced)

    async def CheckLedger(self, request: wire.CheckLedgerRequest, _context: Context) -> wire.CheckLedgerResponse:
        reason = request.reason
        if len(reason) > REASON_CHARS or not reason.isprintable() or (request.reopen and not reason):
            raise BadRequestError(
                f"a reason has up to {REASON_CHARS} characters, all printable, and one is needed to reopen"
            )

        async def checked() -> wire.CheckLedgerResponse:
            report = await (self._checker.reopen() if request.reopen else self._checker.check())
            return wire.CheckLedgerResponse(
                breaches=[
                    wire.CheckLedgerResponse.Breach(rule=breach.rule, detail=breach.detail)
                    for breach in report.breaches
                ],
                accounts=report.accounts,
                transfers=report.transfers,
                read_only_since_ms=await self._checker.read_only_since(),
            )

        return await self._noting("reopen" if request.reopen else "check", "", reason, checked)

    async def _noting(self, what: str, target: str, reason: str, work: Callable[[], Awaitable[_T]]) -> _T:
        return await self._audit.noting(principal().account or Role.OPERATOR.value, what, target, reason, work)


def _transfer(line: Line) -> wire.LedgerTransfer:
    return wire.LedgerTransfer(
        transfer_id=line.transfer_id,
        at_ms=line.at_ms,
        cause=wallet_pb2.TransferCause.Value(f"TRANSFER_CAUSE_{line.cause}"),
        debit=line.debit,
        credit=line.credit,
        coins=line.coins,
        debit_after_coins=line.debit_after,
        credit_after_coins=line.credit_after,
        match_id=line.match_id,
        key=line.key,
    )
