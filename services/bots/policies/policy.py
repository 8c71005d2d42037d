"""What a policy is."""

from typing import Protocol

from shared.rules.actions import SeatAction
from shared.rules.views import View


class Policy(Protocol):
    """A way to play. It sees what its seat sees and nothing else, and keeps nothing from one choice to the next."""

    def choose(self, view: View) -> SeatAction:
        """A legal action for the seat that sees this view, whose turn it is.

        Raises ``ValueError`` for a view of the public, of an ended deal, or of one that waits for a new stock (R6.1).
        """
