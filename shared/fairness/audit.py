"""The checks of what is public of a whole match: every attempt begun, revealed or not, and its signed end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from shared.fairness import signing
from shared.fairness.attempt_checks import (
    closed_set_check,
    contributions_check,
    signature_checks,
    void_attempt_checks,
    void_order_fault,
)
from shared.fairness.checks import Check, VerifySignature, by_fault, cannot_check, signature_check
from shared.fairness.closed import ClosedSet
from shared.fairness.context import DealContext
from shared.fairness.day import DayProof, root_checks
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import Attempt, FairDeal, Signatures, VoidAttempt
from shared.fairness.transcript import transcript_fault
from shared.fairness.verify import verify_fair

AUDIT_CHECKS = frozenset({"commitment", "client_commitments", "closed_set", "closed", "transcript", "chain"})
"""The checks of a deal that an audit by itself can answer: it has neither the options nor the play."""
NOT_CLOSED = "the set is not closed"


@dataclass(frozen=True, slots=True)
class PublicAttempt:
    """What is public of one attempt; what is not yet is empty, the set None. `closed_bytes`: K as it was published."""

    ctx: DealContext
    commitment: bytes
    closed: ClosedSet | None = None
    closed_bytes: bytes = b""
    contributions: tuple[bytes, ...] = field(default=(), repr=False)
    transcript: bytes = b""
    failed: tuple[int, ...] = ()
    secret: bytes = field(default=b"", repr=False)
    signatures: Signatures | None = None

    def revealed(self) -> Attempt:
        """The attempt with its secret. `FairnessError` where that is not out."""
        if self.closed is None:
            raise FairnessError("closed", NOT_CLOSED)
        return Attempt(self.closed, self.secret, self.contributions, self.signatures)

    def closed_check(self, prefix: str) -> Check:
        """Whether K is that of the values."""
        right = self.closed is not None and self.closed.encode() == self.closed_bytes
        return by_fault(prefix + "closed", None if right else "K is another one than its values give")


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The signed word that nothing follows."""

    last_deal_no: int
    last_attempt: int
    key: str
    signature: bytes


@dataclass(frozen=True, slots=True)
class Audit:
    """A match: its attempts in order, how many deals are over and not revealed, how often accounts made one void."""

    attempts: tuple[PublicAttempt, ...]
    withheld: int = 0
    end: MatchEnd | None = None
    account_voids: Mapping[str, int] = field(default_factory=dict)


def match_checks(audit: Audit, verify: VerifySignature | None) -> Iterator[Check]:
    """The checks of the match as a whole."""
    yield by_fault("order", _order_fault(audit.attempts))
    hidden = sum(not attempt.secret for attempt in audit.attempts)
    if hidden >= max(1, audit.withheld):
        said = f"{hidden} secrets are not out, those of {audit.withheld} deals that are over among them"
        yield cannot_check("withheld", said)
    else:
        yield by_fault("withheld", "more are said to be withheld than there are" if audit.withheld else None)
    yield by_fault("account_voids", _account_fault(audit))
    if audit.end is None:
        yield cannot_check("match_end", "the signed end of the match is not in this file")
        return
    last = audit.attempts[-1].ctx
    named = (audit.end.last_deal_no, audit.end.last_attempt)
    right = named == (last.deal_no, last.attempt)
    yield by_fault("match_end", None if right else f"it ends with deal {named[0]}, attempt {named[1]}")
    payload = signing.match_end_payload(last.series, last.match_no, last.match, *named)
    name = f"signature.{signing.MATCH_END}"
    yield signature_check(name, audit.end.key, signing.MATCH_END, payload, audit.end.signature, verify)


def deal_checks(
    audit: Audit, verify: VerifySignature | None, days: Sequence[DayProof] = ()
) -> Iterator[tuple[int, list[Check]]]:
    """The checks of each deal, with its number."""
    before: list[FairDeal] = []
    for deal_no, group in groupby(audit.attempts, lambda attempt: attempt.ctx.deal_no):
        attempts = list(group)
        last = None if attempts[-1].failed else attempts.pop()
        try:
            void = tuple(VoidAttempt(each.revealed(), each.failed) for each in attempts)
            if last is None or not last.secret:
                checks = _unplayed_checks(void, last, verify, days)
            else:
                deal = FairDeal(last.revealed(), last.transcript, void)
                apart = deal_no - before[-1].ctx.deal_no if before else 1
                checks = verify_fair(deal, before=before, apart=apart, verify_signature=verify, days=days)
                checks.append(last.closed_check(""))
                before.append(deal)
        except FairnessError as error:
            yield deal_no, [by_fault("fair", str(error))]
        else:
            yield deal_no, checks + [each.closed_check(f"void[{at}].") for at, each in enumerate(attempts)]


def _unplayed_checks(
    void: Sequence[VoidAttempt], last: PublicAttempt | None, verify: VerifySignature | None, days: Sequence[DayProof]
) -> list[Check]:
    """Those of a deal that is not revealed: of the void attempts all, of the one that goes on what is out."""
    checks: list[Check] = []
    if last is not None:
        checks += _hidden_checks(last, verify)
    if void:
        checks.append(by_fault("void_attempts", void_order_fault(void, None)))
    for number, each in enumerate(void):
        prefix = f"void[{number}]."
        checks += void_attempt_checks(each, verify, prefix)
        checks += root_checks(each.attempt, None, days, verify, prefix)
    return checks


def _hidden_checks(attempt: PublicAttempt, verify: VerifySignature | None) -> Iterator[Check]:
    yield cannot_check("commitment", "the secret is not out")
    payloads = {signing.COMMIT: signing.commit_payload(attempt.ctx, attempt.commitment)}
    if attempt.closed is None:
        for name in ("client_commitments", "closed_set", "transcript", "closed"):
            yield cannot_check(name, NOT_CLOSED)
    else:
        payloads[signing.CLOSED] = attempt.closed.encode()
        yield closed_set_check(attempt.closed, "")
        yield attempt.closed_check("")
        if attempt.transcript:
            payloads[signing.TRANSCRIPT] = attempt.transcript
            yield contributions_check(attempt.closed, attempt.contributions, (), "")
            fault = transcript_fault(attempt.closed, attempt.contributions, attempt.transcript)
            yield by_fault("transcript", fault)
        else:
            for name in ("client_commitments", "transcript"):
                yield cannot_check(name, "the contributions are not out")
    yield from signature_checks(attempt.signatures, payloads, verify, "")


def _order_fault(attempts: Sequence[PublicAttempt]) -> str | None:
    """Where the attempts are not all those of one match, each deal's after the one before."""
    due = (1, 0)
    for attempt in attempts:
        number = (attempt.ctx.deal_no, attempt.ctx.attempt)
        name = f"deal {number[0]}, attempt {number[1]}"
        if number != due:
            return f"{name} is where deal {due[0]}, attempt {due[1]} was due"
        if attempt.failed and attempt.transcript:
            return f"{name} is void, and has a transcript"
        due = (number[0], number[1] + 1) if attempt.failed else (number[0] + 1, 0)
    for first, second in pairwise(attempts):
        if not first.failed and not first.transcript:
            return f"deal {first.ctx.deal_no} was not settled, and another follows"
        if _match_of(first.ctx) != _match_of(second.ctx):
            return f"deal {second.ctx.deal_no} is of another match"
    return None


def _match_of(ctx: DealContext) -> tuple[object, ...]:
    return ctx.series, ctx.match_no, ctx.match, ctx.seats, ctx.rules


def _account_fault(audit: Audit) -> str | None:
    """Whether the public count of an account is lower than what this match alone shows."""
    here: Counter[str] = Counter()
    for attempt in audit.attempts:
        if attempt.closed is not None:
            here.update({attempt.closed.seats[seat].account for seat in attempt.failed if seat < attempt.ctx.seats})
    low = sorted(account for account, count in here.items() if audit.account_voids.get(account, 0) < count)
    return f"{low[0]} made more attempts void in this match alone" if low else None
