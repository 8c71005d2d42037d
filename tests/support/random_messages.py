"""Requests that parse and mean nothing: every field filled at random with what is likely to hurt."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

NUMBERS = (0, 1, 2, 3, 4, 5, 100, 106, 1_000, 2**31 - 1)
TEXTS = (
    "", " ", "\0", "7H", "JK", "ZZ", "7h", "00000000-0000-4000-8000-000000000000", "0" * 32, "f" * 32, "12345678",
    "١٢٣٤٥٦٧٨", "'; DROP TABLE accounts; --", "../../keys/private/lobby.jwk", "%s%n{0}", "house:ada", "\u202eada",
    "😀" * 9, "x" * 5_000,
)  # fmt: skip
MOST_REPEATED = 4
T = TypeVar("T", bound=Message)


def random_message(rng: random.Random, kind: type[T], texts: Sequence[str]) -> T:
    """A message of that kind. ``texts`` are strings that mean something, besides those that mean nothing."""
    message = kind()
    _fill(rng, message, [*TEXTS, *texts, *texts])
    return message


def _fill(rng: random.Random, message: Message, texts: Sequence[str]) -> None:
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.2:
            continue
        if field.message_type is not None:
            held: Any = getattr(message, field.name)
            for _ in range(rng.randrange(MOST_REPEATED) if field.is_repeated else 1):
                if not field.is_repeated:
                    held.SetInParent()
                _fill(rng, held.add() if field.is_repeated else held, texts)
        elif field.is_repeated:
            getattr(message, field.name).extend(_scalar(rng, field, texts) for _ in range(rng.randrange(MOST_REPEATED)))
        else:
            setattr(message, field.name, _scalar(rng, field, texts))


def _scalar(rng: random.Random, field: Any, texts: Sequence[str]) -> Any:
    if field.enum_type is not None:
        return rng.choice([*(value.number for value in field.enum_type.values), 99])
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return rng.randbytes(rng.choice((0, 1, 16, 16, 16, 64, 128)))
        case FieldDescriptor.CPPTYPE_STRING:
            return rng.choice(texts)
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case _:
            return rng.choice(NUMBERS)
