"""Requests that no client of ours would send: each is refused with a code, and nothing comes of it."""

import random

import grpc
import pytest
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_BANAKIL202, RuleOptions
from banakil.table.v1 import table_pb2
from banakil.table.v1.actions_pb2 import Action, Cards
from google.protobuf.message import DecodeError

from tests.support.calls import METHODS, PLAYERS, Method, Refusal, call
from tests.support.foursome import Foursome
from tests.support.random_messages import random_message
from tests.support.up import Up
from tests.support.wire_seat import Seat, come, new_id, sit_down

MEGABYTE = 2**20
GARBAGE = {
    "no tag": b"\xff\xff",
    "a field cut short": b"\x0a\xff",
    "a number without an end": b"\x80" * 12,
    "a field of number 0": b"\x02\x01x",
    "a text that is no text": b"\x0a\x02\xff\xfe",
    "a group without an end": b"\x0b",
    "a type that there is not": b"\x0e",
    "noise": bytes(range(256)),
}
FUZZED = 40
ACTIONS = {
    "none": Action(),
    "no card": Action(discard=Action.Discard()),
    "no such card": Action(discard=Action.Discard(card="1H")),
    "a card in lower case": Action(discard=Action.Discard(card="7h")),
    "two cards in one": Action(discard=Action.Discard(card="7H8H")),
    "no melds": Action(meld=Action.Lay()),
    "a meld of noise": Action(meld=Action.Lay(melds=[Cards(cards=["\0"])])),
    "too many melds": Action(meld=Action.Lay(melds=[Cards(cards=["7H"])] * 200)),
    "too many cards": Action(meld=Action.Lay(melds=[Cards(cards=["7H"] * 5_000)])),
    "a meld id out of range": Action(amend=Action.Amend(meld_id=2**32 - 1, cards=["7H"])),
    "a count out of range": Action(take=Action.Take(count=2**32 - 1)),
}


def is_read(method: Method, body: bytes) -> bool:
    """Whether anybody could read it."""
    try:
        method.request.FromString(body)
    except DecodeError:
        return False
    return True


@pytest.mark.parametrize("name", PLAYERS)
async def test_bytes_that_cannot_be_read_are_refused_as_such(foursome: Foursome, name: str) -> None:
    method = PLAYERS[name]
    for what, body in GARBAGE.items():
        answer = await call(foursome.channel, method, body, foursome.up.token(new_id()).text)
        if not is_read(method, body):
            assert isinstance(answer, Refusal), what
            assert (answer.code, answer.status) == ("BAD_REQUEST", grpc.StatusCode.INVALID_ARGUMENT), what


@pytest.mark.parametrize("name", PLAYERS)
async def test_a_megabyte_is_refused_unread(foursome: Foursome, name: str) -> None:
    method = PLAYERS[name]
    for body in (
        b"\x00" * MEGABYTE,
        b"\x0a" + varint(MEGABYTE) + b"x" * MEGABYTE,
        b"\x7a" + varint(MEGABYTE) + b"x" * MEGABYTE,
    ):
        answer = await call(foursome.channel, method, body, foursome.up.token(new_id()).text)
        assert isinstance(answer, Refusal)
        assert (answer.code, answer.status) == ("MESSAGE_TOO_LARGE", grpc.StatusCode.RESOURCE_EXHAUSTED)


@pytest.mark.parametrize("what", ACTIONS)
async def test_an_action_that_cannot_be_read_is_refused_as_such(foursome: Foursome, what: str) -> None:
    deal = foursome.mover.view.deal
    request = table_pb2.ActRequest(
        table_id=foursome.table_id,
        command_id=new_id(),
        deal_no=deal.deal_no,
        turn_no=deal.turn_no,
        action=ACTIONS[what],
    )
    async with foursome.unharmed():
        for seat in foursome.seats:
            answer = await seat.call("Act", request)
            assert (answer.code, answer.status) == ("BAD_ACTION", grpc.StatusCode.INVALID_ARGUMENT)


@pytest.mark.parametrize("name", PLAYERS)
async def test_requests_that_mean_nothing_get_an_answer_or_a_code(
    foursome: Foursome, rng: random.Random, name: str
) -> None:
    """And never one that says that it is a fault of ours."""
    method = PLAYERS[name]
    guests = [await come(foursome.channel, f"guest {number}") for number in range(4)]
    match_id = foursome.mover.view.match.match_id
    meaning = [foursome.table_id, match_id, *(guest.account for guest in guests)]
    async with foursome.unharmed():
        for number in range(FUZZED):
            request = random_message(rng, method.request, meaning)
            token = guests[number % len(guests)].jwt if number % 2 else foursome.up.token(new_id()).text
            answer = await call(foursome.channel, method, request, token)
            assert not isinstance(answer, Refusal) or answer.code != "INTERNAL", request


async def test_a_seat_that_sends_nonsense_can_play_on(
    calm: Up, calm_channel: grpc.aio.Channel, rng: random.Random
) -> None:
    options = RuleOptions(preset=PRESET_BANAKIL202, mode=MODE_DUEL, turn_seconds=300)
    guests = [await come(calm_channel, name) for name in ("ada", "bea")]
    table_id = await sit_down(calm_channel, options, *guests)
    async with Seat(calm_channel, table_id, guests[0]) as first, Seat(calm_channel, table_id, guests[1]) as second:
        await first.until(lambda: first.view.HasField("deal"))
        for number in range(2 * FUZZED):
            seat = (first, second)[number % 2]
            request = random_message(rng, table_pb2.ActRequest, [*seat.view.deal.hand])
            request.table_id, request.command_id = table_id, new_id()
            request.deal_no, request.turn_no = seat.view.deal.deal_no, seat.view.deal.turn_no
            answer = await seat.call("Act", request)
            assert isinstance(answer, table_pb2.ActResponse) or answer.code != "INTERNAL", request
        public = (await first.call("GetView", table_pb2.GetViewRequest(table_id=table_id))).view
        for seat in (first, second):
            await seat.reach(public.revision)
            assert seat.view.deal.pile == public.deal.pile
            assert len(seat.view.deal.hand) == public.deal.hand_counts[seat.number]
        laid = sum(len(meld.cards) for meld in public.deal.melds)
        assert sum(public.deal.hand_counts) + public.deal.stock_count + len(public.deal.pile) + laid == 106


async def test_who_asks_too_often_is_told_when_to_ask_again(foursome: Foursome) -> None:
    token = foursome.up.token("somebody in a hurry").text
    request = table_pb2.GetViewRequest(table_id=foursome.table_id)
    answers = [await call(foursome.channel, METHODS["GetView"], request, token) for _ in range(60)]
    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    assert refused
    assert {answer.code for answer in refused} == {"RATE_LIMITED"}
    assert all(answer.retry_after_ms for answer in refused)
    other = foursome.up.token("somebody else").text
    assert not isinstance(await call(foursome.channel, METHODS["GetView"], request, other), Refusal)


def varint(number: int) -> bytes:
    """As messages write lengths."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
