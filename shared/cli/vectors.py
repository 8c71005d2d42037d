"""``banakil vectors``: legality vectors for other implementations of the rules."""

import random
from typing import Annotated

import typer

from shared.cli.answers import json_line
from shared.cli.vector_cases import amend_vectors, meld_vectors

MOST: int = 100_000


def vectors_command(
    count: Annotated[int, typer.Option(min=0, max=MOST, help="Cases of each kind, new melds and amends.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed gives other cases, the same seed the same ones.")] = 1,
) -> None:
    """Print layouts and amends with what the rules say of them: one JSON object, a case a line.

    A case of "melds" tells options and cards, then kind and start of the meld, or the code of a rule it breaks. A
    case of "amends" tells options, the meld on the table, whether the seat has opened, its hand, and the layout it
    asks for; then layers, the cards added and whether the joker came back, or the code.
    """
    rng = random.Random(f"banakil vectors {seed}")
    print(f'{{"format": "banakil-vectors", "version": 1, "seed": {seed},')
    for name, vectors in (("melds", meld_vectors(count, rng)), ("amends", amend_vectors(count, rng))):
        lines = ",\n".join(map(json_line, vectors))
        print(f'"{name}": [\n{lines}\n]' + ("," if name == "melds" else "}"))
