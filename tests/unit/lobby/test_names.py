"""Names that people have are kept as they are; those that could deceive or vanish are refused."""

import pytest

from services.lobby.names import MAX_CHARS, MAX_WIRE_CHARS, read_name
from services.lobby.refusals import BadRequestError


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("نور", "نور"),
        ("  Layla  ", "Layla"),
        ("أبو   خالد", "أبو خالد"),
        ("Jose\u0301", "José"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👩\u200d👧 & co", "👩\u200d👩\u200d👧 & co"),
        ("قَلَّ", "قَلَّ"),
        ("\U0001fae8", "\U0001fae8"),
        ("7", "7"),
        ("x" * MAX_CHARS, "x" * MAX_CHARS),
        ("\u3000王\u3000明\u3000", "王 明"),
    ],
)
def test_a_name_is_kept_trimmed_and_composed(given: str, kept: str) -> None:
    assert read_name(given) == kept


@pytest.mark.parametrize(
    "refused",
    [
        "",
        "   ",
        "x" * (MAX_CHARS + 1),
        "a" + " " * MAX_WIRE_CHARS + "b",
        "a\nb",
        "a\x00b",
        "a\u202eb",  # turns what follows around
        "a\u2066b\u2069",
        "a\u200bb",  # is not to be seen
        "a\u200fb",
        "a\u2028b",
        "\u200d",
        "\u3164",
        "\u2800\u2800",
        "\u0301",
        "e" + "\u0301\u0302\u0303\u0304\u0305\u0306",
        "\ue000",
        "\ufdd0",
        "\U000e0041",
    ],
)
def test_a_name_that_could_deceive_or_vanish_is_refused(refused: str) -> None:
    with pytest.raises(BadRequestError):
        read_name(refused)
