"""``banakil admin``: what those who run the system ask of it; here of the table service."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from shared.cli.admin_ledger import ledger_app
from shared.cli.operator_call import ADDRESS, KEY, Address, Key, Name, ask

Reason = Annotated[str, typer.Option(help="Why, for the audit log.")]
Table = Annotated[str, typer.Argument(help="The table's id.")]

admin_app = typer.Typer(no_args_is_help=True, help="Look at live tables, stop and end them; each use is written down.")
admin_app.add_typer(ledger_app, name="ledger")


@admin_app.command("tables")
def tables_command(
    name: Name,
    address: Address = ADDRESS,
    key: Key = KEY,
    after: Annotated[str, typer.Option(help="Begin after this table.")] = "",
    count: Annotated[int, typer.Option(help="How many tables at the most.", min=1, max=500)] = 100,
) -> None:
    """List the tables that are not over, and the processes that run them, as JSON."""
    _ask("ListTables", lambda wire: wire.ListTablesRequest(after_table_id=after, page_size=count), name, address, key)


@admin_app.command("inspect")
def inspect_command(table: Table, name: Name, address: Address = ADDRESS, key: Key = KEY) -> None:
    """Show what is public of a table, its clocks and who runs it, as JSON. Nobody's hand is in it."""
    _ask("Inspect", lambda wire: wire.InspectRequest(table_id=table), name, address, key)


@admin_app.command("freeze")
def freeze_command(table: Table, reason: Reason, name: Name, address: Address = ADDRESS, key: Key = KEY) -> None:
    """Have a table stand still: no action is accepted and no clock runs."""
    _ask("Freeze", lambda wire: wire.FreezeRequest(table_id=table, reason=reason), name, address, key)


@admin_app.command("unfreeze")
def unfreeze_command(table: Table, reason: Reason, name: Name, address: Address = ADDRESS, key: Key = KEY) -> None:
    """Have it go on, each clock with the time that it had."""
    _ask("Unfreeze", lambda wire: wire.UnfreezeRequest(table_id=table, reason=reason), name, address, key)


@admin_app.command("abort")
def abort_command(table: Table, reason: Reason, name: Name, address: Address = ADDRESS, key: Key = KEY) -> None:
    """End a table for good: its match has no result, and its players are free."""
    _ask("Abort", lambda wire: wire.AbortRequest(table_id=table, reason=reason), name, address, key)


@admin_app.command("drain")
def drain_command(
    process: Annotated[str, typer.Argument(help="Its id or address, as `tables` lists them.")],
    reason: Reason,
    name: Name,
    address: Address = ADDRESS,
    key: Key = KEY,
) -> None:
    """Have a process hand its tables to the others, and take none until it is started again."""
    _ask("Drain", lambda wire: wire.DrainRequest(pod=process, reason=reason), name, address, key)


def _ask(method: str, request_of: Callable[[Any], Any], name: str, address: str, key: Any) -> None:
    from banakil.table.v1 import admin_pb2, admin_pb2_grpc  # noqa: PLC0415  # a second to import

    ask("table", admin_pb2_grpc.AdminServiceStub, method, request_of(admin_pb2), name, address, key)
