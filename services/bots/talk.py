"""What a house bot says, and when: a greeting, a word on a good meld, on who goes out, at the end. Never much.

At each such moment one bot of the table speaks at the most: all of them see the same, and know which one. A process
that takes a seat over begins with a snapshot, of which nothing is said: so nothing is said twice.
"""

import random
from enum import Enum
from typing import Final, NamedTuple

from banakil.table.v1 import events_pb2

from services.bots.sight import Sight
from shared.codec.cards import read_cards
from shared.rules.cards import half_points
from shared.rules.state import same_team

GOOD_HALF_POINTS: Final = 2 * 8
"""From here on what somebody lays at once is remarked upon."""
MOST_IN_DEAL: Final = 2
AFTER_MS: Final = (900, 2_200)
"""How long after what it is about, from and to."""


class Moment(Enum):
    """When something may be said: the phrases of who is on the side that it is about, and those of the other side."""

    GREETING = (("hello", "good_luck"), ())
    LAID = (("well_done_partner", "mashallah", "clap"), ("mashallah", "surprise", "what_luck"))
    OUT = (("well_done_partner", "clap"), ("well_played", "luck_will_turn"))
    DEAD = (("that_was_close", "phew"), ())
    WON = (("a_pleasure", "thank_you"), ("congratulations", "well_played"))


class Remark(NamedTuple):
    """Something to say."""

    phrase_id: str
    after_ms: int


class Talk:
    """What one seat says. ``often``: how often it does where it is the one to speak, 0 to 1."""

    def __init__(self, table_id: str, often: float) -> None:
        self._table_id = table_id
        self._often = often
        self._said = 0

    def hear(self, sight: Sight, delta: events_pb2.Delta) -> Remark | None:
        """What is to be said of a delta that ``sight`` has taken in; where nobody would hear it, nothing."""
        if any(event.HasField("deal_started") for event in delta.events):
            self._said = 0
        found = _moment(delta)
        if found is None or not sight.is_heard or self._said >= MOST_IN_DEAL:
            return None
        moment, actor, side = found
        # The same for all bots of the table, whichever process plays them.
        chance = random.Random(f"{self._table_id}:{delta.revision}")
        speakers = [seat for seat in sorted(sight.house_seats) if seat != actor]
        if not speakers or chance.choice(speakers) != sight.seat or chance.random() >= self._often:
            return None
        self._said += 1
        ours, theirs = moment.value
        phrases = ours if side is None or same_team(side, sight.seat) else theirs
        return Remark(chance.choice(phrases), chance.randint(*AFTER_MS))


def _moment(delta: events_pb2.Delta) -> tuple[Moment, int | None, int | None] | None:
    """The last one in a delta: which, the seat whose doing it is, and a seat of the side that it is about, if any."""
    found: tuple[Moment, int | None, int | None] | None = None
    for event in delta.events:
        match event.WhichOneof("event"):
            case "deal_started" if event.deal_started.deal.deal_no == 1:
                found = Moment.GREETING, None, None
            case "laid":
                laid = event.laid
                if sum(half_points(read_cards(meld.cards)) for meld in laid.melds) >= GOOD_HALF_POINTS:
                    found = Moment.LAID, laid.seat, laid.seat
            case "deal_ended":
                result = event.deal_ended.result
                finisher = result.finisher if result.HasField("finisher") else None
                found = (Moment.DEAD, None, None) if finisher is None else (Moment.OUT, finisher, finisher)
            case "match_ended":
                found = Moment.WON, None, event.match_ended.match.winner_team
            case _:
                pass
    return found
