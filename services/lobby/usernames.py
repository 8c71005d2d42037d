"""What a user name may be, and when two are the same: nobody can take one that looks like another's.

Letters are Latin or Arabic, of one of both; of the Arabic script those that Arabic and Persian are written with, since
others differ from them by a stroke. Digits are Latin, or beside Arabic letters Arabic. For telling names apart a letter
is what it looks like: no case, no accents, hamzas or other marks, no separators, digits by their value, and one letter
for all that are drawn alike.
"""

import itertools
import unicodedata
from typing import Final

from services.lobby.refusals import BadRequestError

MIN_CHARS: Final = 3
MAX_CHARS: Final = 24
MAX_WIRE_CHARS: Final = 200
"""More than this is not even looked at."""

_SEPARATORS: Final = " _-."
_PLAIN: Final = str.maketrans({"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_ALIKE: Final = str.maketrans(
    {**dict.fromkeys("1ilا", "l"), "0": "o", "ى": "ي", "ی": "ي", "ک": "ك", **dict.fromkeys("هةھہ", "5")}
)
_PERSIAN: Final = "پچژکگی"
_URDU: Final = "ھہ"
_RESERVED: Final = frozenset(
    {"admin", "administrator", "banakil", "moderator", "operator", "support", "system", "بناكل", "الادارة", "مشرف"}
)


def read_username(text: str) -> str:
    """The name as it is kept and shown: NFKC, trimmed, one separator at most between words.

    Raises `BadRequestError` unless it has 3..24 letters and digits, a letter among them, with ` `, `_`, `-` or `.`
    between them.
    """
    if len(text) > MAX_WIRE_CHARS:
        raise _refused()
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not MIN_CHARS <= len(name) <= MAX_CHARS or name[0] in _SEPARATORS or name[-1] in _SEPARATORS:
        raise _refused()
    if any(first in _SEPARATORS and second in _SEPARATORS for first, second in itertools.pairwise(name)):
        raise _refused()
    bare = _bare(name)
    letters = {_script(char) for char in bare if not char.isdecimal()}
    scripts = letters | {_script(char) for char in name if char.isdecimal() and not char.isascii()}
    is_one = bool(letters) and len(scripts) == 1 and "" not in scripts
    if len(bare) < MIN_CHARS or not is_one or username_key(name) in _RESERVED_KEYS:
        raise _refused()
    return name


def username_key(name: str) -> str:
    """What is the same for all names that may be taken for this one, of any text of bounded length."""
    return _bare(unicodedata.normalize("NFKC", name)).translate(_ALIKE)


def _bare(name: str) -> str:
    """The letters and digits alone: no case, no marks, no separators, digits as 0..9."""
    folded = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    kept = (char for char in folded if unicodedata.category(char) != "Mn" and char not in _SEPARATORS)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in kept)


def _script(char: str) -> str:
    if "a" <= char <= "z":
        return "latin"
    is_letter = "\u0621" <= char <= "\u063a" or "\u0641" <= char <= "\u064a" or char in _PERSIAN + _URDU
    is_digit = "\u0660" <= char <= "\u0669" or "\u06f0" <= char <= "\u06f9"
    return "arabic" if is_letter or is_digit else ""


def _refused() -> BadRequestError:
    return BadRequestError(
        f"a user name has {MIN_CHARS} to {MAX_CHARS} Latin or Arabic letters and digits, and is none of our own"
    )


_RESERVED_KEYS: Final = frozenset(map(username_key, _RESERVED))
