"""The code by which friends join a room: eight digits, which every keyboard has and no two people hear differently.

Among 90 million, with the 20,000 rooms that may wait at once, a guess hits one in 4,500; joining is rate-limited.
"""

import secrets
import unicodedata
from typing import Final

from services.lobby.refusals import BadRequestError

DIGITS: Final = 8
MAX_WIRE_CHARS: Final = 32
_SEPARATORS: Final = frozenset(" -\u00a0\u2009\u2011")


def make_code() -> str:
    """A code at random. It begins with no zero, which people drop."""
    least = 10 ** (DIGITS - 1)
    return str(least + secrets.randbelow(9 * least))


def read_code(text: str) -> str:
    """The code as it is kept, from any script's digits with any spaces and hyphens. Raises `BadRequestError`."""
    if len(text) <= MAX_WIRE_CHARS:
        digits = [unicodedata.decimal(char, None) for char in text if char not in _SEPARATORS]
        if len(digits) == DIGITS and None not in digits:
            return "".join(map(str, digits))
    raise BadRequestError(f"a code has {DIGITS} digits")
