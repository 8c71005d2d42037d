"""What a table needs of the shuffle service."""

from collections.abc import Iterable
from typing import Any

from banakil.shuffle.v1 import relay_pb2
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1.fair_pb2 import FairReceipt

from services.table.ceremony import Receipt
from services.table.commands import ClosedSet, Command, Commitment, Deal, NewStock, Outcome, Reveal, Transcript
from services.table.due import (
    NeedsClosedSet,
    NeedsCommitment,
    NeedsDeck,
    NeedsOutcome,
    NeedsReveal,
    NeedsStock,
    OfShuffle,
)
from services.table.evolve import ceremony_of
from services.table.shuffle_line import ShuffleLine
from services.table.state import Occupant, TableState
from shared.codec.fair import read_fair_deal, write_context
from shared.fairness.context import DealContext
from shared.fairness.derive import DEALER_DRAW
from shared.fairness.fair_json import write_fair
from shared.rules.record import compact_json


class ShuffleAsker:
    """Asks the shuffle service, for all tables over one line."""

    def __init__(self, line: ShuffleLine) -> None:
        self._line = line

    async def once(self, table: TableState, due: OfShuffle, epoch: int) -> Command:
        """The command that answers what is due, for its owner of this epoch. Raises ``ApiError``."""
        owner = wire.TableOwner(table_id=table.table_id, epoch=epoch)
        about: dict[str, Any] = {"context": write_context(due.context), "owner": owner}
        ask = self._line.ask
        match due:
            case NeedsCommitment(ctx):
                begun = await ask(relay_pb2.RelayItem(begin=wire.BeginRequest(**about)))
                return Commitment(ctx, begun.commitment, begun.key_id, begun.commit_signature)
            case NeedsClosedSet(ctx, promises):
                closed = await ask(relay_pb2.RelayItem(close=_closing(table, promises, about)))
                transcript = _transcript(closed.transcript, (), ()) if closed.HasField("transcript") else None
                receipts = _receipts(closed.receipts)
                return ClosedSet(ctx, closed.closed, closed.closed_signature, receipts, transcript)
            case NeedsOutcome(ctx, contributions, with_deck):
                came = [wire.SeatContribution(seat=seat, c=c) for seat, c in enumerate(contributions) if c]
                request = wire.ContributeRequest(contributions=came, last=True, with_deck=with_deck, **about)
                return _outcome(ctx, await ask(relay_pb2.RelayItem(contribute=request)))
            case NeedsDeck(ctx):
                return Deal(ctx, (await ask(relay_pb2.RelayItem(deck=wire.DeckRequest(**about)))).deck)
            case NeedsStock(ctx, number, pile):
                shuffle = wire.ReshuffleRequest(number=number, pile=pile, **about)
                return NewStock(ctx, number, (await ask(relay_pb2.RelayItem(reshuffle=shuffle))).stock)
            case NeedsReveal(ctx, match_over):
                reveal = wire.RevealRequest(match_over=match_over, **about)
                revealed = await ask(relay_pb2.RelayItem(reveal=reveal))
                fair = read_fair_deal(revealed.deal, revealed.void_attempts)
                return Reveal(ctx.match, ctx.deal_no, compact_json(write_fair(fair)))


def _closing(table: TableState, promises: tuple[bytes, ...], about: dict[str, Any]) -> wire.CloseRequest:
    """Who takes part, with what. Bots have no account there, whoever's they are."""
    ceremony = ceremony_of(table)
    seats = [
        wire.CeremonySeat(account_id="" if bot else seat.account, bot=bot, h=b"" if bot else h)
        for seat, h in zip(table.seats, promises, strict=True)
        for bot in [seat.plays is not Occupant.PERSON]
    ]
    draw = ceremony.starter is None and table.options.starter == DEALER_DRAW
    return wire.CloseRequest(seats=seats, dealer_draw_due=draw, host_seat=ceremony.host, cut=ceremony.cut, **about)


def _outcome(ctx: DealContext, answer: wire.ContributeResponse) -> Outcome:
    if answer.HasField("void"):
        return Outcome(ctx, None, tuple(answer.void.deal.failed_seats))
    if not answer.HasField("transcript"):
        raise ValueError("an attempt whose time is over has an outcome")
    contributions = tuple(answer.contributions)
    return Outcome(ctx, _transcript(answer.transcript, contributions, _receipts(answer.receipts)), deck=answer.deck)


def _transcript(signed: wire.Transcript, contributions: tuple[bytes, ...], receipts: tuple[Receipt, ...]) -> Transcript:
    return Transcript(
        transcript=signed.transcript,
        signature=signed.transcript_signature,
        contributions=contributions,
        receipts=receipts,
        starter=signed.starter if signed.HasField("starter") else None,
        automatic_cut=signed.automatic_cut,
    )


def _receipts(receipts: Iterable[FairReceipt]) -> tuple[Receipt, ...]:
    return tuple(Receipt(receipt.seat, receipt.unix_ms, receipt.signature) for receipt in receipts)
