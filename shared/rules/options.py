"""Table options and the two presets ("Options and presets" in docs/rules.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, TypeAlias, get_args

from shared.rules.refusal import RecordError

Preset: TypeAlias = Literal["sahrat", "banakil202"]
Mode: TypeAlias = Literal["partners", "duel"]
PileTake: TypeAlias = Literal["top_must_meld", "any_depth"]
TwoMove: TypeAlias = Literal["displaced_only", "free"]
Scoring: TypeAlias = Literal["team", "personal"]
Starter: TypeAlias = Literal["dealer_draw", "host_cut"]
TieRule: TypeAlias = Literal["level_plays_on", "gap_over_5"]
Format: TypeAlias = Literal["single", "best_of_3"]
OptionValue: TypeAlias = bool | int | str | None


@dataclass(frozen=True, slots=True)
class Options:
    """The rules of one table. Times in seconds, target in points, stake in coins."""

    preset: Preset
    mode: Mode
    target: int
    turn_seconds: int
    discard_seconds: int
    grace_seconds: int
    pile_take: PileTake
    partner_needs_opening: bool
    released_joker_must_be_laid: bool
    min_real: int
    twos_in_sets: bool
    natural_two_is_real: bool
    two_move: TwoMove
    max_reshuffles: int | None
    scoring: Scoring
    one_turn_bonus: bool
    starter: Starter
    tie_rule: TieRule
    format: Format
    stake: int

    @property
    def seats(self) -> int:
        """Players at the table: 4, or 2 in a duel."""
        return 2 if self.mode == "duel" else 4

    @property
    def changed(self) -> dict[str, OptionValue]:
        """The options that differ from the preset, ``mode`` included; a sahrat duel's target is compared with 150."""
        base = preset_options(self.preset, self.mode)
        changed = {name: value for name in NAMES if (value := getattr(self, name)) != getattr(base, name)}
        return changed if self.mode == "partners" else {"mode": self.mode, **changed}


SAHRAT: Final = Options(
    preset="sahrat",
    mode="partners",
    target=222,
    turn_seconds=20,
    discard_seconds=5,
    grace_seconds=60,
    pile_take="top_must_meld",
    partner_needs_opening=True,
    released_joker_must_be_laid=True,
    min_real=2,
    twos_in_sets=True,
    natural_two_is_real=False,
    two_move="displaced_only",
    max_reshuffles=None,
    scoring="team",
    one_turn_bonus=True,
    starter="dealer_draw",
    tie_rule="level_plays_on",
    format="single",
    stake=0,
)
BANAKIL202: Final = Options(
    preset="banakil202",
    mode="partners",
    target=202,
    turn_seconds=40,
    discard_seconds=5,
    grace_seconds=60,
    pile_take="any_depth",
    partner_needs_opening=False,
    released_joker_must_be_laid=False,
    min_real=1,
    twos_in_sets=False,
    natural_two_is_real=True,
    two_move="free",
    max_reshuffles=2,
    scoring="personal",
    one_turn_bonus=False,
    starter="host_cut",
    tie_rule="gap_over_5",
    format="single",
    stake=0,
)
PRESETS: Final[Mapping[str, Options]] = {"sahrat": SAHRAT, "banakil202": BANAKIL202}
SAHRAT_DUEL_TARGET: Final = 150

NAMES: Final = tuple(field.name for field in fields(Options) if field.name != "preset")
"""Names of the options that may be set on top of a preset."""

RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "target": (50, 1000),
    "turn_seconds": (5, 300),
    "discard_seconds": (3, 30),
    "grace_seconds": (0, 600),
    "min_real": (1, 2),
    "max_reshuffles": (0, 20),
    "stake": (0, 1_000_000),
}
"""Least and greatest value of each number; ``stake`` in fives."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "mode": get_args(Mode),
    "pile_take": get_args(PileTake),
    "two_move": get_args(TwoMove),
    "scoring": get_args(Scoring),
    "starter": get_args(Starter),
    "tie_rule": get_args(TieRule),
    "format": get_args(Format),
}


def preset_options(preset: str, mode: str = "partners") -> Options:
    """The preset's options in this mode; a sahrat duel goes to 150 (R8.1).

    Raises ``RecordError`` for an unknown name.
    """
    if preset not in PRESETS or mode not in CHOICES["mode"]:
        raise RecordError(f"no such preset or mode: {preset!r:.40}, {mode!r:.40}")
    options = PRESETS[preset]
    if mode == "duel":
        target = SAHRAT_DUEL_TARGET if preset == "sahrat" else options.target
        options = replace(options, mode="duel", target=target)
    return options


def make_options(values: Mapping[str, object]) -> Options:
    """Options from ``{"preset": name, ...}`` plus each option that differs, as records and lobbies give them.

    Raises ``RecordError`` for an unknown name, a value of another kind, or one out of its range.
    """
    preset, mode = values.get("preset"), values.get("mode", "partners")
    if not isinstance(preset, str) or not isinstance(mode, str):
        raise RecordError("options need a preset, and a mode is a text")
    options = preset_options(preset, mode)
    changes = {name: _checked(name, value) for name, value in values.items() if name not in ("preset", "mode")}
    return replace(options, **changes) if changes else options  # type: ignore[arg-type]  # _checked gave each its kind


def _checked(name: str, value: object) -> OptionValue:
    if name in CHOICES:
        if isinstance(value, str) and value in CHOICES[name]:
            return value
        raise RecordError(f"{name} is one of {', '.join(CHOICES[name])}")
    if name in RANGES:
        if name == "max_reshuffles" and value is None:
            return None
        least, most = RANGES[name]
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            if name == "stake" and value % 5:
                raise RecordError("stake is a multiple of 5 (R11.1)")
            return value
        raise RecordError(f"{name} is a whole number from {least} to {most}")
    if name not in NAMES:
        raise RecordError(f"no such option: {name!r:.40}")
    if isinstance(value, bool):
        return value
    raise RecordError(f"{name} is true or false")
