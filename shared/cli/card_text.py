"""Cards for a terminal: suits by sign and by colour, in four colours so that no two suits are alike."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from shared.rules.cards import CODES, JOKER, SUIT, Face

SIGNS: Final = "♠♥♦♣"
COLOURS: Final = ("bold", "bold red", "bold blue", "bold green")
JOKER_STYLE: Final = "bold magenta"
SEAT_MARKS: Final = "¹²³⁴"
"""The seat, as numbered on screen, that put a card on the table."""


def card_text(face: Face, *, signs: bool) -> Text:
    """One card; ``signs``: the terminal can show suit signs, else the card's code is used."""
    if face == JOKER:
        return Text("JK", JOKER_STYLE)
    code = CODES[face]
    shown = code[0].replace("T", "10") + SIGNS[SUIT[face]] if signs else code
    return Text(shown, COLOURS[SUIT[face]])


def cards_text(faces: Iterable[Face], *, signs: bool) -> Text:
    """Cards in their order; a dash for none."""
    return Text(" ").join(card_text(face, signs=signs) for face in faces) or Text("-")


def laid_text(faces: Iterable[Face], layers: Iterable[int], *, signs: bool) -> Text:
    """A meld's cards, each with the seat that put it there (R1)."""
    shown = []
    for face, layer in zip(faces, layers, strict=True):
        mark = SEAT_MARKS[layer] if signs else f"/{layer + 1}"
        shown.append(card_text(face, signs=signs).append(mark, "not bold dim"))
    return Text(" ").join(shown)
