"""Reading JSON values that are evidence: their types are checked, and nothing unknown passes."""

from shared.fairness.errors import FairnessError

Json = dict[str, object]


def as_object(value: object, where: str, required: tuple[str, ...], optional: tuple[str, ...] | None) -> Json:
    """An object with the required fields and none besides the optional ones (None: any others too)."""
    if not isinstance(value, dict):
        raise FairnessError(where, "is not an object")
    for name in required:
        if name not in value:
            raise FairnessError(where, f"has no {name}")
    if optional is not None:
        for name in value:
            if name not in required and name not in optional:
                raise FairnessError(where, "has a field that is not known")
    return value


def as_list(value: object, where: str, limit: int) -> list[object]:
    """A list of at most `limit` entries."""
    if not isinstance(value, list):
        raise FairnessError(where, "is not a list")
    if len(value) > limit:
        raise FairnessError(where, f"has more than {limit} entries")
    return value


def as_integer(value: object, where: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    # A bool is an int in Python; JSON's true is no number.
    if not isinstance(value, int) or isinstance(value, bool):
        raise FairnessError(where, "is not a whole number")
    if not low <= value <= high:
        raise FairnessError(where, f"is not {low}..{high}")
    return value


def as_text(value: object, where: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise FairnessError(where, "is not a string")
    return value
