"""Reading record files named on the command line."""

import sys
from typing import Final

from shared.rules.record import LARGEST_BYTES
from shared.rules.refusal import RecordError

STDIN: Final = "-"


def read_file(name: str) -> bytes:
    """The bytes of a file, of standard input for ``-``; never more than it takes to see that they are too many.

    Raises ``RecordError`` for a file that can't be read.
    """
    try:
        if name != STDIN:
            with open(name, "rb") as file:
                return file.read(LARGEST_BYTES + 1)
        if sys.stdin is None:
            raise RecordError("standard input is closed")
        return sys.stdin.buffer.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RecordError(f"can't be read: {error}") from None
