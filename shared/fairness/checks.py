"""What a check says: its name, its outcome, and why."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from shared.fairness.errors import FairnessError
from shared.fairness.signing import signed_bytes

NO_KEY = "whether a published key made it, this file does not show"


class Outcome(StrEnum):
    """How a check ended."""

    HOLDS = "holds"
    FAILS = "fails"
    CANNOT_CHECK = "cannot_check"
    """What would show it is not in this file, which is not to say that it holds."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `name` is stable (`commitment`, `void[0].failed`); `detail` is for people, empty where it holds."""

    name: str
    outcome: Outcome
    detail: str = ""


VerifySignature = Callable[[str, bytes, bytes], bool | None]
"""(key id, signed bytes, signature) → whether a published key signed that; None where it is not known to be one."""


def by_fault(name: str, fault: str | None) -> Check:
    """Holds where there is no fault."""
    return Check(name, Outcome.HOLDS) if fault is None else Check(name, Outcome.FAILS, fault)


def cannot_check(name: str, why: str) -> Check:
    """A check that this file cannot answer."""
    return Check(name, Outcome.CANNOT_CHECK, why)


def signature_check(
    name: str, key: str, what: str, payload: bytes, signature: bytes, verify: VerifySignature | None
) -> Check:
    """Whether `signature` is the service's over that payload."""
    right = verify(key, signed_bytes(what, payload), signature) if verify else None
    if right is None:
        return cannot_check(name, NO_KEY)
    return by_fault(name, None if right else "it is not a signature of this by a published key")


def first_failed(checks: Iterable[Check]) -> Check | None:
    """The first check that fails, if one does."""
    return next((check for check in checks if check.outcome is Outcome.FAILS), None)


def require(checks: Iterable[Check]) -> None:
    """`FairnessError`, named for the first check that fails, if one does."""
    failed = first_failed(checks)
    if failed is not None:
        raise FairnessError(failed.name, failed.detail)
