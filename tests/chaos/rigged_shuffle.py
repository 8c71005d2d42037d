"""The shuffle service, but for the cards: whoever starts a deal can go out at once. All that is proven is as ever."""

from unittest.mock import patch

from services.shuffle.__main__ import run
from services.shuffle.ceremonies import Ceremonies
from tests.sim.coin_services import rigged_deck

if __name__ == "__main__":
    with patch.object(Ceremonies, "_deck", lambda *_: rigged_deck()):
        run()
