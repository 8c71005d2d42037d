"""``banakil admin``: what those who run the system ask of the table service."""

import asyncio
import getpass
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

Address = Annotated[str, typer.Option(help="host:port of the table service, or of any of its processes.")]
Key = Annotated[Path, typer.Option(help="The operators' private key, which `banakil up` or `banakil keys` makes.")]
Name = Annotated[str, typer.Option("--as", help="Your name, for the audit log.", default_factory=getpass.getuser)]
Reason = Annotated[str, typer.Option(help="Why, for the audit log.")]
Table = Annotated[str, typer.Argument(help="The table's id.")]

ADDRESS: Final = "127.0.0.1:7300"
KEY: Final = Path("data/keys/private/operator.jwk")

admin_app = typer.Typer(no_args_is_help=True, help="Look at live tables, stop and end them; each use is written down.")


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


def _ask(method: str, request_of: Callable[[Any], Any], name: str, address: str, key: Path) -> None:
    """Print the answer, or end with 1 where it is refused and 2 where the key is no use."""
    from banakil.table.v1 import admin_pb2  # noqa: PLC0415  # a second to import, which other commands are spared
    from google.protobuf.json_format import MessageToJson  # noqa: PLC0415

    from shared.kit.keys import KeyFileError  # noqa: PLC0415
    from shared.kit.status import ApiError  # noqa: PLC0415

    try:
        answer = asyncio.run(_answer(method, request_of(admin_pb2), name, address, key))
    except ApiError as refused:
        typer.echo(f"{refused.code}: {refused.message}", err=True)
        raise typer.Exit(1) from None
    except (KeyFileError, OSError, ValueError) as fault:
        typer.echo(str(fault), err=True)
        raise typer.Exit(2) from None
    print(MessageToJson(answer, always_print_fields_with_no_presence=True, ensure_ascii=False))


async def _answer(method: str, request: Any, name: str, address: str, key: Path) -> Any:
    from banakil.table.v1.admin_pb2_grpc import AdminServiceStub  # noqa: PLC0415

    from shared.kit.clients import Channels, answer, bearer  # noqa: PLC0415
    from shared.kit.clock import RealClock  # noqa: PLC0415
    from shared.kit.identity import Role, TokenIssuer  # noqa: PLC0415
    from shared.kit.keys import SigningKey  # noqa: PLC0415

    issuer = TokenIssuer(Role.OPERATOR.value, SigningKey.load(key), RealClock())
    token = issuer.for_service(Role.TABLE.value, account=name, life_ms=60_000).text
    async with Channels(None) as channels:
        stub: Any = AdminServiceStub(channels.to(address, Role.TABLE.value))
        return await answer(getattr(stub, method)(request, metadata=bearer(token)))
