"""Serves the wallet service by itself: `python -m services.wallet`."""

from services.wallet.app import bind
from services.wallet.settings import WalletSettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(WalletSettings, bind)
