"""Which rules these are. A table is played to its end by those that it began with."""

from typing import Final

RULES_VERSION: Final = 1
"""Raised with any change after which the same actions give other events, or the same events another state."""
KNOWN_VERSIONS: Final = frozenset({RULES_VERSION})
"""Those that this code can play."""
