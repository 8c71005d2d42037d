"""Whether every deal of a match was the one that its secret gives (docs/fair.md): a coin match is paid only then.

The shuffle service is asked for all that is public of the match, and it is checked as `banakil verify` checks an audit,
against the keys that the service has published.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from banakil.shuffle.v1 import days_pb2, shuffle_pb2

from shared.codec.audit import read_audit
from shared.codec.errors import MalformedError
from shared.fairness.audit import AUDIT_CHECKS, Audit, deal_checks, match_checks
from shared.fairness.checks import Check, Outcome, first_failed
from shared.fairness.signing_keys import KeyBook
from shared.kit.clients import answer
from shared.kit.status import UnknownError

if TYPE_CHECKING:
    from banakil.shuffle.v1.days_pb2_grpc import DayServiceAsyncStub
    from banakil.shuffle.v1.shuffle_pb2_grpc import ShuffleServiceAsyncStub


class Verdict(StrEnum):
    """What the checks of a match came to."""

    PROVEN = "proven"
    OPEN = "open"
    """Something that they need is not out yet."""
    FAILED = "failed"


class Proof(NamedTuple):
    """A verdict, and the check that it is for; empty where all hold."""

    verdict: Verdict
    about: str = ""


class Claim(NamedTuple):
    """A match as its table told of it."""

    match_id: str
    last_deal_no: int
    rules: str
    """The rule set's id in every deal's context; empty where it is not known."""
    account_ids: tuple[str, ...]
    """Whose stakes are held, by seat."""


class Prover:
    """Asks the shuffle service."""

    def __init__(self, shuffle: "ShuffleServiceAsyncStub", days: "DayServiceAsyncStub") -> None:
        self._shuffle = shuffle
        self._days = days

    async def prove(self, claim: Claim) -> Proof:
        """The proof as far as it is out now. Raises `ApiError` where nobody answers."""
        try:
            told = await answer(self._shuffle.Audit(shuffle_pb2.AuditRequest(match_id=bytes.fromhex(claim.match_id))))
        except UnknownError:
            return Proof(Verdict.OPEN, "nothing is known of the match")
        published = await answer(self._days.ListKeys(days_pb2.ListKeysRequest()))
        return proof_of(told, {each.key.key_id: each.key.public_key for each in published.keys}, claim)


def proof_of(told: shuffle_pb2.AuditResponse, keys: Mapping[str, bytes], claim: Claim) -> Proof:
    """What all that is public of a match shows of a claim about it. `keys`: the published ones, by their ids."""
    try:
        audit = read_audit(told)
    except MalformedError as error:
        return Proof(Verdict.FAILED, str(error))
    if not audit.attempts or audit.end is None:
        return Proof(Verdict.OPEN, "the match's end is not signed")
    verify = KeyBook(keys).verify
    checks = list(match_checks(audit, verify))
    needed = {check.name for check in checks}
    for _, of_deal in deal_checks(audit, verify):
        checks += of_deal
        needed |= AUDIT_CHECKS | {check.name for check in of_deal if _is_signature(check)}
    fault = _other_match(audit, claim) or _text(first_failed(checks))
    if fault:
        return Proof(Verdict.FAILED, fault)
    open_ones = (check for check in checks if check.outcome is not Outcome.HOLDS and check.name in needed)
    still_open = _text(next(open_ones, None))
    return Proof(Verdict.OPEN, still_open) if still_open else Proof(Verdict.PROVEN)


def _is_signature(check: Check) -> bool:
    return "signature." in check.name


def _text(check: Check | None) -> str:
    return "" if check is None else f"{check.name}: {check.detail}"


def _other_match(audit: Audit, claim: Claim) -> str:
    """Where the audit is of another match than the one that is claimed."""
    assert audit.end is not None
    if audit.end.last_deal_no != claim.last_deal_no:
        return f"its end is deal {audit.end.last_deal_no}, told was {claim.last_deal_no}"
    for attempt in audit.attempts:
        ctx = attempt.ctx
        if ctx.match.hex() != claim.match_id or (claim.rules and ctx.rules != claim.rules):
            return f"deal {ctx.deal_no} is of another match"
        if attempt.closed is not None and tuple(seat.account for seat in attempt.closed.seats) != claim.account_ids:
            return f"deal {ctx.deal_no} was others'"
    return ""
