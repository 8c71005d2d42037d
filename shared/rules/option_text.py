"""One option as a word, ``min_real=1``: for the one-line notation and for the command line."""

import re
from typing import Final

from shared.rules.options import CHOICES, NAMES, RANGES, OptionValue
from shared.rules.refusal import RecordError

WORDS: Final = {"true": True, "false": False, "null": None}
"""Written as in JSON, so that an option looks the same in a record, in the documents and here."""
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")


def option_text(name: str, value: OptionValue) -> str:
    """The word for an option; ``parse_option`` reads it back."""
    word = next((word for word, meant in WORDS.items() if value is meant), value)
    return f"{name}={word}"


def parse_option(text: str) -> tuple[str, OptionValue]:
    """Name and value of an option's word. Its range and its kind are for ``make_options`` to check.

    Raises ``RecordError`` for a text that is no ``NAME=VALUE``, or a name that is no option's.
    """
    name, equals, word = text.partition("=")
    if not equals or name not in NAMES:
        raise RecordError(f"not an option: {text!r:.60}")
    if name in CHOICES:
        return name, word
    if word in WORDS:
        return name, WORDS[word]
    if name in RANGES and _NUMBER.fullmatch(word):
        return name, int(word)
    raise RecordError(f"not a value of {name}: {word!r:.40}")
