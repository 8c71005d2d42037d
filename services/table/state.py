"""A live table as a value: seats, stage, series, match, the deal being played, the clock that runs."""

from enum import StrEnum
from typing import Final, NamedTuple

from services.table.ceremony import Ceremony
from shared.fairness.context import DealContext
from shared.rules.match import MatchState
from shared.rules.options import Options
from shared.rules.replacing import quickly_replaced
from shared.rules.replay import options_rules_id
from shared.rules.series import SeriesState
from shared.rules.state import DealState
from shared.rules.views import SeenDealEnded

RESULT_MS: Final = 8_000
"""How long a deal's result is shown before the next begins by itself (R10.4)."""


class Stage(StrEnum):
    """Where in its life a table is."""

    SEATING = "seating"
    FUNDING = "funding"
    """Waiting until the match's stakes are held (R11.1); nobody's clock runs."""
    CEREMONY = "ceremony"
    """Waiting for the shuffle alone."""
    DEAL = "deal"
    RESULT = "result"
    SWAP = "swap"
    """After a series' first match: partners may swap seats (R8.3)."""
    CLOSED = "closed"


class Occupant(StrEnum):
    """Who plays a seat."""

    VACANT = "vacant"
    PERSON = "person"
    BOT = "bot"
    HOUSE_BOT = "house_bot"


class Seat(NamedTuple):
    """One seat."""

    account: str
    """The account whose seat it is, empty while vacant."""
    name: str
    occupant: Occupant
    """Who that is; while a house bot stands in, see ``plays``."""
    vacancy: str = ""
    """The id by which a house bot may take it; kept after it did, so that a repeated claim is known."""
    away: bool = False
    """Whether its person has no Watch open."""
    left: bool = False
    """Whether its player left on purpose, and does not come back to this match (R10.3)."""
    stand_in: str = ""
    """The house account that plays in place of its player."""
    stand_in_name: str = ""
    grace_until_ms: int = 0
    """Until when an absent player is waited for, Unix milliseconds; 0 where no grace runs (R10.1)."""
    bot_level: int = 0
    """How well a house bot is to play a seat that nobody had, 1..5; 0 where nothing was said."""

    @property
    def is_absent(self) -> bool:
        """Whether its player has left, or has been away for longer than the grace, and nobody plays in its place."""
        return self.away and not self.grace_until_ms and not self.stand_in

    @property
    def plays(self) -> Occupant:
        """Who plays it now."""
        return Occupant.HOUSE_BOT if self.stand_in else self.occupant

    @property
    def is_offered(self) -> bool:
        """Whether a house bot may take it."""
        return self.vacancy != "" and self.occupant is not Occupant.HOUSE_BOT and not self.stand_in


class TeamSwap(NamedTuple):
    """One team's swap of its partners' seats (R8.3)."""

    asked_by: int | None = None
    """The seat, as seats are now, of who has asked."""
    agreed: bool = False
    """Whether the two have swapped."""


class LastDeal(NamedTuple):
    """A deal that has ended, public as a whole."""

    deal_no: int
    totals: tuple[int, int]
    """Each team's in the match, this deal included; half-points."""
    seen: SeenDealEnded


class Standstill(NamedTuple):
    """The clocks of a table that stands still, as they were when that began (all in Unix milliseconds)."""

    since_ms: int
    deadline_ms: int | None
    ceremony_deadline_ms: int | None


class Obstacle(StrEnum):
    """Why a seat's stake cannot be held."""

    GUEST = "guest"
    TOO_FEW_MATCHES = "too_few_matches"
    TOO_FEW_COINS = "too_few_coins"
    ABSENT = "absent"
    """Its player did not come: the wallet was not asked."""


class MissingStake(NamedTuple):
    """A seat whose stake cannot be held."""

    seat: int
    obstacle: Obstacle


class Funding(NamedTuple):
    """The stakes of a match that are not held yet, or could not be."""

    starter: int | None
    """Who starts the match's first deal, or ``None`` where the shuffle draws it."""
    missing: tuple[MissingStake, ...] = ()
    failed: bool = False
    """Whether the table was closed for it; for nobody's fault where none is ``missing``."""


class Pause(NamedTuple):
    """The pause that the players of a private table may have in a match."""

    agreed: tuple[int, ...] = ()
    """The seats that want it, first the one that asked."""
    until_ms: int = 0
    """When it ends at the latest, Unix milliseconds; 0 where the match goes on."""
    used: bool = False
    """Whether the match has had it."""


@quickly_replaced
class TableState(NamedTuple):
    """A table. ``revision`` counts the commands applied to it."""

    table_id: str
    options: Options
    host_seat: int
    seats: tuple[Seat, ...]
    series_id: bytes
    match_id: bytes
    series: SeriesState
    match: MatchState
    revision: int = 0
    stage: Stage = Stage.SEATING
    deal_no: int = 0
    """The last deal dealt, from 1 in each match; 0 before the first."""
    fair: Ceremony | None = None
    """The shuffle of that deal."""
    next_fair: Ceremony | None = None
    """The shuffle of the deal to come, which goes on while a result is shown."""
    deal: DealState | None = None
    deadline_ms: int | None = None
    """Unix milliseconds at which the clock that runs is out."""
    last: LastDeal | None = None
    """The result of the deal before, which may be another match's."""
    unrevealed: tuple[DealContext, ...] = ()
    """Ended deals whose secret has still to be revealed."""
    swap: tuple[TeamSwap, ...] = ()
    """Each team's swap while the stage is ``SWAP``; empty in any other."""
    standstill: Standstill | None = None
    """While an operator, or a pause, has it stand still; no deal begins meanwhile."""
    aborted: bool = False
    """Whether an operator ended it."""
    private: bool = False
    """Whether friends made it for themselves: they may have a pause."""
    pause: Pause = Pause()
    funding: Funding | None = None
    """While the stage is ``FUNDING``, and at a table that was closed since stakes could not be had."""

    @property
    def is_frozen(self) -> bool:
        """Whether it stands still at an operator's word."""
        return self.standstill is not None and not self.pause.until_ms

    @property
    def match_no(self) -> int:
        """The match in its series, 1..3: the one being played, or the last one."""
        played = sum(self.series.wins)
        return played if self.match.winner is not None else played + 1

    def context_of(self, deal_no: int, attempt: int) -> DealContext:
        """The shuffle's context of a deal of this match (docs/fair.md)."""
        return DealContext(
            series=self.series_id,
            match_no=self.match_no,
            match=self.match_id,
            deal_no=deal_no,
            attempt=attempt,
            seats=self.options.seats,
            rules=options_rules_id(self.options),
        )

    def context(self) -> DealContext:
        """The context of the deal that is played or shown."""
        if self.fair is None:
            raise ValueError("no deal was dealt yet")
        return self.fair.context

    @property
    def awaits_stock(self) -> bool:
        """Whether moves wait until the pile has become a new stock (R6.1)."""
        return self.deal is not None and self.deal.reshuffle_due and self.standstill is None

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody plays: no bot has a seat, and every person is away."""
        return all(seat.plays is Occupant.VACANT or (seat.away and not seat.stand_in) for seat in self.seats)

    def seat_of(self, account: str) -> int | None:
        """The seat that is an account's, or that it plays in another's place, if any."""
        if account:
            for number, seat in enumerate(self.seats):
                if account in (seat.account, seat.stand_in):
                    return number
        return None
