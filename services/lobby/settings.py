"""What can be set of the lobby, as `BANAKIL_LOBBY_<NAME>`; `__main__` alone reads the environment."""

from pydantic import Field

from shared.kit.settings import Settings


class LobbySettings(Settings, service="lobby"):
    """See the fields."""

    table_address: str = Field("127.0.0.1:50052", description="host:port of the table service")
    wallet_address: str = Field("127.0.0.1:50054", description="host:port of the wallet")
    quick_wait_s: int = Field(15, ge=1, le=600, description="until house bots fill a quick-play room; paced")
    again_wait_s: int = Field(30, ge=1, le=600, description="the same, where players of a table play again; paced")
    coin_wait_s: int = Field(600, ge=1, le=7_200, description="until a quick-play room for coins is given up")
    room_life_s: int = Field(7_200, ge=60, le=86_400, description="until a room with a code is given up")
    most_rooms: int = Field(20_000, ge=1, le=1_000_000, description="rooms that may wait at once")
    keep_rooms_s: int = Field(86_400, ge=3_600, description="how long rooms that are over are kept")
    history_days: int = Field(365, ge=1, le=10_000, description="how long finished matches are kept")
    guests_per_minute: float = Field(6, gt=0, description="accounts that one address may make in the long run")
    guests_burst: int = Field(20, ge=1, description="accounts that one address may make at once")
    refreshes_per_minute: float = Field(60, gt=0, description="calls without a token from one address")
    refreshes_burst: int = Field(60, ge=1, description="such calls at once")
    passwords_per_hour: float = Field(30, gt=0, description="passwords tried for one user name or account")
    passwords_burst: int = Field(10, ge=1, description="such tries at once")
    password_log2_n: int = Field(15, ge=10, le=20, description="cost of hashing a password: 2^n KiB of memory, 3 times")
    calls_per_second: float = Field(5, gt=0, description="calls of one account")
    calls_burst: int = Field(40, ge=1, description="calls of one account at once")
    limit_loopback: bool = Field(False, description="whether callers on this machine are limited by address too")
