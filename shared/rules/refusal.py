"""Why an action is refused: the error codes of the record format, and the exception that carries one (R5.9)."""

from enum import StrEnum


class Code(StrEnum):
    """Stable error codes; docs/record.md says when each is given."""

    BAD_RECORD = "BAD_RECORD"
    BAD_ACTION = "BAD_ACTION"
    DEAL_OVER = "DEAL_OVER"
    MATCH_OVER = "MATCH_OVER"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    MUST_DRAW_FIRST = "MUST_DRAW_FIRST"
    ALREADY_DRAWN = "ALREADY_DRAWN"
    STOCK_EMPTY = "STOCK_EMPTY"
    PASS_NOT_ALLOWED = "PASS_NOT_ALLOWED"
    PILE_EMPTY = "PILE_EMPTY"
    TOP_CARD_ONLY = "TOP_CARD_ONLY"
    BAD_COUNT = "BAD_COUNT"
    CARD_NOT_USABLE = "CARD_NOT_USABLE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    DUTY_UNMET = "DUTY_UNMET"
    NOTHING_TO_UNDO = "NOTHING_TO_UNDO"
    TIME_IS_UP = "TIME_IS_UP"
    MELD_TOO_SHORT = "MELD_TOO_SHORT"
    TOO_MANY_JOKERS = "TOO_MANY_JOKERS"
    TOO_MANY_TWOS = "TOO_MANY_TWOS"
    NOT_ENOUGH_REAL_CARDS = "NOT_ENOUGH_REAL_CARDS"
    RUN_SUITS_DIFFER = "RUN_SUITS_DIFFER"
    RUN_NOT_CONSECUTIVE = "RUN_NOT_CONSECUTIVE"
    RUN_OUT_OF_RANGE = "RUN_OUT_OF_RANGE"
    SET_RANK_NOT_ALLOWED = "SET_RANK_NOT_ALLOWED"
    SET_SUIT_REPEATED = "SET_SUIT_REPEATED"
    SET_TOO_LONG = "SET_TOO_LONG"
    TWO_IN_SET_NOT_ALLOWED = "TWO_IN_SET_NOT_ALLOWED"
    NO_SUCH_MELD = "NO_SUCH_MELD"
    OTHER_TEAMS_MELD = "OTHER_TEAMS_MELD"
    NOT_OPENED = "NOT_OPENED"
    CARD_LEFT_OUT = "CARD_LEFT_OUT"
    CARD_MOVED = "CARD_MOVED"
    JOKER_LOCKED = "JOKER_LOCKED"
    TWO_MAY_NOT_MOVE = "TWO_MAY_NOT_MOVE"
    MELD_KIND_CHANGED = "MELD_KIND_CHANGED"
    NOTHING_ADDED = "NOTHING_ADDED"


class RefusedError(Exception):
    """An action that the rules refuse; nothing has changed (R5.9)."""

    def __init__(self, code: Code, message: str = "") -> None:
        super().__init__(message or code.value)
        self.code = code


class RecordError(Exception):
    """A record, options or a position that can't be read, apart from what is not legal in a game."""

    def __init__(self, message: str, code: Code = Code.BAD_RECORD) -> None:
        super().__init__(message)
        self.code = code
