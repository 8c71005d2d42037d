"""The checks of a record's deals: their fair values, and what was played against what these give."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from shared.cli.verify_report import DealReport, Evidence, Report
from shared.fairness.checks import Check, by_fault, cannot_check, first_failed
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import read_fair
from shared.fairness.verify import RECORD_CHECKS, Expected, Shown, verify_fair
from shared.rules.match import next_starter
from shared.rules.options import Options
from shared.rules.record import MOST_ACTIONS, MOST_RESHUFFLES, Record, record_of
from shared.rules.record_fields import as_cards, as_int, as_list, as_mapping
from shared.rules.refusal import RecordError
from shared.rules.replay import DerivedStocks, ReplayError, Replaying, drawn_starter, options_rules_id
from shared.rules.series_record import SeriesRecord, is_series, series_of
from shared.rules.series_replay import SeriesReplaying

PLAY_CHECKS = frozenset({"starter", "deck", "draws", "reshuffles"})
"""Whether what was played is what is drawn; where nothing of a deal was played, no record can show it."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a deal could be replayed with the cards that are drawn."""

    actions: int
    refused: str = ""
    began: bool = True
    waits: str = ""
    """Why it was not tried."""
    starter: int | None = None
    reshuffles: Sequence[tuple[bytes, bytes]] = ()

    @property
    def in_full(self) -> bool:
        """Whether there was play, all of it by the rules."""
        return self.actions > 0 and not self.refused and not self.waits


def check_file(value: object, evidence: Evidence, watch: Callable[[], None]) -> Report:
    """The checks of a record's JSON value, of a match or a series. Raises ``RecordError``."""
    if is_series(value):
        return check_series(series_of(value), evidence, watch)
    return check_record(record_of(value), evidence, watch)


def check_record(record: Record, evidence: Evidence, watch: Callable[[], None]) -> Report:
    """The checks of a record. Raises ``RecordError`` for one without deals, or out of patience (``watch``)."""
    if not record.deals:
        raise RecordError("the record has no deal")
    checking = _Checking(record.options, evidence, watch, Replaying(record, watch))
    deals = [checking.deal(number, value) for number, value in enumerate(record.deals, 1)]
    return Report("record", deals, evidence.checks())


def check_series(record: SeriesRecord, evidence: Evidence, watch: Callable[[], None]) -> Report:
    """The checks of a series' record. Raises ``RecordError`` for one with a match without deals, or out of patience
    (``watch``)."""
    if not all(match.deals for match in record.matches):
        raise RecordError("a match has no deal")
    series = SeriesReplaying(record, watch)
    deals = []
    for at, match in enumerate(record.matches):
        try:
            replaying = series.begin(at)
        except RecordError as error:
            deals.append(DealReport(1, (by_fault("series", str(error)),), frozenset(), match=at + 1))
            break
        checking = _Checking(record.options, evidence, watch, replaying, series)
        for number, value in enumerate(match.deals, 1):
            deals.append(replace(checking.deal(number, value), match=at + 1))
        series.end(replaying)
    return Report("series", deals, evidence.checks())


class _Checking:
    """The deals of one match. ``series``: of the series that it is part of, where the file has that."""

    def __init__(
        self,
        options: Options,
        evidence: Evidence,
        watch: Callable[[], None],
        replaying: Replaying,
        series: SeriesReplaying | None = None,
    ) -> None:
        self.options = options
        self.evidence = evidence
        self.watch = watch
        self.replaying = replaying
        self.series = series
        self.stopped = ""
        self.fair_before: list[FairDeal] = []
        self.deals_since_fair = 0
        self.starter: int | None = None

    def deal(self, number: int, value: object) -> DealReport:
        self.watch()
        due = None if self.starter is None else next_starter(self.starter, self.options)
        if number == 1 and self.series is not None:
            due = self.series.starter
        self.starter = None
        try:
            fields = as_mapping(value, "a deal")
            played = self._play(number, fields)
            if "starter" in fields:
                self.starter = as_int(fields["starter"], "starter", 0, self.options.seats - 1)
            if "fair" not in fields:
                return DealReport(number, self._told_otherwise(played, due), {"fair"})
            deal = read_fair(fields["fair"])
            shown = _shown(fields, deal, played)
        except RecordError as error:
            return self._unreadable(number, "deal", str(error))
        except FairnessError as error:
            return self._unreadable(number, "fair", str(error))
        checks = self._checks(deal, shown, due)
        needed = RECORD_CHECKS | PLAY_CHECKS if played.actions else RECORD_CHECKS - PLAY_CHECKS
        return DealReport(number, (*checks, _draws_check(played, checks)), needed)

    def _checks(self, deal: FairDeal, shown: Shown, due: int | None) -> list[Check]:
        options = self.options
        checks = verify_fair(
            deal,
            expected=Expected(
                rules=options_rules_id(options),
                seats=options.seats,
                starter_rule=options.starter,
                single_match=options.format == "single",
                starter=due,
            ),
            shown=shown,
            before=self.fair_before,
            apart=self.deals_since_fair + 1,
            verify_signature=self.evidence.keys.verify,
            days=self.evidence.days,
        )
        if self.series is not None:
            checks = [check for check in checks if check.name != "earlier_matches"]
            checks.append(by_fault("series", self.series.fault(deal)))
        self.fair_before.append(deal)
        self.deals_since_fair = 0
        try:
            drawn = drawn_starter(deal, options)
        except FairnessError:
            drawn = None
        self.starter = next((seat for seat in (drawn, due, self.starter) if seat is not None), None)
        return checks

    def _play(self, number: int, fields: Mapping[str, object]) -> Played:
        """Replays the deal with the cards that are drawn, where the deals before could be."""
        actions = len(as_list(fields.get("actions"), "actions", MOST_ACTIONS))
        if self.stopped:
            return Played(actions, waits=self.stopped)
        if "fair" in fields:
            # What it says of deck and reshuffles is compared with what is drawn, not played with.
            fields = {name: value for name, value in fields.items() if name not in ("deck", "reshuffles")}
        try:
            self.replaying.deal(number, fields)
        except ReplayError as error:
            self.watch()  # which was what stopped it, if it is out of patience
            self.stopped = f"deal {number} before it could not be replayed"
            return Played(actions, f"action {error.action}: {error.code}: {error}", began=error.action > 0)
        stocks = self.replaying.stocks
        made = stocks.made if isinstance(stocks, DerivedStocks) else ()
        return Played(actions, starter=self.replaying.result.deals[-1].starter, reshuffles=made)

    def _told_otherwise(self, played: Played, due: int | None) -> tuple[Check, ...]:
        """A deal by its deck or position: its play may be by the rules, but where the cards come from is not shown."""
        self.deals_since_fair += 1
        self.starter = due if self.starter is None else self.starter
        fair = cannot_check("fair", "the deal has no fair values")
        return (fair, by_fault("draws", played.refused)) if played.refused else (fair,)

    def _unreadable(self, number: int, name: str, fault: str) -> DealReport:
        self.deals_since_fair += 1
        self.stopped = self.stopped or f"deal {number} before it could not be read"
        return DealReport(number, (by_fault(name, fault),), frozenset())


def _shown(fields: Mapping[str, object], deal: FairDeal, played: Played) -> Shown:
    """What the file shows of the play: in so many words, or by actions that fit the cards drawn and no others."""
    starter, deck = played.starter if played.in_full else None, None
    reshuffles: Sequence[tuple[bytes, bytes]] | None = None
    if "starter" in fields:
        starter = as_int(fields["starter"], "starter", 0, deal.ctx.seats - 1)
    if "deck" in fields:
        deck = as_cards(fields["deck"], "deck")
    elif played.in_full:
        deck = deal.derivation().deck_faces()
    if played.in_full:
        reshuffles = played.reshuffles
    if "reshuffles" in fields:
        listed = as_list(fields["reshuffles"], "reshuffles", MOST_RESHUFFLES)
        stocks = [as_cards(stock, "a reshuffle") for stock in listed]
        if reshuffles is not None:
            # One too many has no pile, and one too few no stock, so that neither is the one drawn.
            piles = [pile for pile, _ in reshuffles]
            reshuffles = list(zip_longest(piles, stocks, fillvalue=b""))
    return Shown(starter, deck, reshuffles)


def _draws_check(played: Played, checks: Sequence[Check]) -> Check:
    """Whether every action could be done with the cards that are drawn."""
    if played.waits:
        return cannot_check("draws", played.waits)
    if not played.refused:
        return by_fault("draws", None) if played.actions else cannot_check("draws", "nothing was played")
    if not played.began and first_failed(checks) is not None:
        return cannot_check("draws", "the deal does not stand")
    return by_fault("draws", played.refused)
