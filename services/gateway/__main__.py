"""The gateway as its own process."""

from services.gateway.app import bind
from services.gateway.settings import GatewaySettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(GatewaySettings, bind)
