"""The configuration of NATS in a cluster: the same users, limits and store as those of the embedded nats-server.

It holds no password. It includes files that only NATS can read: ``passwords.conf`` (:func:`passwords_config`) and,
where there are several servers, ``cluster.conf`` (:func:`routes_config`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from shared.kit.nats_server import BusUser, common_config

SERVERS: Final = 3
CLIENT_PORT: Final = 4222
CLUSTER_PORT: Final = 6222
MONITOR_PORT: Final = 8222
STORE: Final = "/data"
LAME_DUCK_S: Final = 30
"""How long a server that is told to leave takes to send its clients to the others."""
_USER: Final = "cluster"
_VARIABLE: Final = re.compile(r'"(\$[A-Z_]+)"')


def server_config(users: Iterable[BusUser], *, clustered: bool) -> str:
    """``nats.conf`` of each of the :data:`SERVERS` pods ``nats-0`` ..., or of the only one."""
    users = list(users)
    config: dict[str, Any] = {
        "server_name": "$POD_NAME",
        "port": CLIENT_PORT,
        "http_port": MONITOR_PORT,
        "pid_file": "/tmp/nats.pid",
        "lame_duck_duration": f"{LAME_DUCK_S}s",
        **common_config(STORE, users, {user.name: _variable(user.name) for user in users}),
    }
    lines = [f"{name}: {json.dumps(value, indent=1)}\n" for name, value in config.items()]
    # Quoted, a variable would be a password like any other.
    text = "include ./passwords.conf\n" + _VARIABLE.sub(r"\1", "".join(lines))
    return text + f"cluster: {{\n name: banakil\n port: {CLUSTER_PORT}\n include ./cluster.conf\n}}\n" * clustered


def passwords_config(passwords: Mapping[str, str]) -> str:
    """``passwords.conf``, with the password of each user and of no other: NATS refuses what it does not use."""
    return "".join(f"{_variable(user)[1:]}: {json.dumps(password)}\n" for user, password in passwords.items())


def routes_config(password: str) -> str:
    """``cluster.conf``: how the servers find one another behind the Service ``nats-peers``, and know one another by a
    password without a sign that a URL has a use for."""
    routes = [f"nats-route://{_USER}:{password}@nats-{number}.nats-peers:{CLUSTER_PORT}" for number in range(SERVERS)]
    return (
        f"authorization: {json.dumps({'user': _USER, 'password': password})}\nroutes: {json.dumps(routes, indent=1)}\n"
    )


def _variable(user: str) -> str:
    return f"${user.upper()}_PASSWORD"
