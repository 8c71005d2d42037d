"""Who sits where: a house account and a name for every seat, worked out from its vacancy, so that they never change."""

import hashlib
from typing import NamedTuple

from services.bots.levels import level_of


class HouseSeat(NamedTuple):
    """A seat that is this service's to play."""

    vacancy_id: str
    table_id: str
    account: str
    """As tokens name it: one for each vacancy, which can thus be taken twice by nobody."""
    name: str
    policy: str
    """How it is played; empty for its level's way."""
    level: int
    """1..5."""


def house_seat(table_id: str, vacancy_id: str, seat: int, level: int, policy: str = "") -> HouseSeat:
    """The seat that a vacancy offers. No two seats of a table have one name, at whatever levels."""
    account = hashlib.sha256(f"banakil/bots/{table_id}/{vacancy_id}".encode()).hexdigest()[:32]
    first = hashlib.sha256(table_id.encode()).digest()[0]
    names = level_of(level).names
    return HouseSeat(vacancy_id, table_id, account, names[(first + seat) % len(names)], policy, level)
