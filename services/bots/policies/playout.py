"""Many deals played out at once, by all seats alike and quickly: what an expert reckons the end to be.

This is no second engine but a likeness of the game. How a deal ends by it, and how soon, is held to real deals by a
test. Every deal is a column of one array, and a turn is played in all of them by the same few steps.
"""

from typing import Final, NamedTuple

import numpy as np

from services.bots.policies.lanes import HIGH_ACES, Column, count, in_runs, lowest, of_hand, value
from services.bots.policies.laydown import Found, LayDown
from services.bots.policies.rows import (
    DEEP,
    DRAWN,
    FIRST,
    HIGH,
    JOKERS,
    LAID,
    LOW,
    NUMBER,
    OPENED,
    SECOND,
    SET,
    TOP,
    TWOS,
    Rows,
    give,
    take_away,
)
from shared.rules.options import Options
from shared.rules.scoring import NEVER_OPENED, ONE_TURN_BONUS, ONE_TURN_CLEAN_BONUS, OUT_BONUS

LONGEST: Final = 10
"""Turns; where a deal goes on, how it stands and what may come of it is reckoned."""
FEW: Final = 8
"""When no more than one deal of so many goes on, those are left too."""
AHEAD, TWO, JOKER, PAIR, END = 50, 10, 23, 3, 2
"""Where a deal is left, in half-points, fitted to how it goes on: the smaller hand, next to none against many cards;
a two and a joker in the hand; two cards that lack a third; an open end of a meld."""


class Setting(NamedTuple):
    """What is alike in all deals of one play-out."""

    options: Options
    turn: int
    """The seat whose turn begins, in phase draw, or goes on in phase play."""
    drawn: bool
    """Whether that seat has drawn."""
    longest: int = LONGEST
    few: int = FEW


class Playout(LayDown):
    """Deals that are played out together."""

    def __init__(self, setting: Setting, rows: Rows, stock: Rows) -> None:
        """``rows``: a column for each deal, played on in place. ``stock``: a row for each deal, in drawing order."""
        super().__init__(setting.options, rows)
        options = setting.options
        self._setting = setting
        self._stock = stock
        self._seats = options.seats
        self._personal = options.scoring == "personal"
        self._depth = DEEP if options.pile_take == "any_depth" else 1
        self._over: list[tuple[Rows, int, Found]] = []
        self.ended = np.zeros((2, rows.shape[1]), dtype=np.int64)
        """What each team comes to, in half-points."""
        self.turns = np.zeros(rows.shape[1], dtype=np.int64)
        """Turns until a deal ended; 0 where it did not."""

    def run(self) -> Column:
        """Team 0's result less team 1's in each deal, in half-points."""
        seat = self._setting.turn
        drawn = self._setting.drawn
        few = self.rows.shape[1] // self._setting.few
        for turn_no in range(1, self._setting.longest + 1):
            self._turn(seat, drawn, turn_no)
            if self.rows.shape[1] <= few:
                break
            drawn = False
            seat = (seat + 1) % self._seats
        for finisher in range(self._seats):
            over = [(rows, fresh) for rows, seat, fresh in self._over if seat == finisher]
            if over:
                rows, fresh = (np.concatenate(parts, axis=-1) for parts in zip(*over, strict=True))
                self._score(rows, finisher, fresh)
        self._score(self.rows, None, None)
        gap: Column = self.ended[0] - self.ended[1]
        gap[self.rows[NUMBER]] += self._prospects(self.rows)
        return gap

    def _turn(self, seat: int, drawn: bool, turn_no: int) -> None:
        rows = self.rows
        fresh = self._fresh(seat)
        if not drawn:
            self._draw(seat)
        self.lay(seat)
        size = self.size(seat)
        thrown = self._throw(seat, size)
        if self._depth > 1:
            rows[TOP + 1 : TOP + DEEP] = rows[TOP : TOP + DEEP - 1]
        rows[TOP] = thrown
        out = size <= 1
        if out.any():
            self._over.append((rows[:, out], seat, fresh[out]))
            self.turns[rows[NUMBER, out]] = turn_no
            self.rows = rows[:, ~out]

    def _fresh(self, seat: int) -> Found:
        """Whether going out now is all in one turn (R7.3): where the partner's melds are surely of no help."""
        rows = self.rows
        fresh: Found = rows[OPENED + seat] == 0
        if self._seats > 2:
            fresh &= rows[OPENED + (seat ^ 2)] == 0
        return fresh

    def _draw(self, seat: int) -> None:
        """From the pile what can be laid at once, else the stock's next card."""
        rows = self.rows
        cards = in_runs(rows[FIRST + seat])
        up, down = cards >> 1, cards << 1
        use = up & cards >> 2 | down & cards << 2 | up & down
        wild = (rows[TWOS + seat] + rows[JOKERS + seat]) > 0
        use |= (up | down | cards >> 2 | cards << 2) & -wild.astype(np.int64)
        use = of_hand(use | self.fits(seat))
        depth = (use & rows[TOP] != 0).astype(np.int64)
        for deeper in range(2, self._depth + 1):
            depth[(depth == 0) & (use & rows[TOP + deeper - 1] != 0)] = deeper
        at = np.minimum(rows[DRAWN], self._stock.shape[1] - 1)
        stays = depth == 0
        give(rows, seat, np.where(stays, self._stock[rows[NUMBER], at], rows[TOP]))
        rows[DRAWN] += stays
        for deeper in range(2, self._depth + 1):
            give(rows, seat, np.where(depth >= deeper, rows[TOP + deeper - 1], 0))
        if self._depth > 1:
            one, two = depth == 1, depth == 2
            rows[TOP] = np.where(stays, rows[TOP], np.where(one, rows[TOP + 1], np.where(two, rows[TOP + 2], 0)))
            rows[TOP + 1] = np.where(stays, rows[TOP + 1], np.where(one, rows[TOP + 2], 0))
            rows[TOP + 2] *= stays

    def _throw(self, seat: int, size: Column) -> Column:
        """The card that links least and helps the other team least; it leaves the hand."""
        rows = self.rows
        cards = rows[FIRST + seat]
        places = in_runs(cards)
        near = places << 1 | places >> 1
        far = near | places << 2 | places >> 2
        near, far = (links | (links & HIGH_ACES) >> 13 for links in (near, far))
        other = 1 - (seat & 1)
        theirs = of_hand(rows[LOW + other] | rows[HIGH + other] | rows[SET + other])
        ours = of_hand(rows[LOW + seat % 2] | rows[HIGH + seat % 2] | rows[SET + seat % 2])
        safe = cards & ~theirs
        best = safe & ~ours
        chosen = best & ~far
        for less in (best & ~near, best, safe, cards):
            chosen = np.where(chosen != 0, chosen, less)
        thrown = lowest(chosen)
        take_away(rows, seat, thrown)
        none = thrown == 0
        two = none & (rows[TWOS + seat] > 0)
        rows[TWOS + seat] -= two
        rows[JOKERS + seat] -= none & ~two & (rows[JOKERS + seat] > 0)
        return thrown

    def _score(self, rows: Rows, finisher: int | None, fresh: Found | None) -> None:
        """R7 for deals that ended; ``fresh``: the finisher had laid nothing before its last turn."""
        teams = np.zeros((2, rows.shape[1]), dtype=np.int64)
        for seat in range(self._seats):
            left = 4 * rows[TWOS + seat] + 8 * rows[JOKERS + seat]
            result = rows[LAID + seat] - left - value(rows[FIRST + seat]) - value(rows[SECOND + seat])
            if self._personal:
                unopened = 0 if seat == finisher else NEVER_OPENED
                result = np.where(rows[OPENED + seat] > 0, result + OUT_BONUS * (seat == finisher), unopened)
            teams[seat & 1] += result
        if finisher is not None and fresh is not None and not self._personal:
            team = finisher & 1
            other = 1 - team
            if self._setting.options.one_turn_bonus:
                laid = sum(rows[LAID + seat] for seat in range(other, self._seats, 2)) > 0
                teams[team] += np.where(fresh, np.where(laid, ONE_TURN_BONUS, ONE_TURN_CLEAN_BONUS), OUT_BONUS)
                teams[other] *= ~fresh
            else:
                teams[team] += OUT_BONUS
        self.ended[:, rows[NUMBER]] = teams

    def _prospects(self, rows: Rows) -> Column:
        """What team 0 may gain on team 1 in deals that go on, besides how they stand, in half-points."""
        deals = LayDown(self._setting.options, rows)
        gain = np.zeros(rows.shape[1])
        least = []
        for team, sign in ((0, 1), (1, -1)):
            plain = []
            for seat in range(team, self._seats, 2):
                wilds = rows[TWOS + seat] + rows[JOKERS + seat]
                cards = in_runs(rows[FIRST + seat])
                plain.append(np.maximum(deals.size(seat) - wilds, 0.5))
                gain += sign * (TWO * rows[TWOS + seat] + JOKER * rows[JOKERS + seat])
                gain += sign * PAIR * count(cards & (cards >> 1 | cards >> 2)).astype(np.int64)
            ends = rows[LOW + team] | rows[HIGH + team] | rows[SET + team]
            gain += sign * END * count(ends).astype(np.int64)
            least.append(np.minimum(plain[0], plain[-1]))
        gain += AHEAD * (least[1] - least[0]) / (least[0] + least[1])
        return np.rint(gain).astype(np.int64)
