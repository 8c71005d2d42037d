"""The rules id in `ctx`: the preset's name, and a short hash of the options that were changed (docs/fair.md)."""

import hashlib
import json
from collections.abc import Mapping

from shared.fairness.errors import FairnessError

OptionValue = bool | int | str | None

PRESETS = ("sahrat", "banakil202")
SAHRAT_DUEL_TARGET = 150
HASH_HEX_DIGITS = 16
_ASIDE = frozenset({"preset", "mode"})


def changed_options(
    preset: str, options: Mapping[str, OptionValue], preset_values: Mapping[str, OptionValue]
) -> dict[str, OptionValue]:
    """The options whose value is not the preset's.

    `options` may be all of a table's options or only those given; `preset_values` is the preset as the options table
    has it. The mode is left out, since `ctx` has the number of seats; a duel by sahrat has its own base target.
    `FairnessError` for a name that the preset has no value for.
    """
    base = {**preset_values, "format": "single", "stake": 0}
    if preset == "sahrat" and options.get("mode") == "duel":
        base["target"] = SAHRAT_DUEL_TARGET
    changed: dict[str, OptionValue] = {}
    for name, value in options.items():
        if name in _ASIDE:
            continue
        if name not in base:
            raise FairnessError("rules", f"there is no option {name!r}")
        # True == 1 in Python, but not in JSON, which is what is hashed.
        if value != base[name] or type(value) is not type(base[name]):
            changed[name] = value
    return changed


def rules_id(preset: str, changed: Mapping[str, OptionValue]) -> str:
    """The id of `preset` with the `changed` options (see `changed_options`; a mode among them is left out).

    `FairnessError` for a preset that is not known.
    """
    if preset not in PRESETS:
        raise FairnessError("rules", f"there is no preset {preset!r}")
    hashed = {name: value for name, value in changed.items() if name not in _ASIDE}
    if not hashed:
        return preset
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"{preset}+{hashlib.sha256(text.encode()).hexdigest()[:HASH_HEX_DIGITS]}"


def is_rules_id(text: str) -> bool:
    """Whether `text` has the form of a rules id."""
    preset, plus, changed = text.partition("+")
    if preset not in PRESETS:
        return False
    return not plus or (len(changed) == HASH_HEX_DIGITS and not set(changed) - set("0123456789abcdef"))
