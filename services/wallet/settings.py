"""Settings of the wallet service."""

from pydantic import Field

from shared.kit.settings import Settings


class WalletSettings(Settings, service="wallet"):
    """`BANAKIL_WALLET_...`"""

    calls_per_second: float = Field(10, gt=0, description="calls of one account in the long run")
    calls_burst: int = Field(60, ge=1, description="calls of one account at once")
    check_every_ms: int = Field(5_000, ge=100, le=3_600_000, description="how often the ledger is looked at")
    table_address: str = Field("127.0.0.1:50052", description="host:port of the table service")
    shuffle_address: str = Field("127.0.0.1:50053", description="host:port of the shuffle service")
    proof_patience_s: int = Field(86_400, ge=1, description="for so long after a match for coins its proof may come")
    ask_after_s: int = Field(3_600, ge=1, description="after so long without a word a table is asked about its stakes")
    signs_days: int = Field(30, ge=1, le=365, description="how far back signs of coins lost on purpose are looked for")
    day_offset_minutes: int = Field(180, ge=-720, le=840, description="the day of bonuses begins so long before UTC's")
    welcome_coins: int = Field(1_000, ge=0, le=1_000_000, description="given once, with an account's name")
    daily_coins: int = Field(100, ge=0, le=1_000_000, description="the bonus of the first day in a row")
    daily_step_coins: int = Field(20, ge=0, le=1_000_000, description="so much more on each further day")
    daily_most_coins: int = Field(300, ge=0, le=1_000_000, description="the most that a day's bonus comes to")
    free_win_coins: int = Field(20, ge=0, le=1_000_000, description="for a match won at a free table")
    free_wins_a_day: int = Field(5, ge=0, le=1_000, description="how many of those a day")
    matches_needed: int = Field(3, ge=0, le=1_000, description="finished ones, for a table with a stake")
