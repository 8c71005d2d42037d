"""Serves the wallet service by itself: `python -m services.wallet`."""

from services.wallet.app import bind
from services.wallet.settings import WalletSettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-wallet`, and `python -m services.wallet`."""
    main(WalletSettings, bind)


if __name__ == "__main__":
    run()
