"""Runs the minimal bot of the examples as its reader would: alone, in another process, by the public interface."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.up import Up, environment

SCRIPT = Path(__file__).resolve().parents[2] / "services" / "bots" / "examples" / "minimal_bot.py"


class Played(NamedTuple):
    """What it said in the end, and the record that it kept."""

    preset: str
    mode: str
    path: Path
    totals: list[float]
    winner: int

    @property
    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.path.read_text())
        return record

    @property
    def match_id(self) -> str:
        return str(self.record["deals"][0]["fair"]["match"])


async def play_match(up: Up, preset: str, mode: str) -> Played:
    """A whole match of its own against house bots."""
    path = up.folder / f"{preset}-{mode}.json"
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), "--address", up.address, "--preset", preset, "--mode", mode, "--out", str(path),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=environment(),
    )  # fmt: skip
    out, _ = await process.communicate()
    said = out.decode()
    assert process.returncode == 0, said
    first, second, won = said.splitlines()[-1].split(" : ")
    return Played(preset, mode, path, [float(first), float(second)], int(won.removeprefix("won by team ")))
