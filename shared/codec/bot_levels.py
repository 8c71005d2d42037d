"""How well house bots play: levels, from 1, the weakest, to 5."""

from typing import Final

from shared.codec.errors import MalformedError

BOT_LEVELS: Final = range(1, 6)
DEFAULT_BOT_LEVEL: Final = 3
"""Where nothing is said, and in the place of a player who is gone."""


def read_bot_level(level: int) -> int:
    """A level as it came; 0 where nothing is said. Raises `MalformedError`."""
    if level and level not in BOT_LEVELS:
        raise MalformedError(f"house bots play at a level from {BOT_LEVELS[0]} to {BOT_LEVELS[-1]}")
    return level
