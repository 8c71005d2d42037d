"""The bots service as its own process."""

from services.bots.app import bind
from services.bots.settings import BotsSettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(BotsSettings, bind)
