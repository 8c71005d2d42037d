"""Reading and writing the `fair` object: one spelling, and nothing half understood."""

import copy
from typing import Any

import pytest

from shared.fairness.derive import DEALER_DRAW, derived_starter
from shared.fairness.errors import FairnessError
from shared.fairness.fair_json import read_fair, write_fair
from tests.support.fair_deals import HUMAN, Ceremony, Signer, with_witness

CEREMONY = Ceremony("json", (HUMAN,) * 4, voids=((1,), (2,)), signer=Signer(), accounts=("p0", "سمر", "p2", "p3"))
PLAIN = CEREMONY.deal()
DEAL = with_witness(PLAIN, CEREMONY, 0, derived_starter(PLAIN.closed, PLAIN.derivation(), DEALER_DRAW) or 0)
Path = tuple[str | int, ...]


def changed(path: Path, value: object) -> Any:
    """The object of `DEAL` with the value at `path` put in the place of its own; `...` takes it away."""
    fair: Any = copy.deepcopy(write_fair(DEAL))
    at = fair
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return fair


def test_what_is_written_reads_back_the_same() -> None:
    assert read_fair(write_fair(DEAL)) == DEAL
    assert write_fair(read_fair(write_fair(DEAL))) == write_fair(DEAL)


def test_the_plain_object_has_the_fields_of_the_page_in_its_order() -> None:
    assert list(write_fair(Ceremony().deal())) == [
        "series", "match_no", "match", "deal_no", "attempt", "rules",
        "secret", "commitment", "host", "cut_kind", "cut", "beacon", "seats", "transcript",
    ]  # fmt: skip


def test_a_void_attempt_may_leave_out_the_c_that_never_came() -> None:
    failed_odd = changed(("void", 1, "seats", 2, "c"), ...)
    assert read_fair(failed_odd) == DEAL


@pytest.mark.parametrize("part", ["attempt", "c", "closed", "transcript", "hand", "receipts"])
def test_a_witness_may_lack_any_part_but_its_seat(part: str) -> None:
    deal = read_fair(changed(("witness", part), ...))
    assert deal.witness is not None
    assert read_fair(write_fair(deal)) == deal


def test_signatures_that_nobody_knows_are_kept() -> None:
    deal = read_fair(changed(("signatures", "match-end"), "00" * 64))
    assert deal.played.signatures is not None
    assert deal.played.signatures.of["match-end"] == bytes(64)


@pytest.mark.parametrize("value", [None, [], "fair", 1, True])
def test_what_is_no_object_cannot_be_read(value: object) -> None:
    with pytest.raises(FairnessError, match=r"^fair: is not an object"):
        read_fair(value)


ALWAYS = (
    "series", "match_no", "match", "deal_no", "attempt", "rules", "secret", "commitment", "host", "cut_kind", "cut",
    "beacon", "seats", "transcript",
)  # fmt: skip


@pytest.mark.parametrize(
    "path",
    [
        *((name,) for name in ALWAYS),
        *(("seats", 0, name) for name in ("kind", "account", "h", "c")),
        *(("void", 0, name) for name in ("attempt", "secret", "seats", "failed", "beacon")),
        ("void", 0, "seats", 0, "h"),
        ("signatures", "key"),
        ("witness", "seat"),
        ("witness", "receipts", "h", "unix_ms"),
    ],
)
def test_a_field_that_is_missing_is_named(path: Path) -> None:
    with pytest.raises(FairnessError, match=rf"has no {path[-1]}"):
        read_fair(changed(path, ...))


@pytest.mark.parametrize(
    "where", [(), ("seats", 0), ("void", 0), ("void", 0, "seats", 0), ("witness",), ("witness", "receipts", "h")]
)
def test_a_field_that_is_not_known_is_refused(where: Path) -> None:
    with pytest.raises(FairnessError, match=r"not known"):
        read_fair(changed((*where, "extra"), 1))


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        (("match_no",), 1, 3),
        (("deal_no",), 1, 2**32 - 1),
        (("attempt",), 0, 2**32 - 1),
        (("host",), 0, 255),
        (("cut_kind",), 0, 2),
        (("cut",), 0, 255),
        (("seats", 1, "kind"), 0, 3),
        (("void", 0, "attempt"), 0, 2**32 - 1),
        (("void", 0, "host"), 0, 255),
        (("void", 0, "failed", 0), 0, 3),
        (("witness", "seat"), 0, 3),
        (("witness", "attempt"), 0, 2),
        (("witness", "receipts", "c", "unix_ms"), 0, 2**64 - 1),
    ],
)
def test_a_number_is_a_whole_number_in_its_range(path: Path, low: int, high: int) -> None:
    for good in (low, high):
        if path != ("attempt",):  # the witness speaks of attempt 2
            read_fair(changed(path, good))
    for bad in (low - 1, high + 1, 10**30, True, False, 1.0, "1", None, [1]):
        with pytest.raises(FairnessError):
            read_fair(changed(path, bad))


@pytest.mark.parametrize(
    ("path", "digits"),
    [
        (("series",), 32),
        (("match",), 32),
        (("secret",), 256),
        (("commitment",), 128),
        (("transcript",), 128),
        (("seats", 0, "h"), 128),
        (("seats", 0, "c"), 64),
        (("void", 1, "secret"), 256),
        (("void", 1, "seats", 0, "c"), 64),
        (("signatures", "closed"), 128),
        (("witness", "c"), 64),
        (("witness", "transcript"), 128),
        (("witness", "receipts", "h", "signature"), 128),
    ],
)
def test_hex_has_its_exact_length_and_lower_case(path: Path, digits: int) -> None:
    read_fair(changed(path, "ab" * (digits // 2)))
    for bad in ("AB" * (digits // 2), "ab" * (digits // 2 - 1), "ab" * (digits // 2 + 1), "a" * (digits - 1), "zz", 5):
        with pytest.raises(FairnessError):
            read_fair(changed(path, bad))


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_there_are_two_seats_or_four(count: int) -> None:
    seat = write_fair(Ceremony().deal())["seats"][0]  # type: ignore[index]  # a list, by the page
    with pytest.raises(FairnessError, match=r"^seats: "):
        read_fair({**write_fair(Ceremony().deal()), "seats": [seat] * count})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rules",), "sahrat+0"),
        (("rules",), 7),
        (("rules",), "\ud800"),
        (("seats",), {}),
        (("seats", 0), "p0"),
        (("seats", 0, "account"), None),
        (("seats", 0, "account"), "\ud800"),
        (("seats", 0, "account"), "x" * 65_536),
        (("beacon",), "A0"),
        (("beacon",), "00" * 65_536),
        (("void",), []),
        (("void",), None),
        (("void",), [{}] * 5),
        (("void", 0, "failed"), 1),
        (("void", 0, "failed"), [1] * 5),
        (("void", 0, "seats"), []),
        (("signatures",), []),
        (("signatures", "key"), 5),
        (("witness",), None),
        (("witness", "hand"), ["5h"]),
        (("witness", "hand"), [5]),
        (("witness", "hand"), [["5H"]]),
        (("witness", "hand"), ["5H"] * 107),
        (("witness", "receipts"), []),
        (("witness", "receipts", "h"), "00"),
    ],
)
def test_anything_else_that_has_no_meaning_is_refused(path: Path, value: object) -> None:
    with pytest.raises(FairnessError):
        read_fair(changed(path, value))


def test_more_signatures_than_there_are_things_to_sign_are_refused() -> None:
    fair = changed(("signatures",), {"key": "k", **{f"s{number}": "00" * 64 for number in range(16)}})
    with pytest.raises(FairnessError, match=r"^signatures: "):
        read_fair(fair)


def test_nothing_secret_shows_when_a_deal_is_printed() -> None:
    printed = repr(DEAL)
    for hidden in (DEAL.played.secret, DEAL.played.contributions[0], DEAL.void[0].attempt.secret):
        assert repr(hidden)[2:12] not in printed
