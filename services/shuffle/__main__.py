"""Serves the shuffle service by itself: `python -m services.shuffle`."""

from services.shuffle.app import bind
from services.shuffle.settings import ShuffleSettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-shuffle`, and `python -m services.shuffle`."""
    main(ShuffleSettings, bind)


if __name__ == "__main__":
    run()
