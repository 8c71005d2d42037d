"""What every service's ``__main__`` does: read settings, set up logs, make the app, serve until told to stop."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from shared.kit import logging
from shared.kit.app import App, run, serve
from shared.kit.clock import RealClock
from shared.kit.database import DatabaseAddressError, DatabaseInUseError
from shared.kit.identity import TokenVerifier
from shared.kit.keys import KeyFileError
from shared.kit.settings import Settings, SettingsError

S = TypeVar("S", bound=Settings)


def main(kind: type[S], bind: Callable[[App, S], Awaitable[None]]) -> None:
    """Serves one service by itself; exits with 2 and a plain sentence where settings, keys or database are no use."""
    try:
        settings = kind.load()
        logging.configure(settings.service, level=settings.log_level)
        run(_serve(settings, bind))
    except (SettingsError, KeyFileError, DatabaseAddressError, DatabaseInUseError, OSError) as refusal:
        sys.exit(_complain(str(refusal)))


async def _serve(settings: S, bind: Callable[[App, S], Awaitable[None]]) -> None:
    clock = RealClock()
    app = App(
        verifier=TokenVerifier.from_directory(clock, settings.keys / "public", [settings.service]),
        clock=clock,
        listen=settings.listen,
        metrics_port=settings.metrics_port,
        reflection=settings.reflection,
        drain_ms=settings.drain_ms,
    )

    async def bound(app: App) -> None:
        await bind(app, settings)

    await serve(app, bound, announce=lambda _: None)


def _complain(text: str) -> int:
    sys.stderr.write(text + "\n")
    return 2
