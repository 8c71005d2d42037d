"""One HTTP request over a connection of its own, byte by byte: nothing that a library would add or follow is wanted."""

import asyncio
import json
import re
from typing import Any

from tests.support.kit import PATIENCE_S


async def http(
    web: str, verb: str, path: str, body: object = None, *, token: str = "", headers: dict[str, str] | None = None
) -> "Answered":
    """One HTTP request over a connection of its own."""
    payload = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    sent = {"host": web, "connection": "close", "content-length": str(len(payload))}
    if body is not None:
        sent["content-type"] = "application/json"
    if token:
        sent["authorization"] = f"Bearer {token}"
    sent.update(headers or {})
    lines = [f"{verb} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value)]
    host, _, port = web.rpartition(":")
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + payload)
        head, _, content = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
    return Answered(head.decode("latin-1"), content)


class Answered:
    """An HTTP answer."""

    def __init__(self, head: str, content: bytes) -> None:
        first, *rest = head.split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        self.content = _unchunked(content) if self.headers.get("transfer-encoding") == "chunked" else content

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def error(self) -> str:
        return str(self.json["error"]["code"])


def _unchunked(content: bytes) -> bytes:
    whole = b""
    while size := int(re.match(rb"([0-9a-f]+)\r\n", content)[1], 16):  # type: ignore[index]
        begin = content.index(b"\r\n") + 2
        whole, content = whole + content[begin : begin + size], content[begin + size + 2 :]
    return whole
