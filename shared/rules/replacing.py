"""Named tuples with many fields, of which each step changes a few."""

from typing import Any, TypeVar

T = TypeVar("T", bound=tuple[Any, ...])


def quickly_replaced(kind: type[T]) -> type[T]:
    """Have a named tuple's ``_replace`` take half the time: the library's walks through the names of all fields."""
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # a named tuple's
    places = {name: place for place, name in enumerate(fields)}

    def replace(self: T, /, **changes: object) -> T:
        values = list(self)
        for name, value in changes.items():
            values[places[name]] = value
        return tuple.__new__(kind, values)

    kind._replace = replace  # type: ignore[attr-defined]  # as above
    return kind
