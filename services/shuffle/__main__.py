"""Serves the shuffle service by itself: `python -m services.shuffle`."""

from services.shuffle.app import bind
from services.shuffle.settings import ShuffleSettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(ShuffleSettings, bind)
