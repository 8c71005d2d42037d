"""Runs the platform in the foreground until it is told to stop."""

import asyncio
import signal
import sys
from collections.abc import Callable

from services.allinone.platform import Platform
from shared.kit import logging
from shared.kit.app import run, settle_memory
from shared.kit.database import DatabaseInUseError


def up(platform: Platform, *, log_level: str, announce: Callable[[str], None]) -> int:
    """Serve until SIGTERM or SIGINT; ``announce`` is given the address once all is there. The exit code.

    2 where it cannot run: the port or the data folder is in use.
    """
    logging.configure("allinone", level=log_level)
    try:
        run(_serve(platform, announce))
    except DatabaseInUseError:
        return _complain(f"{platform.data} is in use by another `banakil up`")
    except OSError as error:
        return _complain(str(error))
    return 0


async def _serve(platform: Platform, announce: Callable[[str], None]) -> None:
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    async with platform.running() as app:
        settle_memory()
        announce(app.address)
        await told.wait()


def _complain(text: str) -> int:
    sys.stderr.write(text + "\n")
    return 2
