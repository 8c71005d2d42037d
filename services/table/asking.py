"""What a table needs of other services, asked for until it is had."""

from typing import Final

import structlog

from services.table.commands import Command
from services.table.due import Due, NeedsStakes
from services.table.shuffle_asking import ShuffleAsker
from services.table.stake_asking import StakeAsker
from services.table.state import TableState
from shared.kit.clock import Clock
from shared.kit.status import ApiError

RETRY_FIRST_MS: Final = 250
RETRY_MOST_MS: Final = 5_000

_log = structlog.get_logger("table.asking")


class Asking:
    """Asks the service that has it."""

    def __init__(self, shuffle: ShuffleAsker, stakes: StakeAsker, clock: Clock) -> None:
        self._shuffle = shuffle
        self._stakes = stakes
        self._clock = clock

    async def ask(self, table: TableState, due: Due, epoch: int) -> Command:
        """The command that answers what is due, for its owner of this epoch. Tries for ever, 0.25 s to 5 s apart."""
        wait_ms = RETRY_FIRST_MS
        while True:
            try:
                if isinstance(due, NeedsStakes):
                    return await self._stakes.once(table, due)
                return await self._shuffle.once(table, due, epoch)
            except ApiError as error:
                _log.warning("answer.delayed", table=table.table_id, due=type(due).__name__, reason=error.code)
            except Exception:
                _log.exception("answer.misunderstood", table=table.table_id, due=type(due).__name__)
            await self._clock.sleep_ms(wait_ms)
            wait_ms = min(2 * wait_ms, RETRY_MOST_MS)
