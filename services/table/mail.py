"""What lies in a table's mailbox: a command, who waits for its revision, and how it is told."""

import os
from typing import NamedTuple, Protocol

import structlog

from services.table.commands import Command
from services.table.journal import JournalError, StoredCommand
from services.table.refusals import CommandReusedError, DrainingError, OverloadedError

_log = structlog.get_logger("table.mail")


class Answer(Protocol):
    """Who waits for a command's revision: a future, or one that is told at once."""

    def done(self) -> bool:
        """Whether nobody waits any more."""

    def set_result(self, revision: int, /) -> None:
        """It was applied."""

    def set_exception(self, error: Exception, /) -> None:
        """It was refused."""


class Envelope(NamedTuple):
    """A command on its way, with who waits for its revision."""

    command: Command
    command_id: str
    digest: bytes
    answer: Answer | None

    def answer_with(self, revision: int) -> None:
        """Tell the revision to who still waits for it."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_result(revision)

    def fail(self, error: Exception) -> None:
        """Tell why it was refused; of the process's own commands the log is told."""
        if self.answer is None:
            # A table that lets go refuses its own commands too; who goes on with it will find out for itself.
            if not isinstance(error, OverloadedError | JournalError | DrainingError):
                _log.error("command.refused", command=type(self.command).__name__, exc_info=error)
        elif not self.answer.done():
            self.answer.set_exception(error)

    def as_before(self, stored: StoredCommand) -> int:
        """The revision that the command made when it first came. Raises ``CommandReusedError`` for another command."""
        if stored.command_digest != self.digest:
            raise CommandReusedError
        return stored.revision


def own_id(kind: str) -> str:
    """A command id of the process's own, never used before."""
    return f"{kind}:{os.urandom(12).hex()}"
