"""Reading JSON values with their kinds checked; whatever is of another kind is a ``RecordError``."""

from collections.abc import Mapping

from shared.rules.cards import FACE_OF
from shared.rules.refusal import RecordError


def as_mapping(value: object, what: str) -> Mapping[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise RecordError(f"{what} is an object")
    return value


def as_list(value: object, what: str, longest: int) -> list[object]:
    """A JSON array of at most ``longest`` items."""
    if not isinstance(value, list):
        raise RecordError(f"{what} is a list")
    if len(value) > longest:
        raise RecordError(f"{what} has over {longest} items")
    return value


def as_int(value: object, what: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``; true and false are none."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RecordError(f"{what} is a whole number from {least} to {most}")
    return value


def as_bool(value: object, what: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise RecordError(f"{what} is true or false")
    return value


def as_half_points(value: object, what: str, most: int) -> int:
    """Points, whole or with a half, as half-points; at most ``most`` points either way."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -most <= value <= most:
        raise RecordError(f"{what} is a number of points")
    doubled = value * 2
    if doubled != int(doubled):
        raise RecordError(f"{what} has halves at the most")
    return int(doubled)


def as_cards(value: object, what: str, longest: int = 106) -> bytes:
    """A list of card codes, as faces."""
    try:
        return bytes(FACE_OF[code] for code in as_list(value, what, longest))  # type: ignore[index]  # the except sees it
    except (KeyError, TypeError):
        raise RecordError(f"{what} holds something that is not a card") from None


def points_json(half_points: int) -> float:
    """Half-points as the record shows points: whole where they are, else with the half."""
    return half_points // 2 if half_points % 2 == 0 else half_points / 2
