"""Verifies a revealed deal, alone, from what a file has: every check holds, fails, or cannot be made from this file."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from shared.fairness.attempt_checks import attempt_checks, payloads_of, signature_checks, void_checks
from shared.fairness.checks import Check, Outcome, VerifySignature, by_fault, cannot_check, first_failed
from shared.fairness.closed import NO_HOST
from shared.fairness.day import DayProof, root_checks
from shared.fairness.derive import Derivation, cut_due, derived_starter
from shared.fairness.fair_deal import FairDeal
from shared.fairness.match_chain import chain_fault
from shared.fairness.transcript import transcript_fault
from shared.fairness.witness_checks import witness_checks

RECORD_CHECKS = frozenset(
    {"commitment", "client_commitments", "closed_set", "transcript", "rules", "cut_due", "chain"}
    | {"starter", "deck", "reshuffles"}
)
"""The checks that a record by itself can answer; whoever asks for a proof needs each of them to hold."""

UNSOUND = "the values before contradict each other"


@dataclass(frozen=True, slots=True)
class Expected:
    """What the record's options say the deal must be: rules id, number of seats, option `starter`, format `single`.

    `starter` is who starts by the deal before (R3.2), where the file has that deal and no draw decides.
    """

    rules: str
    seats: int
    starter_rule: str
    single_match: bool
    starter: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What was seen of the deal as it was played, in faces; None for what the file does not show.

    A reshuffle is (the pile bottom to top without its top card, the new stock in drawing order).
    """

    starter: int | None = None
    deck: bytes | None = None
    reshuffles: Sequence[tuple[bytes, bytes]] | None = None


def verify_fair(
    deal: FairDeal,
    *,
    expected: Expected | None = None,
    shown: Shown | None = None,
    before: Sequence[FairDeal] = (),
    apart: int = 1,
    verify_signature: VerifySignature | None = None,
    days: Sequence[DayProof] = (),
) -> list[Check]:
    """Every check of a deal, those of `RECORD_CHECKS` first.

    `before` are the file's earlier deals of the match, the last one `apart` deals ago. For a replay, which only has to
    know that nothing fails, give the result to `checks.require`.
    """
    shown = shown or Shown()
    checks = [
        *attempt_checks(deal.played, (), ""),
        by_fault("transcript", transcript_fault(deal.closed, deal.played.contributions, deal.transcript)),
        *_options_checks(deal, expected),
    ]
    if before:
        checks.append(by_fault("chain", chain_fault(before, deal, apart)))
    # A deck derived from parts that contradict each other shows nothing, so what depends on it is not looked at.
    sound = first_failed(checks) is None
    starter = _starter(deal, expected) if sound else None
    if sound:
        checks += _derived_checks(deal.derivation(), starter, expected, shown)
    else:
        checks += (cannot_check(name, UNSOUND) for name in ("starter", "deck", "reshuffles"))
    checks += void_checks(deal, verify_signature)
    payloads = payloads_of(deal.played, deal.transcript)
    checks += signature_checks(deal.played.signatures, payloads, verify_signature, "")
    if sound or deal.witness is None:
        checks += witness_checks(deal, shown.starter if starter is None else starter, verify_signature)
    else:
        checks.append(cannot_check("witness", UNSOUND))
    if not before and deal.ctx.deal_no > 1:
        checks.append(cannot_check("earlier_deals", f"{deal.ctx.deal_no - 1} deals went before this file"))
    if not before and deal.ctx.match_no > 1:
        checks.append(cannot_check("earlier_matches", f"{deal.ctx.match_no - 1} matches of the series went before it"))
    for number, void in enumerate(deal.void):
        checks += root_checks(void.attempt, None, days, verify_signature, f"void[{number}].")
    checks += root_checks(deal.played, deal.transcript, days, verify_signature, "")
    return checks


def first_open(checks: Sequence[Check], needed: Container[str] = RECORD_CHECKS) -> Check | None:
    """The first check that fails; where none does, the first `needed` one that cannot be made, if any."""
    open_ones = (check for check in checks if check.outcome is Outcome.CANNOT_CHECK and check.name in needed)
    return first_failed(checks) or next(open_ones, None)


def record_holds(checks: Sequence[Check]) -> bool:
    """Whether nothing fails and every check that a record by itself can answer holds."""
    return first_open(checks) is None


def _options_checks(deal: FairDeal, expected: Expected | None) -> list[Check]:
    if expected is None:
        return [cannot_check(name, "the options are not in this file") for name in ("rules", "cut_due")]
    due = cut_due(deal.closed, expected.starter_rule)
    cut_fault = None
    if due != (deal.closed.host != NO_HOST):
        cut_fault = "a cut is due, but there is no host" if due else "no cut is due, but there is a host"
    return [by_fault("rules", _rules_fault(deal, expected)), by_fault("cut_due", cut_fault)]


def _rules_fault(deal: FairDeal, expected: Expected) -> str | None:
    ctx = deal.ctx
    if ctx.rules != expected.rules:
        return f"the options make it {expected.rules}, not {ctx.rules}"
    if ctx.seats != expected.seats:
        return f"the options make it {expected.seats} seats, not {ctx.seats}"
    if expected.single_match and (ctx.match_no != 1 or ctx.match != ctx.series):
        return "a single match is a series of its own"
    return None


def _starter(deal: FairDeal, expected: Expected | None) -> int | None:
    if expected is None:
        return None
    drawn = derived_starter(deal.closed, deal.derivation(), expected.starter_rule)
    return expected.starter if drawn is None else drawn


def _derived_checks(
    derivation: Derivation, starter: int | None, expected: Expected | None, shown: Shown
) -> list[Check]:
    checks: list[Check] = []
    if expected is None:
        checks.append(cannot_check("starter", "the options are not in this file"))
    elif starter is not None:
        checks.append(_shown_check("starter", shown.starter, starter, f"seat {starter} was to start"))
    checks.append(_shown_check("deck", shown.deck, derivation.deck_faces(), "the draw gives another order of cards"))
    if shown.reshuffles is None:
        checks.append(cannot_check("reshuffles", "they are not in this file"))
    else:
        wrong = [
            n for n, (pile, stock) in enumerate(shown.reshuffles, start=1) if derivation.reshuffle(pile, n) != stock
        ]
        checks.append(by_fault("reshuffles", f"reshuffle {wrong[0]} is not the one drawn" if wrong else None))
    return checks


def _shown_check(name: str, seen: int | bytes | None, derived: int | bytes, fault: str) -> Check:
    if seen is None:
        return cannot_check(name, "it is not in this file")
    return by_fault(name, None if seen == derived else fault)
