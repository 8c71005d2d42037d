"""What is counted for Prometheus, in a registry of its own so that two apps in one process do not collide."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """The registry and the figures of the kit itself. Services register their own in :attr:`registry`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "banakil_rpcs", "RPCs that ended, by method and gRPC code", ["method", "code"], registry=self.registry
        )
        self._seconds = Histogram(
            "banakil_unary_seconds", "How long unary RPCs took", ["method"], buckets=BUCKETS_S, registry=self.registry
        )
        self.open_streams = Gauge("banakil_open_streams", "Streams being served", registry=self.registry)
        self.outbox_rows = Gauge("banakil_outbox_rows", "Facts waiting to be published", registry=self.registry)
        self.facts = Counter(
            "banakil_facts", "Facts received, by consumer and outcome", ["consumer", "outcome"], registry=self.registry
        )

    def rpc(self, method: str, *, unary: bool) -> Callable[[str, float], None]:
        """A function that counts one RPC of ``method``, given its code's name and how long it took in seconds."""
        seconds = self._seconds.labels(method) if unary else None
        by_code: dict[str, Counter] = {}

        def count(code: str, took_s: float) -> None:
            counter = by_code.get(code)
            if counter is None:
                counter = by_code[code] = self._calls.labels(method, code)
            counter.inc()
            if seconds is not None:
                seconds.observe(took_s)

        return count

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[None]:
        """Serves the registry at ``/metrics`` on a thread of its own."""
        server, thread = start_http_server(port, addr=host, registry=self.registry)
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
