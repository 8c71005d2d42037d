"""Settings of the bots service (``BANAKIL_BOTS_...``)."""

from pydantic import Field

from shared.kit.settings import Settings


class BotsSettings(Settings, service="bots"):
    """Besides what every service has."""

    table_address: str = Field("127.0.0.1:50052", description="host:port of the table service")
    policy: str = Field("", description="how all seats taken from now on are played; empty: each by its level")
    budget_ms: int = Field(1_000, ge=1, le=60_000, description="how long one decision may take")
    most_seats: int = Field(1_000, ge=1, le=20_000, description="seats that this process plays at the most")
