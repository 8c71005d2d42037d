"""How long and how large any file can make a command: ``python -m tests.bench.fuzz_records --count 100000``.

Fuzzed files are answered in this process, each by the commands; files made to cost are given to a process of their
own, start-up included. Prints one JSON object; exits with 1 if a promise is broken: 2 s, 200 MB, no traceback. The
seconds that count are the processor's, which are those of the wall where nothing else runs; the wall's are told too.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from shared.cli.answers import Answer, answer_about, json_line
from shared.cli.hints import hints_answer
from shared.cli.legal import legal_answer
from shared.cli.patience import REPLAY_SECONDS, Patience
from shared.cli.replay import replay_answer
from shared.cli.verify_record import check_file
from shared.cli.verify_report import Evidence
from shared.fairness.signing_keys import KeyBook
from tests.support.fuzzing import fuzzed, valid_records
from tests.support.hostile import hostile_files

MOST_SECONDS: Final = 2.0
MOST_MEGABYTES: Final = 200
COMMANDS: Final[dict[str, Callable[[object, Patience], Answer]]] = {
    "replay": partial(replay_answer, lenient=False),
    "replay --lenient": partial(replay_answer, lenient=True),
    "legal": legal_answer,
    "hints": hints_answer,
    "verify --json": lambda value, patience: check_file(value, Evidence(KeyBook()), patience).json(),
}
FILES_BEFORE_NEW_ONES: Final = 500
BANAKIL: Final = Path(sys.executable).with_name("banakil")


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Answer so many fuzzed files; a traceback ends it, with the file and the seed told."""
    rng = random.Random(seed)
    files: list[bytes] = []
    slowest = dict.fromkeys(COMMANDS, 0.0)
    codes: Counter[str] = Counter()
    for number in range(count):
        if number % FILES_BEFORE_NEW_ONES == 0:
            files = valid_records(rng, 30, rng.choice((10, 60, 400)))
        data = fuzzed(rng, files)
        for command, answerer in COMMANDS.items():
            began = time.process_time()
            try:
                answer = answer_about(data, answerer, REPLAY_SECONDS)
                json_line(answer)
            except Exception:
                print(f"seed {seed}, file {number}, {command}: {data!r}", file=sys.stderr)
                raise
            slowest[command] = max(slowest[command], time.process_time() - began)
            error: Any = answer.get("error", {"code": "none"})
            codes[error["code"]] += 1
    return {
        "files": count,
        "seed": seed,
        "slowest_ms": {command: round(1000 * seconds, 1) for command, seconds in slowest.items()},
        "errors": dict(codes.most_common()),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def hostile() -> list[dict[str, Any]]:
    """Each hostile file and command in a process of its own: seconds from its start to its end, and its peak memory."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        for name, data in hostile_files():
            path.write_bytes(data)
            results += [{"file": name, **_run(command, path)} for command in COMMANDS]
    return results


def _run(command: str, path: Path) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen([BANAKIL, *command.split(), path], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return {
            "command": command,
            "exit": process.returncode,
            "seconds": round(seconds, 3),
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mb": round(usage.ru_maxrss / 1024, 1),
            "clean": err.tell() == 0 and len(out.read().splitlines()) == 1 and process.returncode in (0, 2),
        }


def main() -> int:
    """Fuzz, then the hostile files; 1 if a promise is broken."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = parser.parse_args()
    fuzzing = fuzz(given.count, given.seed)
    made = hostile()
    result: dict[str, Any] = {
        "fuzzed": fuzzing,
        "hostile": {
            "runs": len(made),
            "slowest": sorted(made, key=lambda run: -run["cpu_seconds"])[:5],
            "largest": sorted(made, key=lambda run: -run["peak_mb"])[:5],
        },
        "limits": {"seconds": MOST_SECONDS, "mb": MOST_MEGABYTES},
    }
    result["kept"] = (
        max(fuzzing["slowest_ms"].values()) <= 1000 * MOST_SECONDS
        and fuzzing["peak_mb"] <= MOST_MEGABYTES
        and all(
            run["clean"] and run["cpu_seconds"] <= MOST_SECONDS and run["peak_mb"] <= MOST_MEGABYTES for run in made
        )
    )
    print(json.dumps(result, indent=2))
    return 0 if result["kept"] else 1


if __name__ == "__main__":
    sys.exit(main())
