"""Laying cards down in a turn (R5.4, R5.5): new melds, and new layouts of the team's melds."""

from shared.rules.actions import Amend, Lay
from shared.rules.amend import check_amend
from shared.rules.cards import bag_take
from shared.rules.events import Amended, DealEnded, Event, Laid
from shared.rules.melds import Meld, layout_shape
from shared.rules.refusal import Code, RefusedError
from shared.rules.scoring import all_in_one_turn
from shared.rules.state import DealState, Phase, same_team


def require_play_phase(state: DealState) -> None:
    """Raise ``RefusedError`` where cards can't be laid: before the draw, or once time is up (R5.1, R9.2)."""
    if state.phase is not Phase.PLAY:
        raise RefusedError(Code.MUST_DRAW_FIRST)
    if state.time_up:
        raise RefusedError(Code.TIME_IS_UP)


def decide_lay(state: DealState, action: Lay) -> tuple[Event, ...]:
    """R5.4: one or more new melds from the hand, all or none."""
    require_play_phase(state)
    if not action.melds:
        raise RefusedError(Code.BAD_ACTION, "no meld given")
    seat, options = action.seat, state.options
    hand = state.hands[seat]
    melds = []
    for number, cards in enumerate(action.melds, len(state.melds) + 1):
        start, suit = layout_shape(cards, options)
        hand = bag_take(hand, cards)
        if hand < 0:
            raise RefusedError(Code.CARD_NOT_IN_HAND)
        melds.append(Meld(number, seat, cards, bytes([seat]) * len(cards), start, suit))
    laid = Laid(seat, tuple(melds))
    return (laid,) if hand else (laid, DealEnded("out", seat, all_in_one_turn(state)))


def may_amend(state: DealState, seat: int, meld: Meld) -> bool:
    """Whether the seat may amend this meld at all (R5.5h)."""
    return same_team(seat, meld.owner) and not _needs_opening(state, seat, meld)


def decide_amend(state: DealState, action: Amend) -> tuple[Event, ...]:
    """R5.5: a new layout of one meld of the seat's own team."""
    require_play_phase(state)
    seat = action.seat
    if not 1 <= action.meld_id <= len(state.melds):
        raise RefusedError(Code.NO_SUCH_MELD)
    meld = state.melds[action.meld_id - 1]
    if not same_team(seat, meld.owner):
        raise RefusedError(Code.OTHER_TEAMS_MELD)
    if _needs_opening(state, seat, meld):
        raise RefusedError(Code.NOT_OPENED)
    amendment = check_amend(meld, action.cards, seat, state.hands[seat], state.options)
    amended = Amended(seat, amendment.meld, amendment.added, amendment.joker_released)
    if amendment.hand:
        return (amended,)
    one_turn = all_in_one_turn(state) and meld.owner == seat
    return amended, DealEnded("out", seat, one_turn)


def _needs_opening(state: DealState, seat: int, meld: Meld) -> bool:
    return meld.owner != seat and state.options.partner_needs_opening and not state.opened >> seat & 1
