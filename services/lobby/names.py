"""What a display name may be: shown beside a seat, in either direction of writing, and never able to deceive."""

import itertools
import unicodedata
from typing import Final

from services.lobby.refusals import BadRequestError

MAX_CHARS: Final = 24
MAX_WIRE_CHARS: Final = 200
"""More than this is not even looked at."""
MARKS_IN_A_ROW: Final = 4
"""Arabic needs two on a letter; a tower of them would reach into the seats around it."""

_JOINERS: Final = "\u200c\u200d"
"""Persian words and emoji need them; they are of a category whose others reverse or hide text."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Called letters and symbols, and not to be seen."""
_REFUSED: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_VISIBLE: Final = frozenset("LNPS")


def read_name(text: str) -> str:
    """The name as it is kept: NFC, trimmed, one space at most between words.

    Raises `BadRequestError` unless it then has 1..24 characters of which some are seen, none is a control and none
    steers the direction of writing.
    """
    if len(text) > MAX_WIRE_CHARS:
        raise _refused()
    name = unicodedata.normalize("NFC", text.strip())
    if any(_is_refused(char) for char in name) or _has_tower(name):
        raise _refused()
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_CHARS or not any(_category(char)[0] in _VISIBLE for char in name):
        raise _refused()
    return name


def _is_refused(char: str) -> bool:
    return char in _BLANK or (_category(char) in _REFUSED and char not in _JOINERS)


def _category(char: str) -> str:
    # Python's tables know no emoji newer than themselves: in their blocks, what is unknown is a symbol.
    return "So" if "\U0001f000" <= char <= "\U0001faff" else unicodedata.category(char)


def _has_tower(name: str) -> bool:
    marks = itertools.groupby(name, lambda char: _category(char).startswith("M"))
    return any(is_mark and len(list(run)) > MARKS_IN_A_ROW for is_mark, run in marks)


def _refused() -> BadRequestError:
    return BadRequestError(
        f"a display name has 1 to {MAX_CHARS} characters that can be seen, and no control characters"
    )
