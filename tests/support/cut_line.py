"""A network between a client and a server that can fail: it loses answers, delays what is asked, and is cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Line:
    """Passes bytes on, both ways."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self._host, _, self._port = target.rpartition(":")
        self._answers_pass = True
        self._questions_pass = asyncio.Event()
        self._questions_pass.set()
        self._answered = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._clients: dict[asyncio.StreamWriter, asyncio.StreamWriter] = {}
        """Each with its line to the server."""
        self._deserted: set[asyncio.StreamWriter] = set()
        """Lines to the server whose clients have hung up, which it is not told of."""

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def lose_answers(self) -> None:
        """What is sent still arrives; what comes back does not."""
        self._answers_pass = False

    def pass_answers(self) -> None:
        """From now on they arrive again; what was lost is lost."""
        self._answers_pass = True

    def delay_questions(self) -> None:
        """What is sent arrives once `deliver` is called, even if who sent it is gone by then."""
        self._questions_pass.clear()

    async def deliver(self) -> None:
        """Lets what was delayed arrive; returns once the server has answered."""
        self._answered.clear()
        self._questions_pass.set()
        await self._answered.wait()

    def hang_up(self) -> None:
        """The clients notice that their line is cut; the server does not."""
        for writer, back in self._clients.items():
            self._deserted.add(back)
            writer.transport.abort()

    def break_off(self) -> None:
        """Both ends of all that is connected notice that it is no longer; whoever connects anew gets through."""
        for writer in (*self._clients, *self._clients.values()):
            writer.transport.abort()

    async def cut(self) -> None:
        """Nothing passes any more, and both ends notice."""
        if self._server is not None:
            self._server.close()
        self.break_off()
        for writer in self._deserted:
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(self._host, int(self._port))
        except OSError:
            writer.transport.abort()
            return
        self._clients[writer] = back
        await asyncio.gather(self._pass(reader, back, asked=True), self._pass(there, writer, asked=False))
        del self._clients[writer]

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, asked: bool) -> None:
        try:
            while data := await reader.read(65_536):
                if asked:
                    await self._questions_pass.wait()
                else:
                    self._answered.set()
                if asked or self._answers_pass:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        if writer not in self._deserted:
            writer.close()


@asynccontextmanager
async def open_line(target: str) -> AsyncIterator[Line]:
    """A line to ``host:port``, good until it is made to fail."""
    line = Line(target)
    await line.open()
    try:
        yield line
    finally:
        await line.cut()
