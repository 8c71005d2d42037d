"""What people at a table may say to each other: the list in phrases.json, which the page reads too."""

import json
from pathlib import Path
from typing import Final, NamedTuple


class Phrase(NamedTuple):
    """A phrase, or a reaction with its sign."""

    id: str
    """What travels."""
    kind: str
    """`phrase` or `reaction`."""
    ar: str
    en: str
    sign: str = ""
    """A reaction's one emoji."""


def _read() -> dict[str, Phrase]:
    listed = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return {fields["id"]: Phrase(**fields) for fields in listed}


PHRASES: Final = _read()
"""In the order of the list, by id."""
