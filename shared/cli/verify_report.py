"""What a file is verified with, and what comes of it: the checks of its deals, and whether all is well."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from shared.cli.answers import LONGEST_MESSAGE, Answer
from shared.fairness.checks import Check, Outcome, by_fault
from shared.fairness.day import DayProof, days_fault
from shared.fairness.signing_keys import KeyBook
from shared.fairness.verify import first_open

WORDS = {
    Outcome.HOLDS: "holds",
    Outcome.FAILS: "FAILS",
    Outcome.CANNOT_CHECK: "cannot be checked from this file",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a file is held against besides itself."""

    keys: KeyBook
    days: Sequence[DayProof] = ()

    def checks(self) -> list[Check]:
        """Whether the days, where several are given, are of one history."""
        return [by_fault("days", days_fault(self.days))] if len(self.days) > 1 else []


@dataclass(frozen=True, slots=True)
class DealReport:
    """The checks of one deal, and which of them the file by itself should be able to answer.

    ``deal`` is its place in a record, from 1, and its number in an audit.
    """

    deal: int
    checks: tuple[Check, ...]
    needed: Set[str]
    match: int | None = None
    """Its match in a series' record, from 1."""

    def place(self) -> Answer:
        """Where it is in the file."""
        return {"deal": self.deal} if self.match is None else {"match": self.match, "deal": self.deal}

    def title(self) -> str:
        """The same for people."""
        return f"deal {self.deal}" if self.match is None else f"match {self.match}, deal {self.deal}"


@dataclass(frozen=True, slots=True)
class Report:
    """The checks of a file: of the whole, and of each deal."""

    kind: str
    deals: list[DealReport] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def verdict(self) -> tuple[DealReport, Check] | None:
        """The first check that fails, else the first needed one that cannot be made, if any; deal 0 is the file."""
        parts = [DealReport(0, tuple(self.checks), frozenset()), *self.deals]
        found = [(part, check) for part in parts if (check := first_open(part.checks, part.needed))]
        return next((each for each in found if each[1].outcome is Outcome.FAILS), found[0] if found else None)

    def json(self) -> Answer:
        """The answer with ``--json``."""
        verdict = self.verdict()
        return {
            "kind": self.kind,
            "holds": verdict is None,
            "first": None if verdict is None else {**verdict[0].place(), **_check_json(verdict[1])},
            "checks": [_check_json(check) for check in self.checks],
            "deals": [{**part.place(), "checks": [_check_json(check) for check in part.checks]} for part in self.deals],
        }

    def lines(self) -> Iterator[str]:
        """The answer for people."""
        yield from map(_line, self.checks)
        for part in self.deals:
            yield part.title()
            yield from map(_line, part.checks)
        yield self._summary()

    def _summary(self) -> str:
        verdict = self.verdict()
        if verdict is not None:
            part, check = verdict
            return f"{WORDS[check.outcome]}: {f'{part.title()}, ' if part.deal else ''}{check.name}"
        outcomes = [check.outcome for check in (*self.checks, *(check for part in self.deals for check in part.checks))]
        open_ones = outcomes.count(Outcome.CANNOT_CHECK)
        return f"nothing fails: {len(outcomes) - open_ones} checks hold, {open_ones} cannot be made from this file"


def _check_json(check: Check) -> Answer:
    answer: Answer = {"check": check.name, "outcome": check.outcome.value}
    return {**answer, "detail": check.detail[:LONGEST_MESSAGE]} if check.detail else answer


def _line(check: Check) -> str:
    detail = f" ({check.detail[:LONGEST_MESSAGE]})" if check.detail else ""
    return f"  {check.name}: {WORDS[check.outcome]}{detail}"
