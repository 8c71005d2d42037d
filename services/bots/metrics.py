"""What is counted of bots."""

from prometheus_client import Counter, Gauge, Histogram

from shared.kit.metrics import BUCKETS_S, Metrics


class BotMetrics:
    """The figures of the bots service, in its app's registry."""

    def __init__(self, metrics: Metrics) -> None:
        registry = metrics.registry
        self.seats = Gauge("banakil_bots_seats", "Seats that this process plays", registry=registry)
        self.fallbacks = Counter(
            "banakil_bots_fallbacks", "Decisions that were late, failed, or refused", registry=registry
        )
        self.decision_seconds = Histogram(
            "banakil_bots_decision_seconds", "How long decisions took", buckets=BUCKETS_S, registry=registry
        )
