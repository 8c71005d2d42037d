"""Players for coins: with a name, and a few finished matches, of which the facts alone are made."""

import json
import uuid
from contextlib import AsyncExitStack
from typing import Any

import grpc
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_SAHRAT, RuleOptions
from banakil.events.v1.facts_pb2 import Fact, MatchEnded, MatchSeat
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.wallet.v1.wallet_pb2 import GetWalletRequest
from google.protobuf.message import Message

from services.bots.policies.greedy import Greedy
from shared.codec.facts import fact_subject
from shared.codec.options import read_options, write_options
from shared.codec.views import read_deal_view
from shared.kit.bus import open_bus
from shared.kit.clock import RealClock
from tests.support.calls import METHODS, call
from tests.support.up import Up
from tests.support.wire_seat import Guest, Seat, come, patiently

PASSWORD = "a long enough one"
MATCHES = 3
LOOK_MS = 250
"""Between two looks: a page has the same account, and its calls are limited together with these."""


async def ask(channel: grpc.aio.Channel, name: str, request: Message, guest: Guest) -> Any:
    """An answer or a refusal; where there were too many calls, after the wait that was asked for."""
    return await patiently(lambda: call(channel, METHODS[name], request, guest.jwt))


async def named(channel: grpc.aio.Channel, username: str) -> Guest:
    """An account with a name and `PASSWORD`."""
    guest = await come(channel, username)
    request = accounts_pb2.NameAccountRequest(username=username, password=PASSWORD)
    answer = await call(channel, METHODS["NameAccount"], request, guest.jwt)
    return guest._replace(jwt=answer.token.jwt)


async def finish_matches(up: Up, channel: grpc.aio.Channel, first: Guest, second: Guest) -> None:
    """Tells of matches of the two, as the table service does of those that ended; returns once the wallet knows."""
    nats = json.loads((up.data / "nats" / "nats.conf").read_text())
    password = (up.data / "run" / "table.password").read_text()
    seats = [MatchSeat(account_id=guest.account, display_name=guest.name) for guest in (first, second)]
    options = write_options(read_options(RuleOptions(preset=PRESET_SAHRAT, mode=MODE_DUEL)))
    async with open_bus(f"nats://{nats['listen']}", name="table", password=password) as bus:
        for _ in range(MATCHES):
            match_id = uuid.uuid4().hex
            match = MatchEnded(
                series_id=match_id, match_id=match_id, match_no=1, options=options, seats=seats,
                total_half_points=[310, 20], winner_team=0, last_deal_no=3,
            )  # fmt: skip
            fact = Fact(fact_id=str(uuid.uuid4()), at_ms=1, table_id=str(uuid.uuid4()), match_ended=match)
            await bus.publish(fact_subject(fact), fact.SerializeToString(), fact.fact_id)

    for guest in (first, second):
        finished = 0
        while finished < MATCHES:
            wallet = await ask(channel, "GetWallet", GetWalletRequest(), guest)
            finished = wallet.matches_finished
            await RealClock().sleep_ms(LOOK_MS)


async def table_of(channel: grpc.aio.Channel, guest: Guest) -> str:
    """The table at which the guest sits, once there is one."""
    while not (answer := await ask(channel, "ListMyTables", lobby_pb2.ListMyTablesRequest(), guest)).tables:
        await RealClock().sleep_ms(LOOK_MS)
    return str(answer.tables[0].table_id)


async def play_on(channel: grpc.aio.Channel, table_id: str, *guests: Guest) -> None:
    """Plays the guests' hands to the match's end."""
    async with AsyncExitStack() as stack:
        seats = [await stack.enter_async_context(Seat(channel, table_id, guest)) for guest in guests]
        while not seats[0].closed and not seats[0].view.match.HasField("winner_team"):
            revision = max(seat.client.revision for seat in seats)
            acting = next((seat for seat in seats if seat.state is not None and seat.client.revision == revision), None)
            if acting is not None:
                deal = read_deal_view(acting.view.deal, read_options(acting.view.options), acting.number)
                await acting.call("Act", acting.request(Greedy().choose(deal)))
            # The clock may have been quicker: either way something happens.
            await seats[0].reach(revision + 1)
