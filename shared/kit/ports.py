"""A port to listen at, chosen before who listens there is started."""

import random
import socket
from typing import Final

_PORTS: Final = range(20_000, 30_000)
"""Below those that kernels hand out by themselves: nobody gets one by chance between its choice and its use."""
_TRIES: Final = 100
_random: Final = random.SystemRandom()


def free_port() -> int:
    """A port of the loopback at which nobody listens now. Raises OSError where none is found."""
    for _ in range(_TRIES):
        port = _random.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no port is free between {_PORTS.start} and {_PORTS.stop}")
