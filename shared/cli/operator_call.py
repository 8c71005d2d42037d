"""A call in an operator's name, as each ``banakil admin`` command makes one."""

import asyncio
import getpass
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

Address = Annotated[str, typer.Option(help="host:port of the service, or of any of its processes.")]
Key = Annotated[Path, typer.Option(help="The operators' private key, which `banakil up` or `banakil keys` makes.")]
Name = Annotated[str, typer.Option("--as", help="Your name, for the audit log.", default_factory=getpass.getuser)]

ADDRESS: Final = "127.0.0.1:7300"
KEY: Final = Path("data/keys/private/operator.jwk")


def ask(service: str, stub: Callable[[Any], Any], method: str, request: Any, name: str, address: str, key: Path) -> Any:
    """Print the answer and give it back, or end with 1 where it is refused and 2 where the key is no use."""
    from google.protobuf.json_format import MessageToJson  # noqa: PLC0415  # a second to import

    from shared.kit.keys import KeyFileError  # noqa: PLC0415
    from shared.kit.status import ApiError  # noqa: PLC0415

    try:
        answer = asyncio.run(_answer(service, stub, method, request, name, address, key))
    except ApiError as refused:
        typer.echo(f"{refused.code}: {refused.message}", err=True)
        raise typer.Exit(1) from None
    except (KeyFileError, OSError, ValueError) as fault:
        typer.echo(str(fault), err=True)
        raise typer.Exit(2) from None
    print(MessageToJson(answer, always_print_fields_with_no_presence=True, ensure_ascii=False))
    return answer


async def _answer(
    service: str, stub: Callable[[Any], Any], method: str, request: Any, name: str, address: str, key: Path
) -> Any:
    from shared.kit.clients import Channels, answer, bearer  # noqa: PLC0415
    from shared.kit.clock import RealClock  # noqa: PLC0415
    from shared.kit.identity import Role, TokenIssuer  # noqa: PLC0415
    from shared.kit.keys import SigningKey  # noqa: PLC0415

    issuer = TokenIssuer(Role.OPERATOR.value, SigningKey.load(key), RealClock())
    token = issuer.for_service(service, account=name, life_ms=60_000).text
    async with Channels(None) as channels:
        call = getattr(stub(channels.to(address, service)), method)
        return await answer(call(request, metadata=bearer(token)))
