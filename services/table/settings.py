"""The table service's settings (``BANAKIL_TABLE_...``)."""

from pathlib import Path

from pydantic import Field

from shared.kit.settings import Settings


class TableSettings(Settings, service="table"):
    """Besides what every service has."""

    shuffle_address: str = Field("127.0.0.1:50053", description="host:port of the shuffle service")
    sealing_keys: Path = Field(Path("keys/table-seal"), description="folder with the keys that seal decks")
