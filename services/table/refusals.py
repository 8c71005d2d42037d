"""Why a table refuses what the rules have no say in."""

from typing import Final

from shared.codec.refusals import STATUS_OF
from shared.kit.status import (
    DEPENDENCY_AWAY,
    DRAINING,
    ApiError,
    AwayError,
    FullError,
    IdReusedError,
    NotAllowedError,
    NotNowError,
    StaleError,
    UnknownError,
)
from shared.rules.refusal import RefusedError

RETRY_AFTER_MS: Final = 500


class NothingToDoError(Exception):
    """The command has been overtaken: there is nothing to do and nothing is wrong."""


class NotSeatedError(NotAllowedError):
    """The caller has no seat at the table."""

    def __init__(self) -> None:
        super().__init__("NOT_SEATED", "the caller has no seat at this table")


class SeatLeftError(NotAllowedError):
    """The caller has left its seat on purpose."""

    def __init__(self) -> None:
        super().__init__("SEAT_LEFT", "who has left does not come back to this match")


class StandInPlaysError(NotNowError):
    """A house bot plays the caller's seat."""

    def __init__(self) -> None:
        super().__init__("STAND_IN_PLAYS", "a house bot plays this seat until its player watches")


class PauseNotPossibleError(NotNowError):
    """The match cannot be paused, or goes on already."""

    def __init__(self) -> None:
        super().__init__("PAUSE_NOT_POSSIBLE", "no pause is possible now, or none is to be ended")


class PausedError(NotNowError):
    """The match is paused."""

    def __init__(self) -> None:
        super().__init__("PAUSED", "the match is paused")


class StaleTurnError(StaleError):
    """The action is meant for another turn than the one being played."""

    def __init__(self) -> None:
        super().__init__("STALE_TURN", "meant for another turn than the one being played")


class StaleCeremonyError(StaleError):
    """Meant for another shuffle than the one that goes on."""

    def __init__(self) -> None:
        super().__init__("STALE_CEREMONY", "meant for another shuffle than the one that goes on")


class ContributionNotAwaitedError(NotNowError):
    """The shuffle is at another step, or does not wait for this seat."""

    def __init__(self) -> None:
        super().__init__("CONTRIBUTION_NOT_AWAITED", "the shuffle is at another step, or does not wait for this seat")


class SwapNotPossibleError(NotNowError):
    """The series has no swap of seats now, or the team has had its."""

    def __init__(self) -> None:
        super().__init__("SWAP_NOT_POSSIBLE", "seats are swapped after a series' first match, once by a team")


class NotHostError(NotAllowedError):
    """The cut is another seat's."""

    def __init__(self) -> None:
        super().__init__("NOT_HOST", "the cut is another seat's")


class TableFrozenError(NotNowError):
    """An operator has the table stand still."""

    def __init__(self) -> None:
        super().__init__("TABLE_FROZEN", "the table stands still; it goes on later")


class TableClosedError(NotNowError):
    """The table is over."""

    def __init__(self) -> None:
        super().__init__("TABLE_CLOSED", "the table is closed")


class UnknownTableError(UnknownError):
    """No table has this id."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_TABLE", "no such table")


class UnknownMatchError(UnknownError):
    """No match has this id."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_MATCH", "no such match")


class UnknownVacancyError(UnknownError):
    """No seat was ever vacant under this id."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_VACANCY", "no such vacancy")


class UnknownPhraseError(UnknownError):
    """Nothing of this id can be said."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_PHRASE", "no such phrase")


class VacancyTakenError(NotNowError):
    """Another has taken the seat."""

    def __init__(self) -> None:
        super().__init__("VACANCY_TAKEN", "another has taken the seat")


class UnknownPodError(UnknownError):
    """No process has this id or address."""

    def __init__(self) -> None:
        super().__init__("NO_SUCH_POD", "no such process of the table service")


class NoOtherPodError(NotNowError):
    """Nobody is there to hand tables to."""

    def __init__(self) -> None:
        super().__init__("NO_OTHER_POD", "there is no other process to hand the tables to")


class CommandReusedError(IdReusedError):
    """The command id came before, with another body."""

    def __init__(self) -> None:
        super().__init__("DUPLICATE_COMMAND_BODY", "this command id was given to another command")


class OverloadedError(FullError):
    """The table has too much to do."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__("OVERLOADED", "too much to do", retry_after_ms=retry_after_ms)


class DrainingError(AwayError):
    """This process lets its tables go, or another owns this one by now."""

    def __init__(self) -> None:
        super().__init__(DRAINING, "the table goes on elsewhere: ask again", retry_after_ms=RETRY_AFTER_MS)


class ElsewhereError(AwayError):
    """Another process owns the table: ask there. Who came from outside is never told the address."""

    def __init__(self, owner_address: str) -> None:
        super().__init__(DRAINING, "another process runs the table: ask again", retry_after_ms=RETRY_AFTER_MS)
        self.owner_address = owner_address


def from_journal(_: Exception) -> ApiError:
    """The journal's failure as callers get it: whether the command was applied, its resend will tell."""
    return AwayError(DEPENDENCY_AWAY, "the journal cannot be reached: send it again", retry_after_ms=RETRY_AFTER_MS)


def from_rules(refused: RefusedError) -> ApiError:
    """The rules' refusal as callers get it: its code, and the one status that the code has."""
    return ApiError(refused.code.value, str(refused), status=STATUS_OF[refused.code.value])
