"""ShuffleService: reads, does, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from typing import Any

import grpc
from banakil.shuffle.v1 import fair_pb2, shuffle_pb2, shuffle_pb2_grpc

from services.shuffle.attempts import StoredAttempt
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.requests import read_closing, read_match_id, read_owner, read_pile
from services.shuffle.signing_keys import public_bytes
from shared.codec.fair import read_context, write_attempt, write_context
from shared.fairness.fair_deal import Signatures
from shared.kit.limits import RateLimiter
from shared.kit.rpc_context import principal

Context = grpc.aio.ServicerContext[Any, Any]


class ShuffleServicer(shuffle_pb2_grpc.ShuffleServiceServicer):
    """See shuffle.proto. `audits` limits how often one caller may ask for what is public."""

    def __init__(self, ceremonies: Ceremonies, audits: RateLimiter) -> None:
        self._ceremonies = ceremonies
        self._audits = audits

    async def Begin(self, request: shuffle_pb2.BeginRequest, _context: Context) -> shuffle_pb2.BeginResponse:
        begun = await self._ceremonies.begin(read_owner(request.owner), read_context(request.context))
        return shuffle_pb2.BeginResponse(
            commitment=begun.commitment, key_id=begun.key_id, commit_signature=begun.commit_signature
        )

    async def Close(self, request: shuffle_pb2.CloseRequest, _context: Context) -> shuffle_pb2.CloseResponse:
        ctx = read_context(request.context)
        closed = await self._ceremonies.close(read_owner(request.owner), ctx, read_closing(request))
        part = closed.part
        return shuffle_pb2.CloseResponse(
            closed=part.closed.encode(),
            closed_signature=part.signature,
            transcript=shuffle_pb2.Transcript(
                transcript=part.transcript,
                transcript_signature=part.transcript_signature,
                starter=closed.starter,
                automatic_cut=closed.automatic_cut,
            ),
        )

    async def Deck(self, request: shuffle_pb2.DeckRequest, _context: Context) -> shuffle_pb2.DeckResponse:
        deck = await self._ceremonies.deck(read_owner(request.owner), read_context(request.context))
        return shuffle_pb2.DeckResponse(deck=deck)

    async def Reshuffle(
        self, request: shuffle_pb2.ReshuffleRequest, _context: Context
    ) -> shuffle_pb2.ReshuffleResponse:
        owner, ctx, pile = read_owner(request.owner), read_context(request.context), read_pile(request.pile)
        return shuffle_pb2.ReshuffleResponse(stock=await self._ceremonies.reshuffle(owner, ctx, request.number, pile))

    async def Reveal(self, request: shuffle_pb2.RevealRequest, _context: Context) -> shuffle_pb2.RevealResponse:
        revealed = await self._ceremonies.reveal(read_owner(request.owner), read_context(request.context))
        return shuffle_pb2.RevealResponse(deal=_public(revealed))

    async def Audit(self, request: shuffle_pb2.AuditRequest, context: Context) -> shuffle_pb2.AuditResponse:
        self._audits.admit(principal().account or _host(context), "RATE_LIMITED")
        public = await self._ceremonies.audit(read_match_id(request.match_id))
        key_ids = dict.fromkeys(attempt.key_id for attempt in public.attempts)
        return shuffle_pb2.AuditResponse(
            deals=map(_public, public.attempts),
            withheld_count=public.withheld,
            keys=[shuffle_pb2.SigningKey(key_id=key_id, public_key=public_bytes(key_id)) for key_id in key_ids],
        )


def _public(attempt: StoredAttempt) -> fair_pb2.FairDeal:
    """What is public of an attempt by now: its secret only once that is revealed."""
    signatures = Signatures(attempt.key_id, attempt.signatures())
    if attempt.closed is None:
        return fair_pb2.FairDeal(
            context=write_context(attempt.ctx),
            commitment=attempt.commitment,
            signatures=fair_pb2.FairSignatures(key_id=attempt.key_id, commit=attempt.commit_signature),
        )
    return write_attempt(
        attempt.closed.closed,
        attempt.closed.contributions,
        secret=b"" if attempt.revealed is None else attempt.revealed.secret,
        transcript=attempt.closed.transcript,
        signatures=signatures,
    )


def _host(context: Context) -> str:
    """The caller's address without its port."""
    return context.peer().rpartition(":")[0]
