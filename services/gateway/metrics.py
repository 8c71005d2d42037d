"""What the gateway counts."""

from prometheus_client import Counter, Gauge

from shared.kit.metrics import Metrics


class GatewayMetrics:
    """Registered once for each app."""

    def __init__(self, metrics: Metrics) -> None:
        self.sockets = Gauge("banakil_sockets", "Sockets open now", registry=metrics.registry)
        self.byes = Counter(
            "banakil_socket_byes", "Sockets ended by the server, by reason", ["code"], registry=metrics.registry
        )
        self.calls = Counter(
            "banakil_api_calls", "API calls, by path and code", ["path", "code"], registry=metrics.registry
        )
