"""Runs the `banakil` command in this process, as its entry point would."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from shared.cli.main import app


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Its lines as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def answer(self) -> dict[str, Any]:
        """Its only line as JSON."""
        [answer] = self.answers
        return answer


def banakil(*arguments: str | Path, stdin: bytes = b"") -> Ran:
    """Run a command. Whatever is no ordinary exit is raised: a user would see a traceback."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)
    return Ran(result.exit_code, result.stdout, result.stderr)


def saved(folder: Path, *records: object) -> list[Path]:
    """Files of these records; bytes are written as they are."""
    paths = [folder / f"{number}.json" for number in range(len(records))]
    for path, value in zip(paths, records, strict=True):
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return paths


def error_places(answers: Sequence[dict[str, Any]]) -> list[tuple[int, int, str] | None]:
    """Where each answer is an error, and its code."""
    errors = [answer.get("error") for answer in answers]
    return [error and (error["deal"], error["action"], error["code"]) for error in errors]
