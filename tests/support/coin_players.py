"""Players for coins: with a name, and a few finished matches, of which the facts alone are made."""

import json
import uuid
from typing import Any

import grpc
from banakil.common.v1.rule_options_pb2 import MODE_DUEL, PRESET_SAHRAT, RuleOptions
from banakil.events.v1.facts_pb2 import Fact, MatchEnded, MatchSeat
from banakil.lobby.v1 import accounts_pb2, lobby_pb2
from banakil.table.v1 import table_pb2
from banakil.table.v1.views_pb2 import STAGE_CLOSED, STAGE_DEAL
from banakil.wallet.v1.wallet_pb2 import GetWalletRequest
from google.protobuf.message import Message

from services.bots.policies.greedy import Greedy
from shared.codec.actions import write_action
from shared.codec.facts import fact_subject
from shared.codec.options import read_options, write_options
from shared.codec.views import read_deal_view
from shared.kit.bus import open_bus
from shared.kit.clock import RealClock
from shared.rules.views import seat_state
from tests.support.calls import METHODS, call
from tests.support.up import Up
from tests.support.wire_seat import Guest, come, new_id, patiently

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
    """Plays the guests' hands to the match's end, while their pages look on: a Watch of one's own would take theirs."""
    request = table_pb2.GetViewRequest(table_id=table_id)
    while True:
        for guest in guests:
            view = (await ask(channel, "GetView", request, guest)).view
            if view.stage == STAGE_CLOSED or view.match.HasField("winner_team"):
                return
            if view.stage != STAGE_DEAL:
                await RealClock().sleep_ms(LOOK_MS)
            if view.stage != STAGE_DEAL or view.deal.turn_seat != view.viewer_seat:
                continue
            deal = read_deal_view(view.deal, read_options(view.options), view.viewer_seat)
            if deal.end is not None or not deal.hand or seat_state(deal).reshuffle_due:
                continue
            act = table_pb2.ActRequest(
                table_id=table_id,
                command_id=new_id(),
                deal_no=view.deal.deal_no,
                turn_no=view.deal.turn_no,
                action=write_action(Greedy().choose(deal)),
            )
            # The clock may have been quicker.
            await ask(channel, "Act", act, guest)
