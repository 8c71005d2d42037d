"""Serves the lobby by itself: `python -m services.lobby`."""

from services.lobby.app import bind
from services.lobby.settings import LobbySettings
from shared.kit.entry import main

if __name__ == "__main__":
    main(LobbySettings, bind)
