"""Serves the lobby by itself: `python -m services.lobby`."""

from services.lobby.app import bind
from services.lobby.settings import LobbySettings
from shared.kit.entry import main


def run() -> None:
    """Serves until told to stop: `banakil-lobby`, and `python -m services.lobby`."""
    main(LobbySettings, bind)


if __name__ == "__main__":
    run()
