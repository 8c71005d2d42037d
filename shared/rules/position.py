"""Positions: a deal that starts in the middle (docs/record.md, "A position"), as JSON."""

from typing import Final

from shared.rules.cards import Bag, ThirdCopyError, bag_add, bag_cards, bag_of, codes
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import Options
from shared.rules.record_fields import as_bool, as_cards, as_int, as_list, as_mapping
from shared.rules.refusal import RecordError, RefusedError
from shared.rules.state import DealState, Phase, same_team

MOST_MELDS: Final = 36
"""Melds of three cards that 106 cards make, and some to spare."""


def read_position(value: object, options: Options, starter: int) -> DealState:
    """The state that a position describes, before R6.1 is applied to the turn that begins.

    Raises ``RecordError`` for a position that can't be read or that no legal melds make.
    """
    fields = as_mapping(value, "position")
    seats = options.seats
    hands = [as_cards(hand, "a hand") for hand in as_list(fields.get("hands"), "hands", seats)]
    if len(hands) != seats:
        raise RecordError(f"a position has {seats} hands")
    stock, pile = as_cards(fields.get("stock", []), "stock"), as_cards(fields.get("pile", []), "pile")
    melds = tuple(
        _read_meld(meld, number, options)
        for number, meld in enumerate(as_list(fields.get("melds", []), "melds", MOST_MELDS), 1)
    )
    _check_copies(hands, [stock, pile, *(meld.cards for meld in melds)])
    turn = as_int(fields.get("turn"), "turn", 0, seats - 1)
    phase = fields.get("phase", "draw")
    if phase not in ("draw", "play"):
        raise RecordError("phase is draw or play")
    time_up = as_bool(fields.get("time_up", False), "time_up")
    if phase == "draw" and time_up:
        raise RecordError("time_up is said of phase play")
    if phase == "play" and not hands[turn]:
        raise RecordError("the seat to act has no card left: the deal is over (R7.1)")
    opened = put_down = 0
    for meld in melds:
        opened |= 1 << meld.owner
        for seat in (meld.owner, *meld.layers):
            put_down |= 1 << seat
    return DealState(
        options=options,
        starter=starter,
        hands=tuple(bag_of(hand) for hand in hands),
        stock=stock,
        pile=pile,
        melds=melds,
        turn=turn,
        turn_no=1,
        phase=Phase(phase),
        time_up=time_up,
        duties=0,
        fallback=None,
        opened=opened,
        put_down=put_down,
        fresh=not put_down >> turn & 1,
        amended_partner=False,
        reshuffles_used=as_int(fields.get("reshuffles_used", 0), "reshuffles_used", 0, 1_000_000),
        end=None,
    )


def _read_meld(value: object, number: int, options: Options) -> Meld:
    fields = as_mapping(value, "a meld")
    owner = as_int(fields.get("owner"), "owner", 0, options.seats - 1)
    cards = as_cards(fields.get("cards"), "a meld's cards")
    given = fields.get("layers")
    layers = [owner] * len(cards)
    if given is not None:
        layers = [as_int(seat, "a layer", 0, options.seats - 1) for seat in as_list(given, "layers", len(cards))]
    if len(layers) != len(cards) or not all(same_team(owner, seat) for seat in layers):
        raise RecordError("layers name a seat of the owner's team for each card")
    try:
        start, suit = layout_shape(cards, options)
    except RefusedError as refused:
        raise RecordError(f"no legal meld: {refused}") from None
    return Meld(number, owner, cards, bytes(layers), start, suit)


def _check_copies(hands: list[bytes], elsewhere: list[bytes]) -> None:
    """No face more often than the deck has it, in any hand with what lies on the table.

    Hands are not added up: small positions may give the seats that do not matter the same few cards.
    """
    try:
        table = bag_of(face for cards in elsewhere for face in cards)
        for hand in hands:
            bag: Bag = table
            for face in hand:
                bag = bag_add(bag, face)
    except ThirdCopyError as error:
        raise RecordError(f"the deck has no such card: {error}") from None


def write_melds(state: DealState) -> list[dict[str, object]]:
    """The melds on the table as JSON."""
    return [
        {"id": meld.id, "owner": meld.owner, "cards": codes(meld.cards), "layers": list(meld.layers)}
        for meld in state.melds
    ]


def write_position(state: DealState) -> dict[str, object]:
    """The state as a position; what a position can't hold (duties, an earlier turn's doings) is left out."""
    return {
        "hands": [codes(bag_cards(hand)) for hand in state.hands],
        "stock": codes(state.stock),
        "pile": codes(state.pile),
        "melds": [{key: meld[key] for key in ("owner", "cards", "layers")} for meld in write_melds(state)],
        "turn": state.turn,
        "phase": state.phase.value,
        "reshuffles_used": state.reshuffles_used,
        "time_up": state.time_up,
    }
