"""Replaying a record by the rules (docs/record.md, ``banakil replay``)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from shared.fairness.checks import require
from shared.fairness.derive import derived_starter
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import read_fair
from shared.fairness.rules_id import rules_id
from shared.fairness.verify import Expected, verify_fair
from shared.rules.action_text import parse_action
from shared.rules.cards import Bag, ThirdCopyError, bag_cards, codes
from shared.rules.engine import apply
from shared.rules.events import DealEnded, Event, Reshuffled
from shared.rules.evolve import evolve
from shared.rules.match import MatchState, after_deal, next_starter, resumed
from shared.rules.options import Options
from shared.rules.position import read_position, write_melds
from shared.rules.record import MOST_ACTIONS, MOST_RESHUFFLES, Record
from shared.rules.record_fields import as_cards, as_int, as_list, as_mapping, points_json
from shared.rules.refusal import Code, RecordError, RefusedError
from shared.rules.scoring import DealScore, score_deal
from shared.rules.state import DealState, start_deal
from shared.rules.stock import dead_at_turn_start


class ReplayError(Exception):
    """Where a record stops being one. Deals and actions count from 1; action 0 is a deal that can't begin."""

    def __init__(self, deal: int, action: int, code: Code, message: str) -> None:
        super().__init__(message)
        self.deal = deal
        self.action = action
        self.code = code


@dataclass(frozen=True, slots=True)
class Refused:
    """An action that was skipped."""

    deal: int
    action: int
    code: Code

    def json(self) -> dict[str, object]:
        """As it is listed in an answer."""
        return {"deal": self.deal, "action": self.action, "code": self.code.value}


@dataclass(slots=True)
class Replay:
    """What a record came to."""

    deals: list[DealState] = field(default_factory=list)
    scores: list[DealScore | None] = field(default_factory=list)
    """Each deal's score, ``None`` where it has not ended."""
    totals: list[tuple[int, int]] = field(default_factory=list)
    """Running totals after each deal, in half-points."""
    refused: list[Refused] = field(default_factory=list)
    match: MatchState | None = None


class StockSource(Protocol):
    """Where a deal's new stocks come from."""

    def new_stock(self, pile: bytes) -> bytes:
        """The next new stock in drawing order, of the pile without its top card. ``RecordError`` where none is."""


class GivenStocks:
    """New stocks as a record lists them."""

    def __init__(self, stocks: list[bytes]) -> None:
        self._left = stocks[::-1]

    def new_stock(self, pile: bytes) -> bytes:
        """The next one listed."""
        if not self._left:
            raise RecordError("a reshuffle is missing (R6.1)")
        return self._left.pop()


class DerivedStocks:
    """New stocks as the fair shuffle draws them (R13)."""

    def __init__(self, deal: FairDeal) -> None:
        self._derivation = deal.derivation()
        self.made: list[tuple[bytes, bytes]] = []
        """Each pile without its top card, and the stock that it became."""

    def new_stock(self, pile: bytes) -> bytes:
        """The next one drawn."""
        stock = self._derivation.reshuffle(pile, len(self.made) + 1)
        self.made.append((pile, stock))
        return stock


def settle_turn_start(state: DealState, stocks: StockSource) -> tuple[list[Event], DealState]:
    """Do what a turn's beginning asks for before the draw (R6.1): a reshuffle that is due.

    Raises ``RecordError`` where the new stock is missing or wrong.
    """
    if not state.reshuffle_due:
        return [], state
    event = Reshuffled(stocks.new_stock(state.pile[:-1]))
    return [event], evolve(state, event)


def replay(record: Record, *, lenient: bool = False, watch: Callable[[], None] | None = None) -> Replay:
    """Replay every deal. Raises ``ReplayError`` at the first fault; ``lenient`` skips and lists refused actions.

    ``watch`` is called before each deal and action; a ``RecordError`` of its own gives up there (a reader's patience).
    """
    run = Replaying(record, watch or _go_on, lenient=lenient)
    for number, value in enumerate(record.deals, 1):
        run.deal(number, value)
    run.result.match = run.match
    return run.result


def _go_on() -> None:
    """A reader of endless patience."""


class Replaying:
    """A replay under way, for who goes deal by deal; ``replay`` tells what ``watch`` and ``lenient`` are."""

    def __init__(self, record: Record, watch: Callable[[], None], *, lenient: bool = False) -> None:
        self.options = record.options
        self.lenient = lenient
        self.watch = watch
        self.actions_left = MOST_ACTIONS
        self.match = resumed(record.options, record.totals, tiebreak=record.tiebreak)
        self.result = Replay()
        self.stocks: StockSource = GivenStocks([])
        """Those of the deal that was begun last."""
        self.fair_before: list[FairDeal] = []
        self.deals_since_fair = 0
        self.first_starter: int | None = None
        """Who starts the first deal, where a match before says so."""
        self.follows: Callable[[FairDeal], str | None] = lambda _: None
        """Why a fair deal cannot follow the matches before; see ``series_replay.py``."""

    def deal(self, number: int, value: object) -> None:
        """Replay one deal, ``number`` in the file. Raises ``ReplayError``; then nothing can follow."""
        try:
            self.watch()
            state, actions = self._begin(value)
        except RecordError as error:
            raise ReplayError(number, 0, error.code, str(error)) from None
        except ThirdCopyError as error:
            raise ReplayError(number, 0, Code.BAD_RECORD, str(error)) from None
        for at, text in enumerate(actions, 1):
            try:
                self.watch()
                action = parse_action(text)
                _, after = apply(state, action)
                _, state = settle_turn_start(after, self.stocks)
            except RefusedError as refused:
                if not self.lenient:
                    raise ReplayError(number, at, refused.code, str(refused)) from None
                self.result.refused.append(Refused(number, at, refused.code))
            except RecordError as error:
                raise ReplayError(number, at, error.code, str(error)) from None
            except ThirdCopyError as error:
                # Only a position leads here: its hands are not added up, so one may come by a card too many.
                raise ReplayError(number, at, Code.BAD_RECORD, str(error)) from None
        self._end(state)

    def _begin(self, value: object) -> tuple[DealState, list[object]]:
        if self.match.winner is not None:
            raise RecordError("the match is won", Code.MATCH_OVER)
        before = self.result.deals
        if before and before[-1].end is None:
            raise RecordError("the deal before has not ended")
        fields = as_mapping(value, "a deal")
        if sum(name in fields for name in ("deck", "fair", "position")) != 1:
            raise RecordError("a deal has one of deck, fair and position")
        due = None if before else self.first_starter
        starter = next_starter(before[-1].starter, self.options) if before else due or 0
        if "starter" in fields:
            starter = as_int(fields["starter"], "starter", 0, self.options.seats - 1)
            if due not in (None, starter):
                raise RecordError("the match before says who starts (R3.2)")
        if "fair" in fields:
            state, self.stocks = self._fair_deal(fields, starter)
        else:
            given = as_list(fields.get("reshuffles", []), "reshuffles", MOST_RESHUFFLES)
            self.stocks = GivenStocks([as_cards(stock, "a reshuffle") for stock in given])
            if "deck" in fields:
                state = start_deal(self.options, starter, as_cards(fields["deck"], "deck"))
            else:
                state = read_position(fields["position"], self.options, starter)
            self.deals_since_fair += 1
        actions = as_list(fields.get("actions"), "actions", self.actions_left)
        self.actions_left -= len(actions)
        _, state = settle_turn_start(state, self.stocks)
        if dead_at_turn_start(state):
            state = evolve(state, DealEnded("dead", None, False))
        return state, actions

    def _fair_deal(self, fields: Mapping[str, object], starter: int) -> tuple[DealState, StockSource]:
        """A deal by its revealed values (docs/fair.md), after the checks that a file allows."""
        if "reshuffles" in fields:
            raise RecordError("a fair deal's reshuffles are derived")
        options = self.options
        expected = Expected(
            rules=options_rules_id(options),
            seats=options.seats,
            starter_rule=options.starter,
            single_match=options.format == "single",
        )
        try:
            deal = read_fair(fields["fair"])
            checks = verify_fair(deal, expected=expected, before=self.fair_before, apart=self.deals_since_fair + 1)
            require(checks)
            drawn = drawn_starter(deal, options)
        except FairnessError as error:
            raise RecordError(f"fair: {error}") from None
        if (fault := self.follows(deal)) is not None:
            raise RecordError(f"fair: {fault}")
        if drawn is None:
            if not self.result.deals and "starter" not in fields and self.first_starter is None:
                raise RecordError("a starter is required: the draw gives none and no deal went before (R3.2)")
        elif "starter" in fields and starter != drawn:
            raise RecordError("the starter is not the one drawn")
        else:
            starter = drawn
        self.fair_before.append(deal)
        self.deals_since_fair = 0
        return start_deal(options, starter, deal.derivation().deck_faces()), DerivedStocks(deal)

    def _end(self, state: DealState) -> None:
        score = None
        if state.end is not None:
            score = score_deal(state)
            self.match = after_deal(self.match, score.teams)
        self.result.deals.append(state)
        self.result.scores.append(score)
        self.result.totals.append(self.match.totals)


def options_rules_id(options: Options) -> str:
    """The rules id that a table's options have in the fair shuffle (docs/fair.md)."""
    return rules_id(options.preset, options.changed)


def drawn_starter(deal: FairDeal, options: Options) -> int | None:
    """The starter that the fair shuffle draws, or ``None`` where it follows from the deal before (R3.2)."""
    return derived_starter(deal.closed, deal.derivation(), options.starter)


def replay_json(result: Replay) -> dict[str, object]:
    """The answer of ``banakil replay``."""
    match = result.match
    return {
        "deals": [
            unfinished_json(state) if score is None else ended_json(state, score, totals)
            for state, score, totals in zip(result.deals, result.scores, result.totals, strict=True)
        ],
        "refused": [refused.json() for refused in result.refused],
        "match": {"winner": match and match.winner, "tiebreak": bool(match and match.tiebreak)},
    }


def ended_json(state: DealState, score: DealScore, totals: tuple[int, int]) -> dict[str, object]:
    """An ended deal; ``totals`` in half-points."""
    end = state.end
    assert end is not None
    return {
        "end": end.end,
        "finisher": end.finisher,
        "one_turn": end.one_turn,
        "teams": [points_json(points) for points in score.teams],
        "seats": None if score.seats is None else [points_json(points) for points in score.seats],
        "totals": [points_json(points) for points in totals],
        "hands": _hands(state.hands),
        "hand_points": [points_json(points) for points in score.hand_points],
        "laid_points": [points_json(points) for points in score.laid_points],
        "bonus": points_json(score.bonus),
    }


def unfinished_json(state: DealState) -> dict[str, object]:
    """A deal that has not ended."""
    return {
        "end": "unfinished",
        "turn": state.turn,
        "phase": state.phase.value,
        "time_up": state.time_up,
        "hands": _hands(state.hands),
        "stock": len(state.stock),
        "pile": codes(state.pile),
        "melds": write_melds(state),
    }


def _hands(hands: tuple[Bag, ...]) -> list[list[str]]:
    return [codes(bag_cards(hand)) for hand in hands]
