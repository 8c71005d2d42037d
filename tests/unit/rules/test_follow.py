"""Following a deal from a view: what can't follow is refused. That what can gives the right view, test_wire shows."""

import pytest

from shared.rules.cards import FULL_DECK, parse_card
from shared.rules.events import Amended, Discarded
from shared.rules.follow import follow
from shared.rules.melds import Meld
from shared.rules.options import SAHRAT
from shared.rules.state import start_deal
from shared.rules.views import SeenDrew, view_of

VIEW = view_of(start_deal(SAHRAT, 0, FULL_DECK), 0)


def test_ones_own_card_has_to_be_shown() -> None:
    with pytest.raises(ValueError, match="not shown"):
        follow(VIEW, SeenDrew(0, None))


def test_a_card_that_the_viewer_does_not_hold_cannot_leave_its_hand() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        follow(VIEW, Discarded(0, parse_card("KC"), False))


def test_a_meld_that_is_not_on_the_table_cannot_change() -> None:
    meld = Meld(1, 0, bytes(map(parse_card, ("5H", "6H", "7H"))), bytes(3), 5, 1)
    with pytest.raises(ValueError, match="not on the table"):
        follow(VIEW, Amended(0, meld, b"", False))
