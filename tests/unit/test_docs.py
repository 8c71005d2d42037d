"""What the documents say about the rules is what the rules do: examples are run, lists are complete."""

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.rules import action_text, position, record
from shared.rules.amend import check_amend
from shared.rules.cards import bag_of, codes, parse_card
from shared.rules.hints import hints_for, hints_json
from shared.rules.legal import legal_actions
from shared.rules.melds import Meld, layout_shape
from shared.rules.notation import parse_notation, write_notation
from shared.rules.options import CHOICES, NAMES, PRESETS, RANGES, Options
from shared.rules.record import read_record
from shared.rules.refusal import Code, RecordError, RefusedError
from shared.rules.replay import ReplayError, replay, replay_json
from shared.rules.series_record import is_series, series_of
from shared.rules.series_replay import replay_series, series_json

ROOT = Path(__file__).resolve().parents[2]
RULES = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
RECORD = (ROOT / "docs/record.md").read_text(encoding="utf-8")
ARABIC = (ROOT / "docs/rules.ar.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
}


def table_rows(page: str, columns: int) -> Iterator[list[str]]:
    """The cells of every table row with this many columns; an escaped bar is none."""
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if len(cells) == columns and not set(cells[0]) <= set("-: "):
            yield cells


def examples() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each answer shown in docs/record.md: the command, the record last shown before it, the answer."""
    shown: dict[str, Any] = {}
    for kind, text in re.findall(r"^```json (.+)\n((?:.*\n)+?)```$", RECORD, re.MULTILINE):
        if kind == "record":
            shown = json.loads(text)
        else:
            yield kind, shown, json.loads(text)


def answer(kind: str, shown: dict[str, Any]) -> dict[str, Any]:
    """What the library answers to a command on a record."""
    if is_series(shown):
        return series_json(replay_series(series_of(shown)))
    read = read_record(json.dumps(shown).encode())
    if kind == "replay":
        try:
            return replay_json(replay(read))
        except ReplayError as error:
            return {"error": {"deal": error.deal, "action": error.action, "code": error.code.value}}
    return replay_json(replay(read, lenient=True))


EXAMPLES = list(examples())


@pytest.mark.parametrize(("kind", "shown", "said"), [e for e in EXAMPLES if e[0].startswith("replay")])
def test_an_example_record_replays_to_the_answer_beside_it(
    kind: str, shown: dict[str, Any], said: dict[str, Any]
) -> None:
    assert answer(kind, shown) == said


def test_the_example_of_legal_is_what_the_library_lists() -> None:
    [(shown, said)] = [(shown, said) for kind, shown, said in EXAMPLES if kind == "legal"]
    legal = legal_actions(replay(read_record(json.dumps(shown).encode())).deals[-1])
    assert said["melds"] == [codes(cards) for cards in legal.melds]
    assert said["amends"] == [{"id": number, "cards": codes(cards)} for number, cards in legal.amends]
    assert said["discards"] == codes(legal.discards)
    assert (said["draw"], said["take"], said["pass"], said["undo"]) == (False, [], False, False)


def test_the_example_of_hints_is_what_the_library_gives() -> None:
    [(shown, said)] = [(shown, said) for kind, shown, said in EXAMPLES if kind == "hints"]
    state = replay(read_record(json.dumps(shown).encode())).deals[-1]
    assert said == hints_json(hints_for(state), state.turn)


def test_the_lines_of_positions_are_read_and_written_the_same() -> None:
    lines = re.search(r"^```text\n((?:.*\n)+?)```$", RECORD, re.MULTILINE)
    assert lines is not None
    for line in lines[1].splitlines():
        assert write_notation(parse_notation(line)) == line


def test_every_command_and_kind_of_answer_has_an_example() -> None:
    assert {kind for kind, _, _ in EXAMPLES} == {"replay", "replay --lenient", "legal", "hints"}
    assert any(is_series(shown) for _, shown, _ in EXAMPLES)
    ends = {deal["end"] for kind, _, said in EXAMPLES if kind == "replay" for deal in said.get("deals", [])}
    assert ends == {"out", "unfinished"}


HAND = ["7H", "8H", "2C", "4S", "KD"]
POSITION = {"hands": [HAND, ["TC"], ["TC"], ["TC"]], "stock": ["8S"], "turn": 0, "phase": "play"}
Case = tuple[dict[str, Any], dict[str, Any], list[str], tuple[int, int, Code] | None]
"""Fields of the file, fields of its deal, actions, and the fault: deal, action, code."""
SAHRAT: dict[str, Any] = {"preset": "sahrat"}
BAD_FILE, BAD_DEAL, BAD_ACTION = (0, 0, Code.BAD_RECORD), (1, 0, Code.BAD_RECORD), (1, 1, Code.BAD_ACTION)
ONE_CARD_EACH = {**POSITION, "hands": [["KD"]] * 4}
STRICTLY: dict[str, Case] = {
    "an unknown field of a file": ({"note": 1}, {}, [], None),
    "an unknown field of a deal": ({}, {"note": 1}, [], None),
    "an unknown field of a position": ({}, {"position": {**POSITION, "note": 1}}, [], None),
    "an unknown option": ({"options": {**SAHRAT, "note": 1}}, {}, [], BAD_FILE),
    "true is no number": ({"version": True}, {}, [], BAD_FILE),
    "1 is no true": ({"tiebreak": 1}, {}, [], BAD_FILE),
    "40.0 is no whole number": ({"options": {**SAHRAT, "turn_seconds": 40.0}}, {}, [], BAD_FILE),
    "null is no target": ({"options": {**SAHRAT, "target": None}}, {}, [], BAD_FILE),
    "null is no limit of reshuffles": ({"options": {**SAHRAT, "max_reshuffles": None}}, {}, [], None),
    "any white space": ({}, {}, ["0  meld\t7H 8H 2C"], None),
    "a verb in upper case": ({}, {}, ["0 MELD 7H 8H 2C"], BAD_ACTION),
    "a card in lower case": ({}, {}, ["0 discard kd"], BAD_ACTION),
    "a seat that no table has": ({}, {}, ["4 draw"], BAD_ACTION),
    "a seat that this table has not": (
        {"options": {**SAHRAT, "mode": "duel"}},
        {"position": {**POSITION, "hands": [HAND, ["TC"]]}},
        ["3 draw"],
        (1, 1, Code.NOT_YOUR_TURN),
    ),
    "a count of five digits": ({}, {}, ["0 take 00001"], BAD_ACTION),
    "nothing laid": ({}, {}, ["0 meld"], BAD_ACTION),
    "an action after the end": ({}, {"position": ONE_CARD_EACH}, ["0 discard KD", "1 draw"], (1, 2, Code.DEAL_OVER)),
    "reshuffles that nobody needs": ({}, {"reshuffles": [["8S"]]}, [], None),
    "no card to act with": ({}, {"position": {**POSITION, "hands": [[]] * 4}}, [], BAD_DEAL),
    "totals over the target": ({"totals": [300, 0]}, {}, [], None),
    "not a number": ({"totals": [float("nan"), 0]}, {}, [], BAD_FILE),
    "no deals": ({"deals": []}, {}, [], None),
    "a third copy": ({}, {"position": {**POSITION, "stock": ["KD"] * 2}}, [], BAD_DEAL),
    "a third copy by an action": (
        {"options": {"preset": "banakil202", "mode": "duel"}},
        {"position": {"hands": [["9C", "9C"], ["9C", "5D"]], "turn": 1, "stock": ["KD", "KH"], "phase": "play"}},
        ["1 discard 9C", "0 take 1"],
        (1, 2, Code.BAD_RECORD),
    ),
    "deck and position": ({}, {"deck": []}, [], BAD_DEAL),
}


@pytest.mark.parametrize("case", STRICTLY)
def test_a_file_is_read_as_strictly_as_the_page_says(case: str) -> None:
    file, deal, actions, fault = STRICTLY[case]
    fields: dict[str, Any] = {"format": "banakil-record", "version": 1, "options": SAHRAT}
    fields["deals"] = [{"position": POSITION, "actions": actions, **deal}]
    found = None
    try:
        replay(read_record(json.dumps({**fields, **file}).encode()))
    except RecordError as error:
        found = (0, 0, error.code)
    except ReplayError as error:
        found = (error.deal, error.action, error.code)
    assert found == fault


OPTION_ROWS = {row[0].strip("`"): row for row in table_rows(RULES, 5) if row[0].startswith("`") and row[0] != "`5H"}


@pytest.mark.parametrize("name", NAMES)
def test_an_option_is_listed_with_its_values_and_presets(name: str) -> None:
    _, values, sahrat, banakil202, change = OPTION_ROWS[name]
    if name in RANGES:
        least, most = RANGES[name]
        assert f"{least:,} to {most:,}" in values
    else:
        assert re.findall(r"`(\w+)`", values) == list(CHOICES.get(name, ("true", "false")))
    for cell, preset in ((sahrat, "sahrat"), (banakil202, "banakil202")):
        value = getattr(PRESETS[preset], name)
        said = cell.split(";")[0].strip("`")
        assert said == (value if isinstance(value, str) else json.dumps(value))
    assert re.search(r"R\d", change) or name == "mode"


LAYOUTS = [row for row in table_rows(RULES, 4) if re.match(r"`[2-9TJQKA]", row[0])]
AMENDS = [row for row in table_rows(RULES, 5) if re.match(r"`[2-9TJQKA]", row[0])]
BY_COLUMN = (PRESETS["sahrat"], PRESETS["banakil202"])


def cards_in(cell: str) -> bytes:
    return bytes(map(parse_card, cell.strip("`").split()))


def layout_outcome(cards: bytes, options: Options) -> str:
    try:
        return "run" if layout_shape(cards, options).start else "set"
    except RefusedError as refused:
        return f"`{refused.code}`"


def amend_outcome(old: bytes, hand: bytes, new: bytes, options: Options) -> str:
    start, suit = layout_shape(old, options)
    try:
        amendment = check_amend(Meld(1, 0, old, bytes(len(old)), start, suit), new, 0, bag_of(hand), options)
    except RefusedError as refused:
        return f"`{refused.code}`"
    return "joker back" if amendment.joker_released else "yes"


@pytest.mark.parametrize("row", LAYOUTS, ids=lambda row: row[0].strip("`"))
def test_a_layout_in_the_table_of_melds_is_judged_as_it_says(row: list[str]) -> None:
    assert row[1:3] == [layout_outcome(cards_in(row[0]), options) for options in BY_COLUMN]


@pytest.mark.parametrize("row", AMENDS, ids=lambda row: f"{row[0]} to {row[2]}")
def test_a_layout_in_the_table_of_amends_is_judged_as_it_says(row: list[str]) -> None:
    old, hand, new = map(cards_in, row[:3])
    assert row[3:] == [amend_outcome(old, hand, new, options) for options in BY_COLUMN]


def test_the_tables_of_examples_are_found() -> None:
    assert len(LAYOUTS) >= 20
    assert len(AMENDS) >= 12


def test_every_error_code_is_explained_once() -> None:
    codes_told = [row[0].strip("`") for row in table_rows(RECORD, 3) if re.fullmatch(r"`[A-Z_]+`", row[0])]
    assert codes_told == [code.value for code in Code]


def test_every_limit_of_a_record_is_told() -> None:
    limits = RECORD[RECORD.index("## Limits") :]
    for most in (
        record.LARGEST_BYTES,
        record.MOST_DEALS,
        record.MOST_ACTIONS,
        record.MOST_RESHUFFLES,
        record.MOST_POINTS,
        action_text.LONGEST,
        position.MOST_MELDS,
    ):
        assert f"| {most:,}" in limits


def test_every_rule_that_the_code_cites_is_on_the_page_of_rules() -> None:
    defined = set(re.findall(r"^- \*\*(R\d+\.\d+)\*\*", RULES, re.MULTILINE))
    cited = {
        number
        for folder in ("shared", "tests", "services", "protos")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".proto") and "genproto" not in path.parts
        for number in re.findall(r"\bR(?:[1-9]|1[0-3])\.\d+", path.read_text(encoding="utf-8"))
    }
    cited |= {number for page in PAGES.values() for number in re.findall(r"\bR\d+\.\d+", page)}
    assert cited - defined == set()


def test_the_readme_example_runs() -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert len(example.examples) >= 8
    assert runner.run(example).failed == 0


def test_the_map_of_the_rules_core_names_every_module_and_no_other() -> None:
    modules = {path.name for path in (ROOT / "shared/rules").glob("*.py")} - {"__init__.py"}
    section = ARCHITECTURE[ARCHITECTURE.index("## The rules core") :].split("\n## ")[0]
    assert set(re.findall(r"`(\w+\.py)`", section)) == modules


def test_a_link_to_a_file_of_the_project_leads_somewhere() -> None:
    broken = [
        f"{page}: {target}"
        for page, text in PAGES.items()
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        if not (ROOT / page).parent.joinpath(target).exists()
    ]
    assert broken == []


def test_the_arabic_rules_have_the_numbers_of_both_presets() -> None:
    for preset in PRESETS.values():
        assert str(preset.target) in ARABIC
        assert str(preset.turn_seconds) in ARABIC
    for number in (106, 18, 19, 150, 20, 51, 102, 400):
        assert str(number) in ARABIC
