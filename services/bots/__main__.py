"""The bots service as its own process."""

from services.bots.app import bind
from services.bots.settings import BotsSettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-bots`, and `python -m services.bots`."""
    main(BotsSettings, bind)


if __name__ == "__main__":
    run()
