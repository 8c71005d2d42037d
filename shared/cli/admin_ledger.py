"""``banakil admin ledger``: what those who run the system ask of the wallet service."""

from typing import Annotated, Any

import typer

from shared.cli.operator_call import ADDRESS, KEY, Address, Key, Name, ask

ledger_app = typer.Typer(no_args_is_help=True, help="Look at the ledger of coins; each use is written down.")


@ledger_app.command("balance")
def balance_command(name: Name, address: Address = ADDRESS, key: Key = KEY) -> None:
    """Add up what accounts have, by their kind; it all comes to zero."""
    _ask("TrialBalance", {}, name, address, key)


@ledger_app.command("statement")
def statement_command(
    account: Annotated[str, typer.Argument(help="player:<account id>, escrow:<match id>, fees, or mint.")],
    name: Name,
    address: Address = ADDRESS,
    key: Key = KEY,
    before: Annotated[int, typer.Option(help="Begin below this transfer.", min=0)] = 0,
    count: Annotated[int, typer.Option(help="How many transfers at the most.", min=1, max=500)] = 100,
) -> None:
    """List what moved an account's coins, the newest first."""
    _ask("AccountStatement", {"account": account, "before": before, "page_size": count}, name, address, key)


@ledger_app.command("trace")
def trace_command(
    match: Annotated[str, typer.Argument(help="The match's id.")],
    name: Name,
    address: Address = ADDRESS,
    key: Key = KEY,
) -> None:
    """Follow the coins of a match from its stakes to where they went."""
    _ask("TraceMatch", {"match_id": match}, name, address, key)


@ledger_app.command("check")
def check_command(
    name: Name,
    address: Address = ADDRESS,
    key: Key = KEY,
    reopen: Annotated[bool, typer.Option("--reopen", help="Have a ledger that is whole take writes again.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for the audit log; needed to reopen it.")] = "",
) -> None:
    """Check the whole ledger; ends with 1 where something does not hold, or it is read-only."""
    answer = _ask("CheckLedger", {"reopen": reopen, "reason": reason}, name, address, key)
    if answer.breaches or answer.read_only_since_ms:
        raise typer.Exit(1)


def _ask(method: str, fields: dict[str, Any], name: str, address: str, key: Any) -> Any:
    from banakil.wallet.v1 import ledger_pb2, ledger_pb2_grpc  # noqa: PLC0415  # a second to import

    request = getattr(ledger_pb2, f"{method}Request")(**fields)
    return ask("wallet", ledger_pb2_grpc.LedgerServiceStub, method, request, name, address, key)
