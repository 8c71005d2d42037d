"""The gateway as its own process."""

from services.gateway.app import bind
from services.gateway.settings import GatewaySettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-gateway`, and `python -m services.gateway`."""
    main(GatewaySettings, bind)


if __name__ == "__main__":
    run()
