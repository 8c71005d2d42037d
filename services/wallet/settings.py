"""Settings of the wallet service."""

from pydantic import Field

from shared.kit.settings import Settings


class WalletSettings(Settings, service="wallet"):
    """`BANAKIL_WALLET_...`"""

    calls_per_second: float = Field(10, gt=0, description="calls of one account in the long run")
    calls_burst: int = Field(60, ge=1, description="calls of one account at once")
