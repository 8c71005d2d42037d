"""Who sits where: a house account and a name for every seat, worked out from its vacancy, so that they never change."""

import hashlib
from typing import Final, NamedTuple

NAMES: Final = (
    "Salma", "Karim", "Layla", "Omar", "Noura", "Yusuf", "Hana", "Tariq", "Dalia", "Faris", "Mariam", "Ziad",
)  # fmt: skip


class HouseSeat(NamedTuple):
    """A seat that is this service's to play."""

    vacancy_id: str
    table_id: str
    account: str
    """As tokens name it: one for each vacancy, which can thus be taken twice by nobody."""
    name: str
    policy: str


def house_seat(table_id: str, vacancy_id: str, seat: int, policy: str) -> HouseSeat:
    """The seat that a vacancy offers. At one table no two of the first twelve seats have one name."""
    account = hashlib.sha256(f"banakil/bots/{table_id}/{vacancy_id}".encode()).hexdigest()[:32]
    first = hashlib.sha256(table_id.encode()).digest()[0]
    return HouseSeat(vacancy_id, table_id, account, NAMES[(first + seat) % len(NAMES)], policy)
