"""What the API answers about shuffles, saved to a file: messages as protobuf's JSON mapping has them."""

import json
from typing import Any, TypeVar

from banakil.shuffle.v1 import days_pb2, shuffle_pb2
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message

from shared.codec.errors import MalformedError
from shared.codec.fair_days import read_day_proof
from shared.fairness.day import DayProof
from shared.rules.refusal import RecordError

M = TypeVar("M", bound=Message)


def audit_message(fields: dict[str, Any]) -> shuffle_pb2.AuditResponse:
    """An audit export. Raises ``RecordError``."""
    return _message(fields, shuffle_pb2.AuditResponse)


def day_proofs(fields: dict[str, Any]) -> list[DayProof]:
    """The days of a ``GetProofResponse``. Raises ``RecordError``."""
    try:
        return list(map(read_day_proof, _message(fields, days_pb2.GetProofResponse).proofs))
    except MalformedError as error:
        raise RecordError(f"no proof: {error}") from None


def _message(fields: dict[str, Any], kind: type[M]) -> M:
    """The message, which has one spelling: protobuf would read others too, and so a changed file as the same."""
    name, message = kind.DESCRIPTOR.name, kind()
    try:
        ParseDict(fields, message)
        written = MessageToDict(message)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"this is no {name}: {error}") from None
    if _text(written) != _text(fields):
        raise RecordError(f"this is no {name} as it is written: base64, names or numbers are spelt in another way")
    return message


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
