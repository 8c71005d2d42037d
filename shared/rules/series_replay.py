"""Replaying the record of a series: match by match, each as the ones before it let it begin (R3.2, R8.3)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.fairness.fair_deal import FairDeal
from shared.fairness.match_chain import SeatedDeals, series_fault
from shared.rules.record import MOST_ACTIONS, MOST_DEALS
from shared.rules.refusal import Code, RecordError
from shared.rules.replay import Replay, ReplayError, Replaying, replay_json
from shared.rules.series import SeriesState, after_match, starter_of_later_match, swap_seats
from shared.rules.series_record import SeriesRecord


class SeriesReplayError(Exception):
    """Where a series' record stops being one. Matches count from 1; deal 0 is a match that can't begin."""

    def __init__(self, match: int, error: ReplayError) -> None:
        super().__init__(str(error))
        self.match = match
        self.error = error


@dataclass(slots=True)
class SeriesReplay:
    """What the record of a series came to."""

    series: SeriesState
    matches: list[Replay] = field(default_factory=list)


class SeriesReplaying:
    """A series under way, for who goes match by match and deal by deal."""

    def __init__(self, record: SeriesRecord, watch: Callable[[], None], *, lenient: bool = False) -> None:
        self.record = record
        self.watch = watch
        self.lenient = lenient
        self.series = SeriesState(record.options)
        self.actions_left = MOST_ACTIONS
        self.deals_left = MOST_DEALS
        self._fair: list[SeatedDeals] = []
        self._last_winner: int | None = None

    def begin(self, at: int) -> Replaying:
        """The replay of the match in this place, which the one before has been replayed for (``end``).

        Raises ``RecordError`` where no match can follow, or seats could not be swapped before it.
        """
        match = self.record.matches[at]
        if self.series.winner is not None:
            raise RecordError("the series is won", Code.MATCH_OVER)
        if sum(self.series.wins) < at:
            raise RecordError("the match before has not ended")
        if len(match.deals) > self.deals_left:
            raise RecordError("the file has too many deals")
        self.deals_left -= len(match.deals)
        for team in match.swapped:
            try:
                self.series = swap_seats(self.series, team)
            except ValueError as error:
                raise RecordError(str(error)) from None
        run = Replaying(self.record.match(at), self.watch, lenient=self.lenient)
        run.actions_left = self.actions_left
        run.first_starter = self.starter
        run.follows = self.fault
        return run

    @property
    def starter(self) -> int | None:
        """Who starts the match to come, where the ones before say so: the winners' lowest seat (R3.2)."""
        if self._last_winner is None or self.record.options.starter == "dealer_draw":
            return None
        return starter_of_later_match(self._last_winner)

    @property
    def seating(self) -> tuple[int, ...]:
        """For each seat the place in the first match of who has it now."""
        return self.series.seating or tuple(range(self.record.options.seats))

    def end(self, run: Replaying) -> None:
        """A match has been replayed as far as the file has it."""
        self.actions_left = run.actions_left
        self._fair.append(SeatedDeals(self.seating, run.fair_before))
        self._last_winner = run.match.winner
        if run.match.winner is not None:
            self.series = after_match(self.series, run.match.winner)

    def fault(self, deal: FairDeal) -> str | None:
        """Why a fair deal cannot be one of the match that was begun last, or ``None``."""
        return series_fault(self._fair, SeatedDeals(self.seating, [deal]))


def replay_series(
    record: SeriesRecord, *, lenient: bool = False, watch: Callable[[], None] | None = None
) -> SeriesReplay:
    """Replay every match; ``lenient`` and ``watch`` as ``replay`` has them. Raises ``SeriesReplayError``."""
    run = SeriesReplaying(record, watch or (lambda: None), lenient=lenient)
    result = SeriesReplay(run.series)
    for at, match in enumerate(record.matches):
        try:
            replaying = run.begin(at)
        except RecordError as error:
            raise SeriesReplayError(at + 1, ReplayError(0, 0, error.code, str(error))) from None
        for number, value in enumerate(match.deals, 1):
            try:
                replaying.deal(number, value)
            except ReplayError as error:
                raise SeriesReplayError(at + 1, error) from None
        run.end(replaying)
        replaying.result.match = replaying.match
        result.matches.append(replaying.result)
    result.series = run.series
    return result


def series_json(result: SeriesReplay) -> dict[str, object]:
    """The answer of ``banakil replay`` about a series."""
    matches = [replay_json(match) for match in result.matches]
    refused = [
        {"match": number, **one.json()} for number, match in enumerate(result.matches, 1) for one in match.refused
    ]
    series = result.series
    seating = list(series.seating or range(series.options.seats))
    return {
        "matches": [{"deals": match["deals"], "match": match["match"]} for match in matches],
        "refused": refused,
        "series": {"wins": list(series.wins), "winner": series.winner, "seating": seating},
    }
