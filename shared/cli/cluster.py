"""``banakil keys`` and ``banakil nats-config``: what a cluster needs before the manifests of deploy/k8s are applied."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Newer(StrEnum):
    """Which keys are numbered."""

    TABLE_SEAL = "table-seal"
    SHUFFLE_SEAL = "shuffle-seal"
    SHUFFLE_SIGN = "shuffle-sign"


def keys_command(
    folder: Annotated[Path, typer.Argument(help="Made where there is none; what is in it is kept.")],
    add: Annotated[Newer | None, typer.Option(help="Make a newer key too; the older ones stay.")] = None,
) -> None:
    """Make all keys and passwords of a cluster, as files that `kubectl apply -k FOLDER` makes its Secrets of."""
    from services.allinone.key_folder import add_key, make_keys  # noqa: PLC0415  # a second, which others are spared
    from shared.kit.keys import KeyFileError  # noqa: PLC0415

    try:
        if add is None:
            make_keys(folder)
        else:
            add_key(folder, add.value)
    except (OSError, KeyFileError) as refusal:
        typer.echo(str(refusal), err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{folder} holds the keys; kubectl apply -k {folder}")


def nats_config_command(
    clustered: Annotated[bool, typer.Option(help="One of three servers, or the only one.")] = True,
) -> None:
    """Print nats.conf: a user for each service with exactly the subjects that it needs, and no password."""
    from services.allinone.platform import BUS_USERS  # noqa: PLC0415
    from shared.kit.nats_cluster import server_config  # noqa: PLC0415

    print(server_config(BUS_USERS, clustered=clustered), end="")
