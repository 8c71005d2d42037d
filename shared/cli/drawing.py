"""Draws a deal's position, and a match's totals, as text for a terminal.

What is drawn comes from a view (views.py), so that the drawing for one seat shows no more than that seat may see. Seats
are numbered 1 to 4 on screen (R1); the numbers of records, from 0, stand beside them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from shared.cli.card_text import cards_text, laid_text
from shared.cli.words import Words
from shared.rules.cards import Bag, bag_cards, half_points
from shared.rules.match import MatchState
from shared.rules.record_fields import points_json
from shared.rules.scoring import DealScore
from shared.rules.views import View

LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn."""

    view: View
    hands: tuple[Bag | None, ...]
    """Per seat, ``None`` where only the number of cards is shown."""
    players: tuple[str, ...]
    deal_no: int
    match: MatchState
    score: DealScore | None
    """Of a deal that has ended."""
    skipped: int
    """Refused actions of the record that were left out."""


def draw_scene(scene: Scene, words: Words, *, signs: bool) -> Iterator[RenderableType]:
    """The parts of the drawing from top to bottom. ``signs``: the terminal can show suit signs and the like."""
    view = scene.view
    yield _headline(scene, words)
    yield _seats(scene, words, signs)
    yield Text.assemble(f"{words.stock}: {view.stock_size}   ({words.new_stocks}: {view.reshuffles_used})")
    yield Text.assemble(f"{words.pile}: ", cards_text(reversed(view.pile), signs=signs), f"   ({len(view.pile)})")
    for team in (0, 1):
        yield _melds(view, team, words, signs)
    if view.duties:
        yield Text.assemble((f"{words.must_lay}: ", "bold"), cards_text(bag_cards(view.duties), signs=signs))
    if scene.score is not None:
        yield _result(scene, scene.score, words)
    if scene.skipped:
        yield Text(f"{words.skipped}: {scene.skipped}", "yellow")


def shown_name(name: str) -> str:
    """A name that can do a terminal no harm: no control characters, no half characters, not too long."""
    return "".join(sign if sign.isprintable() else "?" for sign in name[:LONGEST_NAME])


def _points(half: int) -> str:
    return f"{points_json(half)}"


def _headline(scene: Scene, words: Words) -> Text:
    view, match = scene.view, scene.match
    line = Text(f"{words.deal} {scene.deal_no}", "bold")
    line.append(f" · {words.presets[view.options.preset]} · {words.modes[view.options.mode]}", "not bold")
    line.append(f" · {words.turn_no} {view.turn_no}", "not bold")
    line.append(f"\n{words.totals}: {_points(match.totals[0])} : {_points(match.totals[1])}", "not bold")
    line.append(f"   ({view.options.target})", "not bold dim")
    if match.winner is not None:
        line.append(f"   {words.team} {match.winner + 1} {words.won}", "bold green")
    elif match.tiebreak:
        line.append(f"   {words.tiebreak}", "bold yellow")
    return line


def _seats(scene: Scene, words: Words, signs: bool) -> Table:
    view = scene.view
    named = any(scene.players)
    table = Table(box=box.SIMPLE)
    for head in (words.seat, words.in_files, words.team, *([words.name] if named else [])):
        table.add_column(head)
    table.add_column(words.opened, justify="center")
    table.add_column(words.cards, justify="right")
    table.add_column(words.hand)
    for seat, size in enumerate(view.hand_sizes):
        acts = seat == view.turn and scene.score is None
        hand = scene.hands[seat]
        held = Text("") if hand is None else cards_text(bag_cards(hand), signs=signs)
        if acts:
            phase = words.phases["time_up" if view.time_up else view.phase.value]
            held = Text.assemble((f"{phase}  ", "bold yellow"), held)
        row = [f"{'>' if acts else ' '} {seat + 1}", f"{seat}", f"{(seat & 1) + 1}"]
        row += [shown_name(scene.players[seat])] if named else []
        opened = ("✓" if signs else "x") if view.opened >> seat & 1 else ""
        table.add_row(*map(Text, row), Text(opened), Text(f"{size}"), held)
    return table


def _melds(view: View, team: int, words: Words, signs: bool) -> RenderableType:
    title = Text(f"{words.melds_of} {team + 1}", "bold")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    melds = [meld for meld in view.melds if meld.owner & 1 == team]
    if not melds:
        return title.append(": -")
    for meld in melds:
        table.add_row(
            Text(f"{meld.id}"),
            Text(words.run if meld.start else words.meld_set),
            Text(f"{words.seat} {meld.owner + 1}"),
            laid_text(meld.cards, meld.layers, signs=signs),
            Text(_points(half_points(meld.cards)), "dim"),
        )
    framed = Table.grid()
    framed.add_row(title)
    framed.add_row(table)
    return framed


def _result(scene: Scene, score: DealScore, words: Words) -> Text:
    end = scene.view.end
    line = Text(f"\n{words.result}: ", "bold")
    facts = []
    if end is not None:
        who = "" if end.finisher is None else f"{words.seat} {end.finisher + 1} "
        facts = [who + words.ends[end.end], *([words.one_turn] if end.one_turn else [])]
    line.append(words.comma.join(facts), "bold yellow")
    line.append(f"{words.comma}{words.bonus} {_points(score.bonus)}\n", "not bold")
    for team in (0, 1):
        line.append(f"  {words.team} {team + 1}: {_points(score.teams[team])}\n", "bold")
    for seat, held in enumerate(score.hand_points):
        facts = [f"{words.laid} {_points(score.laid_points[seat])}", f"{words.left_in_hand} {_points(held)}"]
        facts += [f"{words.points} {_points(score.seats[seat])}"] if score.seats else []
        line.append(f"  {words.seat} {seat + 1}: {words.comma.join(facts)}\n", "not bold")
    return line
