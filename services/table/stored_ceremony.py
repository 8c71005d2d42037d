"""Shuffles and what happens in them as JSON values, as the journal keeps them; hashes and signatures as hex."""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from services.table import events as table
from services.table.ceremony import Ceremony, CeremonyStep, Receipt, VoidAttempt
from shared.fairness.context import DealContext

Json: TypeAlias = Any


def write_context(ctx: DealContext) -> Json:
    """A context as a list."""
    return [ctx.series.hex(), ctx.match_no, ctx.match.hex(), ctx.deal_no, ctx.attempt, ctx.seats, ctx.rules]


def read_context(value: Json) -> DealContext:
    """A context from a list."""
    series, match_no, match, deal_no, attempt, seats, rules_id = value
    return DealContext(bytes.fromhex(series), match_no, bytes.fromhex(match), deal_no, attempt, seats, rules_id)


def write_ceremony(ceremony: Ceremony) -> Json:
    """A shuffle as an object; what is not published yet is left out."""
    return {name: _WRITE_FIELD[name](value) for name, value in ceremony._asdict().items() if value not in (b"", (), "")}


def read_ceremony(value: Json) -> Ceremony:
    """A shuffle from an object."""
    return Ceremony(**{name: _READ_FIELD[name](field) for name, field in value.items()})


def _write_all(values: Iterable[bytes]) -> Json:
    return [value.hex() for value in values]


def _read_all(values: Json) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, values))


def _write_receipts(receipts: Iterable[Receipt]) -> Json:
    return [[receipt.seat, receipt.unix_ms, receipt.signature.hex()] for receipt in receipts]


def _read_receipts(value: Json) -> tuple[Receipt, ...]:
    return tuple(Receipt(seat, unix_ms, bytes.fromhex(signature)) for seat, unix_ms, signature in value)


def _as_it_is(value: Json) -> Json:
    return value


_HEX: Final = ("commitment", "commit_signature", "closed", "closed_signature", "transcript", "transcript_signature")
_PLAIN: Final = ("starter", "host", "deadline_ms", "key_id", "cut", "automatic_cut")
_WRITE_FIELD: Final[dict[str, Callable[[Any], Json]]] = {
    "context": write_context,
    "void": lambda void: [[attempt, list(failed)] for attempt, failed in void],
    "step": lambda step: step.value,
    "promises": _write_all,
    "promise_receipts": _write_receipts,
    "contributions": _write_all,
    "contribution_receipts": _write_receipts,
    **dict.fromkeys(_HEX, bytes.hex),
    **dict.fromkeys(_PLAIN, _as_it_is),
}
_READ_FIELD: Final[dict[str, Callable[[Json], Any]]] = {
    "context": read_context,
    "void": lambda value: tuple(VoidAttempt(attempt, tuple(failed)) for attempt, failed in value),
    "step": CeremonyStep,
    "promises": _read_all,
    "promise_receipts": _read_receipts,
    "contributions": _read_all,
    "contribution_receipts": _read_receipts,
    **dict.fromkeys(_HEX, bytes.fromhex),
    **dict.fromkeys(_PLAIN, _as_it_is),
}

WRITE: Final[dict[type, Callable[[Any], list[Any]]]] = {
    table.CeremonyBegan: lambda e: [e.deal_no, e.attempt, e.starter],
    table.Committed: lambda e: [e.commitment.hex(), e.key_id, e.signature.hex(), e.deadline_ms],
    table.CutAwaited: lambda e: [_write_all(e.promises), e.deadline_ms],
    table.CutOver: lambda e: [e.cut],
    table.SetClosed: lambda e: [e.closed.hex(), e.signature.hex(), _write_receipts(e.receipts), e.deadline_ms],
    table.Settled: lambda e: [
        e.transcript.hex(),
        e.signature.hex(),
        _write_all(e.contributions),
        _write_receipts(e.receipts),
        e.starter,
        e.automatic_cut,
    ],
    table.AttemptVoid: lambda e: [list(e.failed)],
    table.CeremonyClockSet: lambda e: [e.deadline_ms],
}
"""The fields of each event."""
READ: Final[dict[str, Callable[[list[Any]], table.TableEvent]]] = {
    "CeremonyBegan": lambda f: table.CeremonyBegan(*f),
    "Committed": lambda f: table.Committed(bytes.fromhex(f[0]), f[1], bytes.fromhex(f[2]), f[3]),
    "CutAwaited": lambda f: table.CutAwaited(_read_all(f[0]), f[1]),
    "CutOver": lambda f: table.CutOver(*f),
    "SetClosed": lambda f: table.SetClosed(bytes.fromhex(f[0]), bytes.fromhex(f[1]), _read_receipts(f[2]), f[3]),
    "Settled": lambda f: table.Settled(
        bytes.fromhex(f[0]), bytes.fromhex(f[1]), _read_all(f[2]), _read_receipts(f[3]), f[4], f[5]
    ),
    "AttemptVoid": lambda f: table.AttemptVoid(tuple(f[0])),
    "CeremonyClockSet": lambda f: table.CeremonyClockSet(*f),
}
"""Each event from its fields."""
