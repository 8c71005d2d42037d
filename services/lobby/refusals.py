"""Why the lobby refuses."""

from collections.abc import Mapping

from shared.kit.status import (
    FullError,
    IdReusedError,
    MalformedError,
    NotAllowedError,
    NotNowError,
    UnauthenticatedError,
    UnknownError,
)


class BadRequestError(MalformedError):
    """A field that cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__("BAD_REQUEST", message)


class OptionError(MalformedError):
    """A table option that this lobby does not offer."""

    def __init__(self, message: str) -> None:
        super().__init__("OPTION_OUT_OF_RANGE", message)


class CredentialError(UnauthenticatedError):
    """No account has this refresh secret."""

    def __init__(self) -> None:
        super().__init__("CREDENTIAL_INVALID", "no account has this refresh secret")


class PasswordError(UnauthenticatedError):
    """No account has this user name and password."""

    def __init__(self) -> None:
        super().__init__("CREDENTIAL_INVALID", "no account has this user name and password")


class AlreadyNamedError(NotNowError):
    """The account has a user name, which stays."""

    def __init__(self) -> None:
        super().__init__("ACCOUNT_NAMED", "the account has a user name already")


class UsernameTakenError(IdReusedError):
    """Another account has this user name, or one that looks like it."""

    def __init__(self) -> None:
        super().__init__("USERNAME_TAKEN", "another account has this user name, or one that looks like it")


class UnknownAccountError(UnknownError):
    """The token names an account that is not kept here."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_ACCOUNT", "no such account")


class UnknownRoomError(UnknownError):
    """No open room has this id or code."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_ROOM", "no such room")


class RoomFullError(NotNowError):
    """No seat is free, or the one asked for is taken."""

    def __init__(self) -> None:
        super().__init__("ROOM_FULL", "no such seat is free")


class RoomStartedError(NotNowError):
    """The room has become a table, or is about to."""

    def __init__(self) -> None:
        super().__init__("ROOM_STARTED", "the room has become a table")


class UnknownTableError(UnknownError):
    """No table has this id, or it has been over for so long that its room is forgotten."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_TABLE", "no such table")


class NotSeatedError(NotAllowedError):
    """The caller had no seat at the table."""

    def __init__(self) -> None:
        super().__init__("NOT_SEATED", "the caller had no seat at this table")


class NotInRoomError(NotAllowedError):
    """The caller has no seat in the room."""

    def __init__(self) -> None:
        super().__init__("NOT_IN_ROOM", "the caller is not in this room")


class NotHostError(NotAllowedError):
    """Only the room's host may do this."""

    def __init__(self) -> None:
        super().__init__("NOT_HOST", "only the host of the room may start it")


class AlreadyPlayingError(NotNowError):
    """The caller waits in another room or sits at another table; the metadata says where."""

    def __init__(self, where: Mapping[str, str]) -> None:
        super().__init__("ALREADY_PLAYING", "the caller waits in another room or sits at a table", metadata=where)


class SeatsVacantError(NotNowError):
    """A table for coins has people alone, and some seats have nobody yet."""

    def __init__(self) -> None:
        super().__init__("SEATS_VACANT", "a table for coins starts when all its seats are taken")


class StakeNotAgreedError(NotNowError):
    """The room's stake is another than the caller agrees to."""

    def __init__(self) -> None:
        super().__init__("STAKE_NOT_AGREED", "the caller has not agreed to the stake of this room")


class GuestAccountError(NotNowError):
    """Coins are for named accounts."""

    def __init__(self) -> None:
        super().__init__("GUEST_ACCOUNT", "a table for coins needs an account with a user name")


class TooFewMatchesError(NotNowError):
    """The account has finished too few matches to play for coins."""

    def __init__(self) -> None:
        super().__init__("TOO_FEW_MATCHES", "the account has finished too few matches for a table for coins")


class TooFewCoinsError(NotNowError):
    """The account has fewer coins than the stake."""

    def __init__(self) -> None:
        super().__init__("TOO_FEW_COINS", "the account has fewer coins than the stake")


class CommandReusedError(IdReusedError):
    """The command id came before, with another body."""

    def __init__(self) -> None:
        super().__init__("DUPLICATE_COMMAND_BODY", "this command id was given to another command")


class OverloadedError(FullError):
    """More rooms wait than this lobby holds, or too many callers want the same one."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__("OVERLOADED", "too many rooms are waiting", retry_after_ms=retry_after_ms)
