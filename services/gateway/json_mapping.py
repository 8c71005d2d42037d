"""Messages as JSON and back, by protobuf's own mapping; and JSON as the gateway reads and writes it."""

import json
from typing import Any, Final, TypeVar

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message

from shared.codec.errors import MalformedError

M = TypeVar("M", bound=Message)

_encoder: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def encode(value: object) -> str:
    """Compact JSON."""
    return _encoder.encode(value)


def decode(text: str | bytes) -> dict[str, Any]:
    """The object that the text holds. Raises :class:`MalformedError` for any other text."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise MalformedError("not JSON") from None
    if not isinstance(value, dict):
        raise MalformedError("not a JSON object")
    return value


def message_fields(message: Message) -> dict[str, Any]:
    """The message's fields that are set."""
    fields: dict[str, Any] = MessageToDict(message)
    return fields


def read_message(fields: dict[str, Any], kind: type[M], code: str = "BAD_REQUEST") -> M:
    """The message that the fields describe. Raises :class:`MalformedError` (`code`) where they do not."""
    message = kind()
    try:
        ParseDict(fields, message)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError):
        raise MalformedError(f"this is no {kind.DESCRIPTOR.name}", code) from None
    return message


def _refuse(constant: str) -> None:
    raise ValueError(constant)
