"""The table service's settings (``BANAKIL_TABLE_...``)."""

from pathlib import Path

from pydantic import Field

from shared.kit.settings import Settings


class TableSettings(Settings, service="table"):
    """Besides what every service has."""

    shuffle_address: str = Field("127.0.0.1:50053", description="host:port of the shuffle service")
    wallet_address: str = Field("127.0.0.1:50055", description="host:port of the wallet service")
    advertise: str = Field("", description="host:port at which others reach this process; empty: where it listens")
    archive_after_s: int = Field(86_400, ge=60, description="until of a table that is over its records alone are kept")
    records_days: int = Field(365, ge=1, le=10_000, description="how long records of finished matches are kept")
    sealing_keys: Path = Field(Path("keys/table-seal"), description="folder with the keys that seal decks")
