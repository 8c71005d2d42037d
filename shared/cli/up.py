"""``banakil up``: the whole platform on this machine."""

from pathlib import Path
from typing import Annotated

import typer


def up_command(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any.", min=0, max=65_535)] = 7300,
    http_port: Annotated[int, typer.Option(help="Port of the page; 0 takes any.", min=0, max=65_535)] = 7380,
    data: Annotated[Path, typer.Option(help="Folder that keeps everything; made where there is none.")] = Path("data"),
    pace: Annotated[float, typer.Option(help="Divides all waits of the game.", min=0.001, max=1_000_000)] = 1.0,
    reflection: Annotated[bool, typer.Option(help="Let tools list the gRPC services.")] = False,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "warning",
) -> None:
    """Run every service in one process, with a real nats-server.

    Prints `ready ADDRESS` (gRPC) once it is, and where the page is.
    """
    from services.allinone.platform import Platform  # noqa: PLC0415  # takes a second, which other commands are spared
    from services.allinone.up import up  # noqa: PLC0415

    def announce(address: str, page: str) -> None:
        print(f"ready {address}\nopen http://{page}/", flush=True)

    platform = Platform(data=data, port=port, http_port=http_port, pace=pace, reflection=reflection)
    raise typer.Exit(up(platform, log_level=log_level, announce=announce))
