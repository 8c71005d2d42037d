"""Reads what a player wishes, strictly."""

from typing import Final

from banakil.table.v1 import wishes_pb2

from services.table.commands import Wish
from shared.kit.status import MalformedError

_WISHES: Final = {wish.value: wish for wish in Wish}


def read_wish(request: wishes_pb2.AskRequest) -> Wish:
    """Raises ``MalformedError``."""
    wish = request.WhichOneof("wish")
    if wish is None:
        raise MalformedError("BAD_REQUEST", "a request for nothing")
    return _WISHES[wish]
