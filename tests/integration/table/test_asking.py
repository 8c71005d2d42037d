"""A shuffle service that is away: its table waits, asks again, and goes on once it is there."""

import asyncio
from pathlib import Path

from banakil.shuffle.v1.relay_pb2_grpc import RelayServiceStub
from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceStub

from services.shuffle.app import bind
from services.shuffle.settings import ShuffleSettings
from services.table.asking import RETRY_MOST_MS, Asking
from services.table.commands import Command, Commitment, Deal, Outcome
from services.table.due import NeedsClosedSet, NeedsCommitment, NeedsDeck, NeedsOutcome, what_is_due
from services.table.journal import FIRST_EPOCH
from services.table.shuffle_asking import ShuffleAsker
from services.table.shuffle_line import ShuffleLine
from services.table.stake_asking import StakeAsker
from shared.codec.methods import repeatable_methods
from shared.kit.app import App
from shared.kit.clients import Channels
from shared.kit.clock import RealClock, VirtualClock
from shared.rules.cards import FULL_DECK
from tests.support.kit import Identities
from tests.support.tables import PureTable


async def test_a_table_asks_until_the_shuffle_service_is_there(tmp_path: Path) -> None:
    clock, identities = VirtualClock(), Identities(RealClock())
    app = App(verifier=identities.verifier("shuffle"), clock=RealClock())
    settings = ShuffleSettings.load(database_url=f"sqlite:///{tmp_path}/shuffle.db", keys=tmp_path / "keys")
    async with (
        Channels(identities.credentials("table"), repeatable=repeatable_methods()) as channels,
        ShuffleLine(RelayServiceStub(channels.to(app.address, "shuffle")), clock) as line,
    ):
        wallet = WalletServiceStub(channels.to(app.address, "wallet"))
        asker = Asking(ShuffleAsker(line), StakeAsker(wallet), clock)
        table = PureTable()
        due = what_is_due(table.state, table.gathered())
        assert isinstance(due, NeedsCommitment)
        asking = asyncio.ensure_future(asker.ask(table.state, due, FIRST_EPOCH))
        done, _ = await asyncio.wait([asking], timeout=0.3)
        assert not done
        async with app.serving(lambda app: bind(app, settings)):
            while not asking.done():
                clock.advance(RETRY_MOST_MS)
                await asyncio.wait([asking], timeout=0.05)
            commitment = await asking
            assert isinstance(commitment, Commitment)
            table.apply(commitment)
            table.clients = frozenset({0, 2})
            answer: Command = commitment
            for kind in (NeedsClosedSet, NeedsOutcome):
                due = what_is_due(table.state, table.gathered())
                assert isinstance(due, kind)
                answer, again = [await asker.ask(table.state, due, FIRST_EPOCH) for _ in range(2)]
                assert answer == again
                table.apply(answer)
            due = what_is_due(table.state, table.gathered())
            assert due is None
            assert isinstance(answer, Outcome)
            ceremony = table.state.fair
            assert ceremony is not None
            assert [receipt.seat for receipt in ceremony.contribution_receipts] == [0, 2]
            assert [bool(c) for c in ceremony.contributions] == [True, False, True, False]
            assert sorted(answer.deck) == sorted(FULL_DECK)
            deal, again = [await asker.ask(table.state, NeedsDeck(ceremony.context), FIRST_EPOCH) for _ in range(2)]
            assert deal == again == Deal(ceremony.context, answer.deck)
