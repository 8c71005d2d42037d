"""The gateway's settings (``BANAKIL_GATEWAY_...``)."""

from pathlib import Path

from pydantic import Field

from shared.kit.settings import Settings

PAGE: Path = Path(__file__).parent / "web" / "dist"


class GatewaySettings(Settings, service="gateway"):
    """Besides what every service has; of that it uses no database and no bus."""

    http_listen: str = Field("127.0.0.1:8080", description="host:port for the page, the API and the sockets")
    lobby_address: str = Field("127.0.0.1:50051", description="host:port of the lobby")
    table_address: str = Field("127.0.0.1:50052", description="host:port of the table service")
    shuffle_address: str = Field("127.0.0.1:50053", description="host:port of the shuffle service")
    wallet_address: str = Field("127.0.0.1:50054", description="host:port of the wallet service")
    page: Path = Field(PAGE, description="folder with the built page")
    allowed_origins: str = Field("", description="origins besides the own host's that may open sockets, by comma")
    trusted_proxies: str = Field("", description="addresses or networks whose X-Forwarded-For is believed, by comma")
    most_sockets: int = Field(5_000, ge=1, le=10_000, description="sockets open at once")
    sockets_per_account: int = Field(4, ge=1, le=100, description="one more closes the account's oldest")
    sockets_per_address: int = Field(100, ge=1, le=10_000, description="sockets that one address may have open")
    guests_per_minute: float = Field(6, gt=0, description="accounts that one address may make in the long run")
    guests_burst: int = Field(20, ge=1, description="accounts that one address may make at once")
    passwords_per_minute: float = Field(6, gt=0, description="passwords that one address may try in the long run")
    passwords_burst: int = Field(20, ge=1, description="passwords that one address may try at once")
    records_per_minute: float = Field(30, gt=0, description="records that one address may fetch in the long run")
    records_burst: int = Field(30, ge=1, description="records that one address may fetch at once")
    calls_per_second: float = Field(20, gt=0, description="API calls from one address in the long run")
    calls_burst: int = Field(200, ge=1, description="API calls from one address at once")
    limit_loopback: bool = Field(False, description="whether callers on this machine are limited by address too")
