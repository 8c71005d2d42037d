"""Why the shuffle service refuses a call."""

from shared.kit.status import (
    BAD_REQUEST,
    IdReusedError,
    MalformedError,
    NotAllowedError,
    NotNowError,
    StaleError,
    UnknownError,
)


class BadRequestError(MalformedError):
    """The request could never be right. The message names the field and never a value."""

    def __init__(self, message: str) -> None:
        super().__init__(BAD_REQUEST, message)


class UnknownCeremonyError(UnknownError):
    """No ceremony was begun for this match, deal and attempt."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_CEREMONY", "no such ceremony was begun")


class UnknownMatchError(UnknownError):
    """No ceremony of this match was begun."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_MATCH", "no such match")


class UnknownDayError(UnknownError):
    """The day is not over, or lies before the first."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_DAY", "no root of such a day")


class StaleEpochError(StaleError):
    """Another process owns the table by now."""

    def __init__(self) -> None:
        super().__init__("STALE_EPOCH", "another process owns the table by now")


class ForeignMatchError(NotAllowedError):
    """The match is another table's."""

    def __init__(self) -> None:
        super().__init__("NOT_TABLES_MATCH", "the match is another table's")


class CeremonyOpenError(NotNowError):
    """The ceremony is not as far as that."""

    def __init__(self, message: str = "the deal is not settled") -> None:
        super().__init__("CEREMONY_OPEN", message)


class ReshuffleOrderError(NotNowError):
    """Not the next reshuffle of the deal, or the deal is over."""

    def __init__(self, message: str) -> None:
        super().__init__("RESHUFFLE_OUT_OF_ORDER", message)


class OtherBodyError(IdReusedError):
    """The same reshuffle was made with other contents."""

    def __init__(self, what: str) -> None:
        super().__init__("DUPLICATE_COMMAND_BODY", f"{what} with other contents")
