"""What a check says: its name, its outcome, and why."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from shared.fairness.errors import FairnessError

NO_KEY = "the signing key is not known here"


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
"""(key id, signed bytes, signature) → whether the signature is right; None where the key is not known."""


def by_fault(name: str, fault: str | None) -> Check:
    """Holds where there is no fault."""
    return Check(name, Outcome.HOLDS) if fault is None else Check(name, Outcome.FAILS, fault)


def cannot_check(name: str, why: str) -> Check:
    """A check that this file cannot answer."""
    return Check(name, Outcome.CANNOT_CHECK, why)


def first_failed(checks: Iterable[Check]) -> Check | None:
    """The first check that fails, if one does."""
    return next((check for check in checks if check.outcome is Outcome.FAILS), None)


def require(checks: Iterable[Check]) -> None:
    """`FairnessError`, named for the first check that fails, if one does."""
    failed = first_failed(checks)
    if failed is not None:
        raise FairnessError(failed.name, failed.detail)
