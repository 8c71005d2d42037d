"""What a process that plays house bots' seats takes of a core: `python -m tests.bench.bot_seats --seats 200 --level 3`.

The bots are a process of their own, at the pace at which people see them play; tables, shuffle and nats-server are
others. Nobody looks on, so that nobody is spoken to. The first half minute, in which they all sit down, is not counted.
"""

import argparse
import asyncio
import json
import os
import re
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Final

from shared.kit import logging
from shared.kit.clock import RealClock
from shared.kit.ports import free_port
from shared.rules.options import preset_options
from tests.support.house import open_house

SETTLED_MS: Final = 30_000
TICKS: Final = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Prints the figures as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--preset", default="sahrat")
    args = parser.parse_args()
    logging.configure("bench", level="error")
    with tempfile.TemporaryDirectory(prefix="banakil-bots-") as folder:
        print(json.dumps(asyncio.run(_measure(Path(folder), args.seats, args.seconds, args.level, args.preset))))


async def _measure(folder: Path, seats: int, seconds: int, level: int, preset: str) -> dict[str, Any]:
    clock, options, port = RealClock(), preset_options(preset), free_port()
    async with open_house(folder, pace=1.0) as house, house.tables():
        process = await house.bots_process(metrics_port=port, log_level="warning")
        try:
            tables = [await house.create(options, level=level) for _ in range(seats // options.seats)]
            await asyncio.gather(*(house.fact("match_started", table_id) for table_id in tables))
            await clock.sleep_ms(SETTLED_MS)
            began_s, before = time.monotonic(), await asyncio.to_thread(_figures, process.pid, port)
            await clock.sleep_ms(seconds * 1_000)
            took_s, after = time.monotonic() - began_s, await asyncio.to_thread(_figures, process.pid, port)
        finally:
            process.terminate()
            await process.wait()
    counted = {name: after[name] - before[name] for name in after}
    decisions = counted["banakil_bots_decision_seconds_count"]
    return {
        "seats": after["banakil_bots_seats"],
        "level": level,
        "preset": preset,
        "seconds": round(took_s, 1),
        "cores": round(counted["cpu_s"] / took_s, 3),
        "decisions_per_s": round(decisions / took_s, 1),
        "decision_ms": round(1_000 * counted["banakil_bots_decision_seconds_sum"] / max(1, decisions), 2),
        "fallbacks": counted["banakil_bots_fallbacks_total"],
        "load": os.getloadavg()[0],
    }


def _figures(pid: int, port: int) -> dict[str, float]:
    """What the process has counted, and its processor time with that of its threads, in seconds."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        found = re.findall(r"^(banakil_bots_\w+) ([\d.e+-]+)$", answer.read().decode(), re.MULTILINE)
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return {name: float(value) for name, value in found} | {"cpu_s": (int(times[11]) + int(times[12])) / TICKS}


if __name__ == "__main__":
    main()
