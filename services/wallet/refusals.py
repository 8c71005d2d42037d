"""Why the wallet service refuses a call."""

from typing import Final

from shared.kit.status import (
    BAD_REQUEST,
    DEPENDENCY_AWAY,
    AwayError,
    IdReusedError,
    MalformedError,
    NotNowError,
    UnknownError,
)

READ_ONLY_RETRY_MS: Final = 30_000
UNPAID_RETRY_MS: Final = 1_000


class BadRequestError(MalformedError):
    """The request could never be right."""

    def __init__(self, message: str) -> None:
        super().__init__(BAD_REQUEST, message)


class UnknownMatchError(UnknownError):
    """No finished match has the id, as far as has been heard."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_MATCH", "no finished match has this id")


class UnknownAccountError(UnknownError):
    """The ledger has no account of the name."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_ACCOUNT", "the ledger has no account of this name")


class UnknownStakesError(UnknownError):
    """Nothing was ever staked for the match."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_MATCH", "nothing was staked for this match")


class GuestAccountError(NotNowError):
    """The account has no name of its own."""

    def __init__(self) -> None:
        super().__init__("GUEST_ACCOUNT", "coins are for accounts with a name of their own")


class MatchSettledError(NotNowError):
    """The stakes of the match are paid out or given back."""

    def __init__(self) -> None:
        super().__init__("MATCH_SETTLED", "the stakes of this match are paid out or given back")


class OtherHoldError(IdReusedError):
    """The match has a hold of another kind."""

    def __init__(self) -> None:
        super().__init__("DUPLICATE_COMMAND_BODY", "other stakes are held for this match")


class UnpaidMatchError(AwayError):
    """The match before at the same table is not paid yet, which may be what its players stake now."""

    def __init__(self) -> None:
        super().__init__(DEPENDENCY_AWAY, "the match before is not paid yet", retry_after_ms=UNPAID_RETRY_MS)


class LedgerReadOnlyError(AwayError):
    """The ledger takes no writes until an operator has looked at it."""

    def __init__(self) -> None:
        super().__init__("LEDGER_READ_ONLY", "the ledger takes no writes for now", retry_after_ms=READ_ONLY_RETRY_MS)


class LedgerFaultError(Exception):
    """What cannot be has been found in the ledger: nothing of the order is done."""


class UnknownPlayerError(UnknownError):
    """Nobody of that account has finished a match."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_PLAYER", "nobody of that account has finished a match")


class TooManyFollowedError(NotNowError):
    """The account follows as many as it may."""

    def __init__(self, most: int) -> None:
        super().__init__("TOO_MANY_FOLLOWED", f"an account follows {most} at the most")
