"""Every value of a request is within its limits, or the call is refused."""

import pytest
from banakil.shuffle.v1 import shuffle_pb2 as wire

from services.shuffle.attempts import Owner
from services.shuffle.closing import Closing, SeatAsked
from services.shuffle.refusals import BadRequestError
from services.shuffle.requests import read_closing, read_match_id, read_owner, read_pile
from shared.fairness.closed import NO_HOST

TABLE_ID = "5c4b3a29-0000-4000-8000-000000000001"
JOKER = 52


def test_an_owner_is_a_table_and_its_epoch() -> None:
    assert read_owner(wire.TableOwner(table_id=TABLE_ID, epoch=2**63 - 1)) == Owner(TABLE_ID, 2**63 - 1)


@pytest.mark.parametrize(
    "owner",
    [
        wire.TableOwner(),
        wire.TableOwner(table_id="5C4B3A29-0000-4000-8000-000000000001", epoch=1),
        wire.TableOwner(table_id="5c4b3a29000040008000000000000001", epoch=1),
        wire.TableOwner(table_id="table", epoch=1),
        wire.TableOwner(table_id=TABLE_ID, epoch=2**63),
    ],
)
def test_an_owner_out_of_its_form_is_refused(owner: wire.TableOwner) -> None:
    with pytest.raises(BadRequestError):
        read_owner(owner)


def test_no_host_and_seat_nought_are_told_apart() -> None:
    seats = [wire.CeremonySeat(account_id="a"), wire.CeremonySeat(bot=True)]
    read = (SeatAsked("a", bot=False), SeatAsked("", bot=True))
    assert read_closing(wire.CloseRequest(seats=seats)) == Closing(read, dealer_draw_due=False, host=NO_HOST)
    asked = wire.CloseRequest(seats=seats, host_seat=0, cut=9)
    assert read_closing(asked) == Closing(read, dealer_draw_due=False, host=0, cut=9)


@pytest.mark.parametrize(
    "request_",
    [
        wire.CloseRequest(seats=[wire.CeremonySeat()] * 5),
        wire.CloseRequest(seats=[wire.CeremonySeat(account_id="a" * 65)]),
        wire.CloseRequest(seats=[wire.CeremonySeat(account_id="a\0")]),
        wire.CloseRequest(host_seat=255),
        wire.CloseRequest(host_seat=4),
    ],
)
def test_a_closing_beyond_its_limits_is_refused(request_: wire.CloseRequest) -> None:
    with pytest.raises(BadRequestError):
        read_closing(request_)


@pytest.mark.parametrize("pile", [b"\0", b"\0\0" + bytes([JOKER] * 2), bytes(range(53)) + bytes(range(52))])
def test_a_part_of_the_deck_is_a_pile(pile: bytes) -> None:
    assert read_pile(pile) == pile


@pytest.mark.parametrize("pile", [b"", b"\0\0\0", bytes([JOKER] * 3), bytes([53]), bytes(range(53)) * 2])
def test_what_is_no_part_of_the_deck_is_refused(pile: bytes) -> None:
    with pytest.raises(BadRequestError):
        read_pile(pile)


def test_a_match_id_has_16_bytes() -> None:
    assert read_match_id(bytes(16)) == bytes(16)
    for wrong in (b"", bytes(15), bytes(17)):
        with pytest.raises(BadRequestError):
            read_match_id(wrong)
