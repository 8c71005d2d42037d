"""Where log lines go. An event is kept as it is and written a moment later, off the path of what it tells of.

Writing one line in the midst of an RPC was measured to cost three times what it costs among other lines. So a line
waits for up to 50 ms; errors do not wait, nor does anything logged where no event loop runs. A process that is killed
loses those last lines, never more.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable
from typing import Final, TextIO

from structlog.typing import EventDict

WAIT_S: Final = 0.05
MOST_WAITING: Final = 500

Renderer = Callable[[EventDict], str]


class LogSink:
    """A logger for structlog, given events that no processor has rendered."""

    def __init__(self, stream: TextIO, render: Renderer) -> None:
        self._stream = stream
        self._render = render
        self._waiting: list[EventDict] = []
        self._lock = threading.Lock()
        self._timer_loop: asyncio.AbstractEventLoop | None = None
        atexit.register(self.flush)

    def info(self, event: EventDict) -> None:
        """Keeps ``event`` until the next flush."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.error(event)
            return
        with self._lock:
            self._waiting.append(event)
            full = len(self._waiting) >= MOST_WAITING
            asleep, self._timer_loop = self._timer_loop is not loop, loop
        if full:
            self.flush()
        elif asleep:
            loop.call_later(WAIT_S, self.flush)

    debug = warning = info

    def error(self, event: EventDict) -> None:
        """Writes ``event`` at once, after all that waits."""
        with self._lock:
            self._waiting.append(event)
        self.flush()

    critical = fatal = exception = error

    def flush(self) -> None:
        """Writes all that waits."""
        with self._lock:
            self._timer_loop = None
            events, self._waiting = self._waiting, []
            if events and not self._stream.closed:
                self._stream.write("".join([self._render(event) + "\n" for event in events]))
                self._stream.flush()
