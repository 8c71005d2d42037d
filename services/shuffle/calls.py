"""What a table asks for, by its message: read strictly, started at once, and how its answer is written."""

from asyncio import Future
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from banakil.shuffle.v1 import shuffle_pb2 as wire

from services.shuffle.answers import write_begun, write_closed, write_opened, write_revealed
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.requests import read_closing, read_contributions, read_owner, read_pile
from shared.codec.fair import read_context

_Response = TypeVar("_Response")


class Call(NamedTuple, Generic[_Response]):
    """One kind of call."""

    start: Callable[[Ceremonies, Any], "Future[Any]"]
    """Takes the request; raises what reading it raises."""
    write: Callable[[Any], _Response]
    """The response, from what the start gave."""


BEGIN: Final = Call(
    lambda ceremonies, asked: ceremonies.begin(read_owner(asked.owner), read_context(asked.context)), write_begun
)
CLOSE: Final = Call(
    lambda ceremonies, asked: ceremonies.close(
        read_owner(asked.owner), read_context(asked.context), read_closing(asked)
    ),
    write_closed,
)
CONTRIBUTE: Final = Call(
    lambda ceremonies, asked: ceremonies.contribute(
        read_owner(asked.owner),
        read_context(asked.context),
        read_contributions(asked),
        last=asked.last,
        with_deck=asked.with_deck,
    ),
    write_opened,
)
DECK: Final = Call(
    lambda ceremonies, asked: ceremonies.deck(read_owner(asked.owner), read_context(asked.context)),
    lambda deck: wire.DeckResponse(deck=deck),
)
RESHUFFLE: Final = Call(
    lambda ceremonies, asked: ceremonies.reshuffle(
        read_owner(asked.owner), read_context(asked.context), asked.number, read_pile(asked.pile)
    ),
    lambda stock: wire.ReshuffleResponse(stock=stock),
)
REVEAL: Final = Call(
    lambda ceremonies, asked: ceremonies.reveal(
        read_owner(asked.owner), read_context(asked.context), match_over=asked.match_over
    ),
    write_revealed,
)
