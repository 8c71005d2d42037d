"""docs/socket.md lists all that the gateway's code has."""

import re
from pathlib import Path

from services.gateway.answers import STATUS
from services.gateway.api import MAX_BODY_BYTES
from services.gateway.frames import MAX_FRAME_CHARS, READERS
from services.gateway.outgoing import MOST_CHARS, MOST_FRAMES
from services.gateway.player_socket import MOST_ACTS, MOST_CONTRIBUTIONS, MOST_HINTS, MOST_SAYINGS
from services.gateway.settings import GatewaySettings

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/socket.md").read_text(encoding="utf-8")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "services/gateway").glob("*.py")))


def test_every_call_is_listed() -> None:
    calls = re.findall(r'Call\(\s*"(\w+)",\s*"([^"]+)"', CODE)
    assert len(calls) == 35
    for verb, path in calls:
        assert f"`{verb} {path}" in PAGE or f"`...{path[path.rindex('/') :]}`" in PAGE, path


def test_every_kind_of_frame_is_listed() -> None:
    for kind in (*READERS, *re.findall(r'"t": "(\w+)"', CODE), "update"):
        assert f'{{"t":"{kind}"' in PAGE, kind


def test_every_reason_to_end_a_socket_is_listed() -> None:
    ends = set(re.findall(r'bye\("?(\w+)"?\)', CODE)) - {"code", "self"}
    assert {"DRAINING", "SLOW_CLIENT", "BAD_FRAME", "HELLO_TIMEOUT", "NO_TOKEN", "INTERNAL"} <= ends
    listed = PAGE[PAGE.index("### `bye`") :]
    assert [code for code in ends if f"`{code}`" not in listed] == []


def test_statuses_and_limits_are_those_of_the_code() -> None:
    for status, number in STATUS.items():
        assert re.search(rf"\b{status.name}\b[^|]*\| {number}\b", PAGE), status
    assert (MAX_BODY_BYTES, MAX_FRAME_CHARS) == (16 * 1024, 16 * 1024)
    assert f"more than {MOST_FRAMES} frames or {MOST_CHARS // 1024} KiB" in PAGE
    defaults = {name: field.default for name, field in GatewaySettings.model_fields.items()}
    assert (defaults["calls_per_second"], defaults["calls_burst"]) == (20, 200)
    assert (defaults["guests_per_minute"], defaults["guests_burst"]) == (6, 20)
    assert (defaults["passwords_per_minute"], defaults["passwords_burst"]) == (6, 20)
    assert (defaults["records_per_minute"], defaults["records_burst"]) == (30, 30)
    assert defaults["sockets_per_account"] == 4
    assert (MOST_ACTS, MOST_CONTRIBUTIONS, MOST_SAYINGS, MOST_HINTS) == (16, 4, 4, 4)
