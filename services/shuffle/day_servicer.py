"""DayService: tells anybody of days, proofs and keys."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from datetime import date
from typing import Any, Final

import grpc
from banakil.shuffle.v1 import days_pb2, days_pb2_grpc, shuffle_pb2

from services.shuffle.day_proofs import MOST_DAYS, PublicDays
from services.shuffle.day_store import EPOCH
from services.shuffle.key_periods import KeyPeriods
from services.shuffle.limiting import PublicCalls
from services.shuffle.refusals import BadRequestError
from services.shuffle.requests import read_match_id
from services.shuffle.signing_keys import public_bytes
from shared.codec.fair_days import write_day_proof, write_day_root, write_listed

Context = grpc.aio.ServicerContext[Any, Any]
DAYS_BY_DEFAULT: Final = 31
MOST_INDEX: Final = 2**31 - 1


class DayServicer(days_pb2_grpc.DayServiceServicer):
    """See days.proto."""

    def __init__(self, days: PublicDays, keys: KeyPeriods, calls: PublicCalls) -> None:
        self._days = days
        self._keys = keys
        self._calls = calls

    async def ListDays(self, request: days_pb2.ListDaysRequest, context: Context) -> days_pb2.ListDaysResponse:
        self._calls.admit(context)
        if request.limit > MOST_DAYS:
            raise BadRequestError(f"limit is at most {MOST_DAYS}")
        before = _read_date(request.before_date) if request.before_date else None
        days = await self._days.newest(before, request.limit or DAYS_BY_DEFAULT)
        return days_pb2.ListDaysResponse(days=map(write_day_root, days))

    async def GetDay(self, request: days_pb2.GetDayRequest, context: Context) -> days_pb2.GetDayResponse:
        self._calls.admit(context)
        if request.from_index > MOST_INDEX:
            raise BadRequestError("from_index is too large")
        day, listed = await self._days.day(_read_date(request.date), request.from_index)
        return days_pb2.GetDayResponse(day=write_day_root(day), reveals=map(write_listed, listed))

    async def GetProof(self, request: days_pb2.GetProofRequest, context: Context) -> days_pb2.GetProofResponse:
        self._calls.admit(context)
        if max(request.from_deal_no, request.deal_count) > MOST_INDEX:
            raise BadRequestError("from_deal_no and deal_count are too large")
        match_id = read_match_id(request.match_id)
        found = await self._days.proofs(match_id, request.from_deal_no or 1, request.deal_count)
        return days_pb2.GetProofResponse(
            proofs=map(write_day_proof, found.proofs), pending_count=found.pending, next_deal_no=found.next_deal
        )

    async def ListKeys(self, _request: days_pb2.ListKeysRequest, context: Context) -> days_pb2.ListKeysResponse:
        self._calls.admit(context)
        return days_pb2.ListKeysResponse(
            keys=[
                days_pb2.KeyPeriod(
                    key=shuffle_pb2.SigningKey(key_id=period.key_id, public_key=public_bytes(period.key_id)),
                    since_ms=period.since_ms,
                    until_ms=period.until_ms,
                )
                for period in await self._keys.all()
            ]
        )


def _read_date(text: str) -> int:
    try:
        if len(text) != 8 or not text.isdigit():  # YYYYMMDD; fromisoformat also takes other forms
            raise ValueError
        return (date.fromisoformat(text) - EPOCH).days
    except ValueError:
        raise BadRequestError("a date is eight digits, year first") from None
