"""The table service over a real socket, with the real shuffle service and nats-server, on a clock of the test's."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from banakil.table.v1 import contributing_pb2, records_pb2, seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import FAIR_STEP_SETTLED, STAGE_CLOSED, STAGE_DEAL, STAGE_RESULT

from services.shuffle import app as shuffle
from services.shuffle.settings import ShuffleSettings
from services.table import app as table
from services.table.settings import TableSettings
from services.wallet import app as wallet_app
from services.wallet.settings import WalletSettings
from shared.codec.actions import write_action
from shared.codec.options import read_options, write_options
from shared.codec.refusals import STATUS_OF
from shared.codec.views import read_deal_view
from shared.kit.app import App
from shared.kit.clients import Channels, bearer
from shared.kit.clock import VirtualClock
from shared.kit.identity import SERVICES, TokenIssuer, TokenVerifier
from shared.kit.keys import SigningKey, ensure_keys
from shared.kit.nats_server import NatsServer
from shared.kit.status import ApiError, api_error
from shared.rules.actions import Timeout
from shared.rules.options import Options
from shared.rules.views import seat_state
from tests.support.contributing import Contributor
from tests.support.following import Client
from tests.support.kit import PATIENCE_S
from tests.support.local_shuffle import NOW_MS
from tests.support.play import Temper, next_action
from tests.support.tables import PEOPLE

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

BOLD = Temper(meld=0.9, amend=0.9, take=0.2, undo=0.0, timeout=0.0, mischief=0.0)
ISSUERS = (*sorted(service.value for service in SERVICES), "operator")


@dataclass
class TableServer:
    """What a test has of the running services."""

    data: Path
    app: App
    clock: VirtualClock
    stub: "TableServiceAsyncStub"

    def token(
        self,
        issuer: str = "lobby",
        account: str = "",
        *,
        bot: bool = False,
        named: bool = False,
        life_ms: int = 900_000,
    ) -> str:
        """A player's or a bot's, by lobby, for an account; else the issuer's own for the table service."""
        issuing = TokenIssuer(issuer, SigningKey.load(self.data / "keys" / "private" / f"{issuer}.jwk"), self.clock)
        if account and issuer == "lobby":
            return issuing.for_account(account, bot=bot, named=named, life_ms=life_ms).text
        return issuing.for_service("table", account=account).text

    def by(self, account: str) -> dict[str, Any]:
        """The metadata of a player's call."""
        return {"metadata": bearer(self.token(account=account))}

    async def create(self, options: Options, *people: str, **more: Any) -> str:
        """A table; a seat is vacant where the name is empty."""
        names = people or PEOPLE[: options.seats]
        request = seating_pb2.CreateRequest(
            table_id=more.get("table_id") or str(uuid.uuid4()),
            options=write_options(options),
            seats=[seating_pb2.SeatAssignment(account_id=name, display_name=name.title()) for name in names],
        )
        await self.stub.Create(request, metadata=bearer(self.token("lobby")))
        return request.table_id

    async def dealt(self, options: Options, *people: str) -> str:
        """A table whose first deal is being played, of which nobody's client took part in the shuffle."""
        table_id = await self.create(options, *people)
        request = wire.GetViewRequest(table_id=table_id)
        async with asyncio.timeout(PATIENCE_S):
            while (await self.stub.GetView(request, **self.by("reader"))).view.stage != STAGE_DEAL:
                self.clock.advance(100)
        return table_id

    @asynccontextmanager
    async def watching(self, table_id: str, account: str, last_revision: int = 0) -> AsyncIterator["Sight"]:
        call = self.stub.Watch(wire.WatchRequest(table_id=table_id, last_revision=last_revision), **self.by(account))
        sight = Sight(call, partial(self._contribute, account))
        try:
            yield sight
        finally:
            sight.call.cancel()

    async def _contribute(self, account: str, request: contributing_pb2.ContributeRequest) -> None:
        """As a client does: what comes late is of no use, and the next update tells what is due."""
        try:
            await self.stub.Contribute(request, **self.by(account))
        except grpc.aio.AioRpcError as error:
            if api_error(error).code not in ("CONTRIBUTION_NOT_AWAITED", "STALE_CEREMONY"):
                raise

    async def act(self, table_id: str, account: str, action: Any, moment: tuple[int, int], command_id: str = "") -> int:
        request = wire.ActRequest(
            table_id=table_id,
            command_id=command_id or str(uuid.uuid4()),
            deal_no=moment[0],
            turn_no=moment[1],
            action=write_action(action),
        )
        return (await self.stub.Act(request, **self.by(account))).revision

    async def play_out(self, table_id: str, sights: Mapping[str, "Sight"], rng: random.Random) -> None:
        """Plays until the table is closed: each seat by what it sees alone, and the clock where a result is shown."""
        anyone = next(iter(sights.values()))
        async with asyncio.timeout(PATIENCE_S):
            while anyone.client.view.stage != STAGE_CLOSED:
                stage = anyone.client.view.stage
                if stage == STAGE_DEAL and not anyone.state().reshuffle_due:
                    revision = await self._one_move(table_id, sights, rng)
                else:
                    view = anyone.client.view
                    if stage == STAGE_RESULT and view.next_fair.step in (0, FAIR_STEP_SETTLED):
                        self.clock.advance(8_000)
                    revision = anyone.client.revision + 1
                await asyncio.gather(*(sight.until(revision) for sight in sights.values()))

    async def _one_move(self, table_id: str, sights: Mapping[str, "Sight"], rng: random.Random) -> int:
        account, sight = next(
            (account, sight) for account, sight in sights.items()
            if sight.client.view.viewer_seat == sight.client.view.deal.turn_seat
        )  # fmt: skip
        action = next_action(rng, sight.state(), BOLD)
        assert not isinstance(action, Timeout)
        view = sight.client.view.deal
        self.clock.advance(60)  # nobody plays faster than the service allows
        return await self.act(table_id, account, action, (view.deal_no, view.turn_no))


Contribute = Callable[[contributing_pb2.ContributeRequest], Awaitable[None]]


class Sight:
    """What one open Watch has told; it plays its seat's part in shuffles."""

    def __init__(self, call: Any, contribute: Contribute) -> None:
        self.call = call
        self.client = Client()
        self._contribute = contribute
        self._contributor = Contributor()
        self._updates = aiter(call)

    async def until(self, revision: int) -> None:
        """Reads on until the view has this revision, or the stream ends."""
        async with asyncio.timeout(PATIENCE_S):
            while self.client.revision < revision and await self.more():
                pass

    async def more(self) -> bool:
        """Reads one update; false at the stream's end."""
        try:
            update = await anext(self._updates)
        except StopAsyncIteration:
            return False
        self.client.take(update.SerializeToString())
        for request in self._contributor.due(self.client.view):
            await self._contribute(request)
        return True

    def state(self) -> Any:
        """A deal to think about, made of what is seen."""
        view = self.client.view
        return seat_state(read_deal_view(view.deal, read_options(view.options), view.viewer_seat))


@asynccontextmanager
async def serving_tables(
    data: Path, nats: NatsServer, *, now_ms: int = NOW_MS, wallet: Mapping[str, Any] | None = None, **settings: Any
) -> AsyncIterator[TableServer]:
    """Both services in one app, with their data in a folder that another may go on with. ``settings``: the tables';
    ``wallet``: those of a wallet service beside them, where there is to be one."""
    keys = data / "keys"
    ensure_keys(keys, ISSUERS)
    clock = VirtualClock(now_ms)
    app = App(verifier=TokenVerifier.from_directory(clock, keys / "public", ISSUERS), clock=clock, drain_ms=5_000)

    def common(name: str) -> dict[str, Any]:
        password = data / f"{name}.password"
        password.write_text(nats.passwords.get(name, ""))
        return {
            "database_url": f"sqlite:///{data / name}.db",
            "nats_url": nats.url,
            "nats_password_file": password,
            "keys": keys,
        }

    here: dict[str, Any] = {"shuffle_address": app.address, "wallet_address": app.address}
    tables = TableSettings(**common("table") | settings, **here, sealing_keys=keys / "table-seal")
    shuffles = ShuffleSettings(**common("shuffle"))
    binds: list[Callable[[App], Awaitable[None]]] = [
        lambda app: shuffle.bind(app, shuffles),
        lambda app: table.bind(app, tables),
    ]
    if wallet is not None:
        asked: dict[str, Any] = {"table_address": app.address, "shuffle_address": app.address}
        wallets = WalletSettings(**common("wallet") | dict(wallet), **asked)
        binds.append(lambda app: wallet_app.bind(app, wallets))
    async with (
        app.serving(*binds),
        Channels(None) as channels,
    ):
        yield TableServer(data, app, clock, TableServiceStub(channels.to(app.address, "table")))


async def refused(call: Any) -> ApiError:
    """A refusal, whose status is the one that the protos give its code."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    error = api_error(failed.value)
    assert STATUS_OF[error.code] is error.status
    return error


async def all_watch(
    stack: AsyncExitStack, server: TableServer, table_id: str, people: tuple[str, ...]
) -> dict[str, Sight]:
    """A Watch for each, all having seen that everybody is there and the cards are dealt."""
    sights = {name: await stack.enter_async_context(server.watching(table_id, name)) for name in people}
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*map(_until_all_are_there, sights.values()))
    return sights


async def _until_all_are_there(sight: Sight) -> None:
    await sight.more()
    while sight.client.view.stage != STAGE_DEAL or any(seat.away for seat in sight.client.view.seats):
        await sight.more()


async def whole_record(server: TableServer, match_id: str) -> bytes:
    """The record once every secret in it is out."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            request = records_pb2.GetRecordRequest(match_id=match_id)
            found = await server.stub.GetRecord(request, **server.by("reader"))
            if found.complete:
                return found.record_json.encode()
            server.clock.advance(200)


async def end_of(sight: Sight) -> str:
    try:
        while await sight.more():
            pass
    except grpc.aio.AioRpcError as error:
        return api_error(error).code
    return ""
