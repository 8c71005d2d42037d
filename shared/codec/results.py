"""How deals end and how a match stands, on the wire. Points are half-points on both sides."""

from typing import NamedTuple

from banakil.table.v1 import results_pb2 as wire
from banakil.table.v1.actions_pb2 import Cards

from shared.codec.cards import read_hand, write_hand
from shared.codec.errors import MalformedError
from shared.rules.events import DealEnded, EndKind
from shared.rules.match import MatchState
from shared.rules.scoring import DealScore
from shared.rules.views import SeenDealEnded

_END_OF: dict[int, EndKind] = {wire.DEAL_END_OUT: "out", wire.DEAL_END_DEAD: "dead"}
_MAX_SEATS = 4


class Standing(NamedTuple):
    """A match in its series, as far as it has come."""

    series_id: str
    """32 lower-case hex digits."""
    match_id: str
    match_no: int
    """1..3."""
    deal_no: int
    """The last deal begun, 0 before the first."""
    match: MatchState
    series_wins: tuple[int, int]
    """Matches that each team has won."""


def write_standing(standing: Standing) -> wire.MatchState:
    """How the match stands."""
    return wire.MatchState(
        series_id=standing.series_id,
        match_id=standing.match_id,
        match_no=standing.match_no,
        deal_no=standing.deal_no,
        total_half_points=standing.match.totals,
        tiebreak=standing.match.tiebreak,
        winner_team=standing.match.winner,
        series_wins=standing.series_wins,
    )


def write_result(ended: SeenDealEnded, standing: Standing) -> wire.DealResult:
    """The end of the standing's last deal, which the standing counts already (R10.4)."""
    end, score = ended.end, ended.score
    return wire.DealResult(
        deal_no=standing.deal_no,
        end=wire.DEAL_END_OUT if end.end == "out" else wire.DEAL_END_DEAD,
        finisher=end.finisher,
        one_turn=end.one_turn,
        team_half_points=score.teams,
        seat_half_points=score.seats or (),
        total_half_points=standing.match.totals,
        hands=[Cards(cards=write_hand(hand)) for hand in ended.hands],
        hand_half_points=score.hand_points,
        laid_half_points=score.laid_points,
        bonus_half_points=score.bonus,
    )


def read_result(message: wire.DealResult) -> SeenDealEnded:
    """The end of a deal as a viewer sees it. Raises `MalformedError` for a message that makes no sense."""
    end = _END_OF.get(message.end)
    seats, teams = len(message.hands), tuple(message.team_half_points)
    finisher = message.finisher if message.HasField("finisher") else None
    if end is None or seats not in (2, _MAX_SEATS) or len(teams) != 2:
        raise MalformedError("not the end of a deal")
    if (finisher is not None) != (end == "out") or (finisher is not None and finisher >= seats):
        raise MalformedError("not a deal's finisher")
    held, laid = tuple(message.hand_half_points), tuple(message.laid_half_points)
    personal = tuple(message.seat_half_points) or None
    if {len(held), len(laid), len(personal or held)} != {seats}:
        raise MalformedError("points for other seats than there are")
    return SeenDealEnded(
        DealEnded(end, finisher, message.one_turn),
        tuple(read_hand(hand.cards) for hand in message.hands),
        DealScore((teams[0], teams[1]), personal, held, laid, message.bonus_half_points),
    )
