"""How well house bots play, from 1 to 5, and with what manners: the one place that says so."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from shared.codec.bot_levels import BOT_LEVELS, DEFAULT_BOT_LEVEL


class Level(NamedTuple):
    """A level, as players get to know it."""

    policy: str
    names: tuple[str, str, str, str]
    """Of the bots that play at it: one for each seat of a table. The page says them in its own language."""
    pause_percent: int
    """How long it takes over its actions, measured by what is usual (``pauses.py``)."""
    talk: float
    """How often it says something where that is fitting, 0 to 1."""
    spare: str = ""
    """Of a policy that thinks for long: the one that plays in its place where the processor's time is others' too."""


LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level("easy", ("Salma", "Karim", "Dalia", "Ziad"), 130, 0.8),
        2: Level("greedy", ("Hana", "Omar", "Layla", "Faris"), 110, 0.7),
        3: Level("safe", ("Noura", "Tariq", "Mariam", "Yusuf"), 100, 0.6),
        4: Level("strong", ("Amal", "Rashid", "Lulwa", "Jasim"), 95, 0.5),
        5: Level("expert", ("Moza", "Saqr", "Hessa", "Khalid"), 90, 0.4, spare="strong"),
    }
)
assert list(LEVELS) == list(BOT_LEVELS)


def level_of(number: int) -> Level:
    """A level by its number; the middle one where that is 0, or none that is known."""
    return LEVELS.get(number, LEVELS[DEFAULT_BOT_LEVEL])
