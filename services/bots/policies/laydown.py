"""How a seat lays down in many deals at once: runs, sets, what fits, and what wild cards make possible.

Melds are known by their open ends alone, and a two is a two. What is laid so is less than the best by half a card.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from services.bots.policies.lanes import ACES, PLACES, THREES, Column, count, in_runs, lowest, of_hand, value
from services.bots.policies.rows import (
    FIRST,
    HIGH,
    JOKER_AT,
    JOKERS,
    KEEP,
    LAID,
    LOW,
    OPENED,
    ROOM_JOKER,
    ROOM_TWO,
    SECOND,
    SET,
    TWO_AT,
    TWOS,
    Rows,
    take_away,
)
from shared.rules.options import Options

Found: TypeAlias = npt.NDArray[np.bool_]


class LayDown:
    """Deals in which the same seat lays down; what it does, it does in those where it can be done."""

    def __init__(self, options: Options, rows: Rows) -> None:
        self.rows = rows
        self._options = options
        self._free = not options.partner_needs_opening
        self._sets_of_twos = options.twos_in_sets

    def size(self, seat: int) -> Column:
        """How many cards the seat holds."""
        rows = self.rows
        cards: Column = rows[TWOS + seat] + rows[JOKERS + seat]
        cards += count(rows[FIRST + seat]) + count(rows[SECOND + seat])
        return cards

    def fits(self, seat: int) -> Column:
        """The places where the seat may add a card to its team's melds."""
        rows, team = self.rows, seat & 1
        places: Column = (
            rows[LOW + team] | rows[HIGH + team] | rows[SET + team] | rows[JOKER_AT + team] | rows[TWO_AT + team]
        )
        if not self._free:
            places &= -rows[OPENED + seat]
        return places

    def lay(self, seat: int) -> None:
        """All that can be laid: runs, sets, what fits, and what wilds make possible."""
        rows = self.rows
        plain = rows[FIRST + seat]
        cards = in_runs(plain)
        able = cards & (cards >> 1 & cards >> 2 | self.fits(seat)) | rows[TWOS + seat] | rows[JOKERS + seat]
        sets = (count(plain & ACES) >= 3) | (count(plain & THREES) >= 3)
        self._among((able != 0) | sets, LayDown._lay, seat)

    def _among(self, found: Found, lay: Callable[["LayDown", int], None], seat: int) -> None:
        """Lay in these deals alone: they are few, so that it costs less."""
        at = np.flatnonzero(found)
        if at.size:
            part = LayDown(self._options, self.rows[:, at])
            lay(part, seat)
            self.rows[:, at] = part.rows

    def _lay(self, seat: int) -> None:
        self._runs(seat)
        self._sets(seat)
        self._add(seat)
        self._among(self.rows[TWOS + seat] + self.rows[JOKERS + seat] > 0, LayDown._lay_wilds, seat)

    def _lay_wilds(self, seat: int) -> None:
        for _ in range(4):
            if not self._wild_pair(seat):
                break
            self._add(seat)
        for _ in range(2):
            if not self._bridge(seat):
                break
            self._add(seat)
        self._add_wilds(seat)

    def _remove(self, seat: int, places: Column) -> None:
        """The cards of these places leave the hand and count for it."""
        rows = self.rows
        cards = of_hand(places)
        rows[LAID + seat] += value(cards)
        take_away(rows, seat, cards)

    def _runs(self, seat: int) -> None:
        rows, team = self.rows, seat & 1
        while True:
            cards = in_runs(rows[FIRST + seat])
            starts = cards & cards >> 1 & cards >> 2
            if not starts.any():
                return
            runs = starts | starts << 1 | starts << 2
            twice = rows[SECOND + seat] & starts & starts << 2
            tops = runs & ~(runs >> 1) | twice
            rows[HIGH + team] |= tops << 1 & PLACES
            rows[LOW + team] |= (runs & ~(runs << 1) | twice) >> 1 & PLACES
            melds = count(tops)
            rows[ROOM_TWO + team] += melds
            rows[ROOM_JOKER + team] += melds
            rows[OPENED + seat] |= melds > 0
            self._remove(seat, runs)
            self._remove(seat, twice)

    def _sets(self, seat: int) -> None:
        rows, team = self.rows, seat & 1
        for rank in (ACES, THREES):
            cards = rows[FIRST + seat] & rank
            found = count(cards) >= 3
            if not found.any():
                continue
            chosen = -found.astype(np.int64)
            rows[SET + team] |= rank & ~cards & chosen
            rows[ROOM_JOKER + team] += found
            rows[OPENED + seat] |= found
            self._remove(seat, cards & chosen)

    def _add(self, seat: int) -> None:
        """Cards that fit the team's melds, as long as there are any."""
        rows, team = self.rows, seat & 1
        for _ in range(6):
            added = in_runs(rows[FIRST + seat]) & self.fits(seat)
            if not added.any():
                return
            above = added & rows[HIGH + team]
            rows[HIGH + team] = rows[HIGH + team] ^ above | above << 1 & PLACES
            rest = added ^ above
            below = rest & rows[LOW + team]
            rows[LOW + team] = rows[LOW + team] ^ below | below >> 1 & PLACES
            rest ^= below
            rows[SET + team] &= ~rest
            rest &= ~rows[SET + team]
            released = rest & rows[JOKER_AT + team]
            rows[JOKER_AT + team] ^= released
            jokers = count(released).astype(np.int64)
            rows[JOKERS + seat] += jokers
            rows[ROOM_JOKER + team] += jokers
            rows[LAID + seat] -= 8 * jokers
            rows[TWO_AT + team] &= ~rest
            self._remove(seat, added)

    def _wild_pair(self, seat: int) -> bool:
        """A new run, or a set, of two cards and a wild; whether any deal had one."""
        rows, team = self.rows, seat & 1
        twos, jokers = rows[TWOS + seat], rows[JOKERS + seat]
        wild = -((twos + jokers) > 0).astype(np.int64)
        if not wild.any():
            return False
        cards = in_runs(rows[FIRST + seat]) & wild
        beside, across = cards & cards >> 1, cards & cards >> 2
        three = (beside & cards >> 3) << 1 | across & cards >> 3
        pairs = beside | across
        low = lowest(np.where(three != 0, three, pairs))
        gap = low & across & (three | ~beside)
        alone = low ^ gap
        self._aces_or_threes(seat, wild & -(low == 0).astype(np.int64))
        if not low.any():
            return False
        above = alone << 2 & PLACES
        under = -((alone != 0) & (above == 0)).astype(np.int64)
        stands = gap << 1 | above | alone >> 1 & under
        covered = low | gap << 2 | alone << 1
        rows[LOW + team] |= np.where(under != 0, low >> 2, low >> 1) & PLACES
        rows[HIGH + team] |= np.where(under != 0, low << 2, low << 3) & PLACES
        self._remove(seat, covered)
        self._use_wild(seat, low != 0, stands)
        return True

    def _use_wild(self, seat: int, used: Found, stands: Column) -> None:
        """A wild leaves the hand for a new meld: a two where there is one."""
        rows, team = self.rows, seat & 1
        two = used & (rows[TWOS + seat] > 0)
        joker = used & ~two
        rows[TWOS + seat] -= two
        rows[JOKERS + seat] -= joker
        rows[LAID + seat] += 4 * two + 8 * joker
        rows[ROOM_JOKER + team] += two
        rows[ROOM_TWO + team] += joker
        rows[TWO_AT + team] |= stands & -two.astype(np.int64)
        rows[JOKER_AT + team] |= stands & -joker.astype(np.int64)
        rows[OPENED + seat] |= used

    def _aces_or_threes(self, seat: int, wild: Column) -> None:
        rows, team = self.rows, seat & 1
        for rank in (ACES, THREES):
            cards = rows[FIRST + seat] & rank & wild
            found = (count(cards) == 2) & (rows[TWOS + seat] + rows[JOKERS + seat] > 0)
            if not self._sets_of_twos:
                found &= rows[JOKERS + seat] > 0
            if found.any():
                chosen = -found.astype(np.int64)
                rows[SET + team] |= lowest(rank & ~cards & chosen)
                self._remove(seat, cards & chosen)
                self._use_wild(seat, found, np.zeros_like(cards))

    def _bridge(self, seat: int) -> bool:
        """A wild at the end of a run, where the card behind it is held."""
        rows, team = self.rows, seat & 1
        two = (rows[TWOS + seat] > 0) & (rows[ROOM_TWO + team] > 0)
        joker = ~two & (rows[JOKERS + seat] > 0) & (rows[ROOM_JOKER + team] > 0)
        able = two | joker
        if not able.any():
            return False
        may = -(able & (self.fits(seat) != 0)).astype(np.int64)
        cards = in_runs(rows[FIRST + seat]) & may
        above = lowest(rows[HIGH + team] & cards >> 1)
        below = lowest(rows[LOW + team] & cards << 1 & -(above == 0).astype(np.int64))
        if not (above | below).any():
            return False
        self._add_wild(seat, two, joker, above, below)
        return True

    def _add_wild(self, seat: int, two: Found, joker: Found, above: Column, below: Column) -> None:
        """A wild goes to the end of a run, above or below; what it stands for may take its place."""
        rows, team = self.rows, seat & 1
        stands = above | below
        rows[HIGH + team] = rows[HIGH + team] ^ above | above << 1 & PLACES
        rows[LOW + team] = rows[LOW + team] ^ below | below >> 1 & PLACES
        two, joker = two & (stands != 0), joker & (stands != 0)
        rows[TWO_AT + team] |= stands & -two.astype(np.int64)
        rows[JOKER_AT + team] |= stands & -joker.astype(np.int64)
        rows[TWOS + seat] -= two
        rows[ROOM_TWO + team] -= two
        rows[JOKERS + seat] -= joker
        rows[ROOM_JOKER + team] -= joker
        rows[LAID + seat] += 4 * two + 8 * joker

    def _add_wilds(self, seat: int) -> None:
        """Wilds that are good for nothing else, once few cards are left."""
        rows, team = self.rows, seat & 1
        may = self.size(seat) <= rows[KEEP]
        if not self._free:
            may &= rows[OPENED + seat] > 0
        for _ in range(2):
            two = may & (rows[TWOS + seat] > 0) & (rows[ROOM_TWO + team] > 0)
            joker = may & ~two & (rows[JOKERS + seat] > 0) & (rows[ROOM_JOKER + team] > 0)
            chosen = -(two | joker).astype(np.int64)
            if not chosen.any():
                return
            above = lowest(rows[HIGH + team] & chosen)
            below = lowest(rows[LOW + team] & chosen & -(above == 0).astype(np.int64))
            self._add_wild(seat, two, joker, above, below)
