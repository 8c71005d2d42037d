"""What a table needs of the shuffle service, asked for until it is had."""

from typing import TYPE_CHECKING, Final

import grpc
import structlog
from banakil.shuffle.v1 import shuffle_pb2 as wire

from services.table.commands import Command, Commitment, Deal, NewStock, Reveal
from services.table.due import Due, NeedsCommitment, NeedsDeck, NeedsReveal, NeedsStock, cut_is_due
from services.table.state import Fair, Occupant, TableState
from shared.codec.fair import read_fair_deal, write_context
from shared.fairness.context import DealContext
from shared.fairness.fair_json import write_fair
from shared.kit.clock import Clock
from shared.kit.status import api_error
from shared.rules.record import compact_json

if TYPE_CHECKING:
    from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceAsyncStub

RETRY_FIRST_MS: Final = 250
RETRY_MOST_MS: Final = 5_000
EPOCH: Final = 1
"""SQLite has one owner for ever."""

_log = structlog.get_logger("table.asking")


class ShuffleAsker:
    """Asks the shuffle service over gRPC."""

    def __init__(self, shuffle: "ShuffleServiceAsyncStub", clock: Clock) -> None:
        self._shuffle = shuffle
        self._clock = clock

    async def ask(self, table: TableState, due: Due) -> Command:
        """The command that answers what is due. Tries for ever, 0.25 s to 5 s apart."""
        wait_ms = RETRY_FIRST_MS
        while True:
            try:
                return await self._once(table, due)
            except grpc.aio.AioRpcError as error:
                reason = api_error(error).code
                _log.warning("shuffle.delayed", table=table.table_id, due=type(due).__name__, reason=reason)
            except Exception:
                _log.exception("shuffle.misunderstood", table=table.table_id, due=type(due).__name__)
            await self._clock.sleep_ms(wait_ms)
            wait_ms = min(2 * wait_ms, RETRY_MOST_MS)

    async def _once(self, table: TableState, due: Due) -> Command:
        owner = wire.TableOwner(table_id=table.table_id, epoch=EPOCH)
        match due:
            case NeedsCommitment(ctx):
                begun = await self._shuffle.Begin(wire.BeginRequest(context=write_context(ctx), owner=owner))
                return Commitment(ctx, Fair(begun.commitment, begun.key_id, begun.commit_signature))
            case NeedsDeck(ctx):
                return await self._deal(table, ctx, owner)
            case NeedsStock(ctx, number, pile):
                made = await self._shuffle.Reshuffle(
                    wire.ReshuffleRequest(context=write_context(ctx), owner=owner, number=number, pile=pile)
                )
                return NewStock(ctx, number, made.stock)
            case NeedsReveal(ctx):
                revealed = await self._shuffle.Reveal(wire.RevealRequest(context=write_context(ctx), owner=owner))
                return Reveal(ctx.match, ctx.deal_no, compact_json(write_fair(read_fair_deal(revealed.deal))))

    async def _deal(self, table: TableState, ctx: DealContext, owner: wire.TableOwner) -> Command:
        fair = table.fair
        if fair is None:
            raise ValueError("the ceremony has not begun")
        seats = [
            wire.CeremonySeat(account_id="" if bot else seat.account, bot=bot)
            for seat in table.seats
            for bot in [seat.occupant is not Occupant.PERSON]
        ]
        request = wire.CloseRequest(context=write_context(ctx), owner=owner, seats=seats)
        if cut_is_due(table):
            request.host_seat = table.host_seat
        request.dealer_draw_due = table.starter is None and table.options.starter == "dealer_draw"
        closed = await self._shuffle.Close(request)
        drawn = closed.transcript
        deck = await self._shuffle.Deck(wire.DeckRequest(context=write_context(ctx), owner=owner))
        published = fair._replace(
            closed=closed.closed,
            closed_signature=closed.closed_signature,
            transcript=drawn.transcript,
            transcript_signature=drawn.transcript_signature,
        )
        return Deal(ctx, published, drawn.starter if drawn.HasField("starter") else None, deck.deck)
