"""Table events and states as JSON values, as the journal keeps them. Version 3.

Cards are written as in records ("5H 6H 7H"); ids and hashes as hex. What an older version
wrote is brought up to date (``upcasting.py``) before it comes here.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from services.table import events as table
from services.table import stored_ceremony
from services.table.state import LastDeal, MissingStake, Obstacle, Occupant, Pause, Seat, Stage, TableState
from services.table.stored_ceremony import read_ceremony, read_context, write_ceremony, write_context
from shared.rules import events as rules
from shared.rules.cards import CODES, bag_cards, bag_of, codes, parse_card
from shared.rules.match import MatchState
from shared.rules.melds import Meld
from shared.rules.options import Options, make_options
from shared.rules.scoring import DealScore
from shared.rules.series import SeriesState
from shared.rules.views import SeenDealEnded

VERSION: Final = 3
Json: TypeAlias = Any


def write_cards(cards: bytes) -> str:
    """Cards as text."""
    return " ".join(codes(cards))


def read_cards(text: str) -> bytes:
    """Cards from text."""
    return bytes(map(parse_card, text.split()))


def write_event(event: table.TableEvent) -> Json:
    """The event as a JSON list: its name, then its fields. A new stock's order is left out: it lies sealed."""
    if isinstance(event, table.Moved):
        return _write_move(event.event)
    kind = type(event)
    return [kind.__name__, *_WRITE[kind](event)]


def read_event(value: Json, sealed: bytes = b"") -> table.TableEvent:
    """The event; ``sealed`` is what lay sealed beside it."""
    name, *fields = value
    if name in _READ:
        return _READ[name](fields)
    if name == "Reshuffled":
        return table.Moved(rules.Reshuffled(sealed))
    return table.Moved(_READ_MOVE[name](fields))


def write_options(options: Options) -> Json:
    """Options as in a record."""
    return {"preset": options.preset, **options.changed}


def write_meld(meld: Meld) -> Json:
    """A meld as a list."""
    return [meld.id, meld.owner, write_cards(meld.cards), list(meld.layers), meld.start, meld.suit]


def read_meld(value: Json) -> Meld:
    """A meld from a list."""
    number, owner, cards, layers, start, suit = value
    return Meld(number, owner, read_cards(cards), bytes(layers), start, suit)


def _write_move(move: rules.Event) -> Json:
    match move:
        case rules.Discarded(seat, card, by_clock):
            return ["Discarded", seat, CODES[card], by_clock]
        case rules.Amended(seat, meld, added, joker_released):
            return ["Amended", seat, write_meld(meld), write_cards(added), joker_released]
        case rules.Laid(seat, melds):
            return ["Laid", seat, [write_meld(meld) for meld in melds]]
        case rules.Reshuffled():
            return ["Reshuffled"]
        case _:
            return [type(move).__name__, *move]


_READ_MOVE: Final[dict[str, Callable[[list[Any]], rules.Event]]] = {
    "Drew": lambda f: rules.Drew(*f),
    "Took": lambda f: rules.Took(*f),
    "Passed": lambda f: rules.Passed(*f),
    "Laid": lambda f: rules.Laid(f[0], tuple(map(read_meld, f[1]))),
    "Amended": lambda f: rules.Amended(f[0], read_meld(f[1]), read_cards(f[2]), f[3]),
    "Undone": lambda f: rules.Undone(*f),
    "Discarded": lambda f: rules.Discarded(f[0], parse_card(f[1]), f[2]),
    "TimeRanOut": lambda f: rules.TimeRanOut(*f),
    "DealEnded": lambda f: rules.DealEnded(*f),
}


def write_seat(seat: Seat) -> Json:
    """A seat as a list."""
    account, name, occupant, *rest = seat
    return [account, name, occupant.value, *rest]


def read_seat(value: Json) -> Seat:
    """A seat from a list."""
    account, name, occupant, *rest = value
    return Seat(account, name, Occupant(occupant), *rest)


_WRITE: Final[dict[type, Callable[[Any], list[Any]]]] = {
    table.Created: lambda e: [
        e.table_id,
        write_options(e.options),
        [write_seat(seat) for seat in e.seats],
        e.host_seat,
        e.series_id.hex(),
        e.match_id.hex(),
        e.private,
    ],
    table.SeatTaken: lambda e: [e.seat, e.account, e.name, e.occupant.value],
    table.AwayChanged: list,
    table.GraceOver: list,
    table.SeatLeft: list,
    table.StandInTook: list,
    table.SwapOpened: lambda e: [],
    table.SwapAsked: lambda e: [e.seat],
    table.SeatsSwapped: lambda e: [e.team],
    table.MatchBegan: lambda e: [e.match_id.hex()],
    table.FundingBegan: list,
    table.StakesHeld: list,
    table.StakesMissing: lambda e: [[[seat, obstacle.value] for seat, obstacle in e.missing]],
    **stored_ceremony.WRITE,
    table.ResultShown: lambda e: [],
    table.Dealt: lambda e: [e.starter],
    table.ClockSet: lambda e: [e.deadline_ms],
    table.Revealed: lambda e: [e.match_id.hex(), e.deal_no, e.fair_json],
    table.PauseAsked: list,
    table.PauseBegan: list,
    table.PauseOver: list,
    table.Frozen: list,
    table.Unfrozen: list,
    table.Aborted: list,
    table.Closed: lambda e: [],
}
_READ: Final[dict[str, Callable[[list[Any]], table.TableEvent]]] = {
    "Created": lambda f: table.Created(
        f[0], make_options(f[1]), tuple(map(read_seat, f[2])), f[3], bytes.fromhex(f[4]), bytes.fromhex(f[5]), f[6]
    ),
    "SeatTaken": lambda f: table.SeatTaken(f[0], f[1], f[2], Occupant(f[3])),
    "AwayChanged": lambda f: table.AwayChanged(*f),
    "GraceOver": lambda f: table.GraceOver(*f),
    "SeatLeft": lambda f: table.SeatLeft(*f),
    "StandInTook": lambda f: table.StandInTook(*f),
    "SwapOpened": lambda f: table.SwapOpened(),
    "SwapAsked": lambda f: table.SwapAsked(*f),
    "SeatsSwapped": lambda f: table.SeatsSwapped(*f),
    "MatchBegan": lambda f: table.MatchBegan(bytes.fromhex(f[0])),
    "FundingBegan": lambda f: table.FundingBegan(*f),
    "StakesHeld": lambda f: table.StakesHeld(),
    "StakesMissing": lambda f: table.StakesMissing(
        tuple(MissingStake(seat, Obstacle(obstacle)) for seat, obstacle in f[0])
    ),
    **stored_ceremony.READ,
    "ResultShown": lambda f: table.ResultShown(),
    "Dealt": lambda f: table.Dealt(*f),
    "ClockSet": lambda f: table.ClockSet(*f),
    "Revealed": lambda f: table.Revealed(bytes.fromhex(f[0]), f[1], f[2]),
    "PauseAsked": lambda f: table.PauseAsked(*f),
    "PauseBegan": lambda f: table.PauseBegan(*f),
    "PauseOver": lambda f: table.PauseOver(),
    "Frozen": lambda f: table.Frozen(*f),
    "Unfrozen": lambda f: table.Unfrozen(),
    "Aborted": lambda f: table.Aborted(),
    "Closed": lambda f: table.Closed(),
}


def write_state(state: TableState) -> Json:
    """A table between deals, or as its deal begins: the deal itself is made anew from its deck."""
    return {
        "table_id": state.table_id,
        "options": write_options(state.options),
        "host_seat": state.host_seat,
        "seats": [write_seat(seat) for seat in state.seats],
        "series_id": state.series_id.hex(),
        "match_id": state.match_id.hex(),
        "wins": state.series.wins,
        "seating": state.series.seating,
        "match": [state.match.totals, state.match.deals, state.match.tiebreak, state.match.winner],
        "revision": state.revision,
        "stage": state.stage.value,
        "deal_no": state.deal_no,
        "fair": None if state.fair is None else write_ceremony(state.fair),
        "deadline_ms": state.deadline_ms,
        "last": None if state.last is None else _write_last(state.last),
        "unrevealed": [write_context(ctx) for ctx in state.unrevealed],
        "private": state.private,
        "pause": list(state.pause),
    }


def read_state(value: Json) -> TableState:
    """The table that ``write_state`` wrote."""
    options = make_options(value["options"])
    totals, deals, tiebreak, winner = value["match"]
    return TableState(
        table_id=value["table_id"],
        options=options,
        host_seat=value["host_seat"],
        seats=tuple(map(read_seat, value["seats"])),
        series_id=bytes.fromhex(value["series_id"]),
        match_id=bytes.fromhex(value["match_id"]),
        series=SeriesState(options, tuple(value["wins"]), tuple(value["seating"])),
        match=MatchState(options, tuple(totals), deals, tiebreak, winner),
        revision=value["revision"],
        stage=Stage(value["stage"]),
        deal_no=value["deal_no"],
        fair=None if value["fair"] is None else read_ceremony(value["fair"]),
        deadline_ms=value["deadline_ms"],
        last=None if value["last"] is None else _read_last(value["last"]),
        unrevealed=tuple(map(read_context, value["unrevealed"])),
        private=value["private"],
        pause=_read_pause(value["pause"]),
    )


def _read_pause(value: Json) -> Pause:
    agreed, until_ms, used = value
    return Pause(tuple(agreed), until_ms, used)


def _write_last(last: LastDeal) -> Json:
    end, hands, score = last.seen
    return [
        last.deal_no,
        last.totals,
        list(end),
        [write_cards(bytes(bag_cards(hand))) for hand in hands],
        list(score),
    ]


def _read_last(value: Json) -> LastDeal:
    deal_no, totals, end, hands, (teams, seats, held, laid, bonus) = value
    score = DealScore(tuple(teams), None if seats is None else tuple(seats), tuple(held), tuple(laid), bonus)
    seen = SeenDealEnded(rules.DealEnded(*end), tuple(bag_of(read_cards(hand)) for hand in hands), score)
    return LastDeal(deal_no, tuple(totals), seen)
