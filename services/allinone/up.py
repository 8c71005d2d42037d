"""Runs the platform in the foreground until it is told to stop."""

import asyncio
import signal
import sys
from collections.abc import Callable

from services.allinone.platform import Platform
from shared.kit import logging
from shared.kit.app import run, settle_memory
from shared.kit.keys import KeyFileError
from shared.kit.process_lock import HeldError
from shared.kit.settings import SettingsError


def up(platform: Platform, *, log_level: str, announce: Callable[[str, str], None]) -> int:
    """Serve until SIGTERM or SIGINT. The exit code.

    ``announce`` is given the gRPC address and the page's, once all is there.

    2 where it cannot run: the port or the data folder is in use.
    """
    logging.configure("allinone", level=log_level)
    try:
        run(_serve(platform, announce))
    except HeldError:
        return _complain(f"{platform.data} is in use by another `banakil up`")
    except (OSError, SettingsError, KeyFileError) as error:
        return _complain(str(error))
    return 0


async def _serve(platform: Platform, announce: Callable[[str, str], None]) -> None:
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    pages: list[str] = []
    async with platform.running(pages.append) as app:
        settle_memory()
        announce(app.address, pages[0])
        await told.wait()


def _complain(text: str) -> int:
    sys.stderr.write(text + "\n")
    return 2
