"""Table options: on the wire a preset and what is set on top of it; read, all of a table's rules."""

from typing import Any, Final

from banakil.common.v1 import rule_options_pb2 as wire
from google.protobuf.descriptor import FieldDescriptor

from shared.codec.errors import MalformedError
from shared.rules.options import CHOICES, NAMES, PRESETS, Options, OptionValue, make_options
from shared.rules.refusal import RecordError

MAX_RESHUFFLES: Final = "max_reshuffles"
"""The one option with two fields: a number, or none."""


def _numbers(field: FieldDescriptor, choices: tuple[str, ...]) -> dict[str, int]:
    enum = field.enum_type
    if enum is None:
        raise TypeError(f"{field.name} has choices, and no enum")
    return {
        choice: value.number for choice in choices for value in enum.values if value.name.endswith(f"_{choice.upper()}")
    }


_NAMED: Final = {"preset": tuple(PRESETS), **CHOICES}
_FIELDS: Final = {
    name: wire.RuleOptions.DESCRIPTOR.fields_by_name["stake_coins" if name == "stake" else name]
    for name in ("preset", *NAMES)
}
_NUMBERS: Final = {name: _numbers(_FIELDS[name], choices) for name, choices in _NAMED.items()}
"""The number of each choice, by option: a value's name ends with its choice."""
_CHOICES: Final = {name: {number: choice for choice, number in numbers.items()} for name, numbers in _NUMBERS.items()}


def read_options(message: wire.RuleOptions) -> Options:
    """The rules of a table: the preset, with what the message sets.

    Raises `MalformedError` (`OPTION_OUT_OF_RANGE`) without a preset and for a value out of its range.
    """
    values: dict[str, OptionValue] = {}
    for name, field in _FIELDS.items():
        value = getattr(message, field.name)
        if name in _CHOICES:
            if value:
                values[name] = _choice(name, value)
        elif message.HasField(field.name):  # type: ignore[arg-type]  # the stubs want the name spelt out
            values[name] = value
    if message.WhichOneof("reshuffle_limit") == "unlimited_reshuffles":
        if not message.unlimited_reshuffles:
            raise MalformedError("unlimited_reshuffles is true or not set", "OPTION_OUT_OF_RANGE")
        values[MAX_RESHUFFLES] = None
    try:
        return make_options(values)
    except RecordError as error:
        raise MalformedError(str(error), "OPTION_OUT_OF_RANGE") from None


def write_options(options: Options) -> wire.RuleOptions:
    """The rules with every option set, so that a reader needs no presets."""
    fields: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        value = getattr(options, name)
        fields[field.name] = _NUMBERS[name][value] if name in _NUMBERS else value
    if fields[MAX_RESHUFFLES] is None:
        fields["unlimited_reshuffles"] = True
    return wire.RuleOptions(**fields)


def _choice(name: str, number: int) -> str:
    choice = _CHOICES[name].get(number)
    if choice is None:
        raise MalformedError(f"no such {name}", "OPTION_OUT_OF_RANGE")
    return choice
