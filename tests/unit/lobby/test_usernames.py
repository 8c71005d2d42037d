"""A user name is one that nobody takes for another's."""

import random

import pytest

from services.lobby.refusals import BadRequestError
from services.lobby.usernames import MAX_CHARS, read_username, username_key


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Nour", "Nour"),
        ("  أم   علي ", "أم علي"),
        ("Ｎｏｕｒ", "Nour"),
        ("زيد_99", "زيد_99"),
        ("ﻧﻮﺭ", "نور"),
        ("jean-luc.p", "jean-luc.p"),
        ("x" * MAX_CHARS, "x" * MAX_CHARS),
    ],
)
def test_a_name_is_kept_in_one_form(given: str, kept: str) -> None:
    assert read_username(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ab",
        "a_b",
        "x" * (MAX_CHARS + 1),
        "x" * 300,
        "123",
        "-abc",
        "abc.",
        "a__b_c",
        "nour\u202e",
        "no\u200dur",
        "نـور",
        "nуur",
        "nourنور",
        "ноур",
        "ɑdɑm",
        "nour!",
        "no\nur\x00",
        "😀😀😀",
        "Admin",
        "B.a.n.a.k.i.l",
        "adm1n",
        "\u0671حمد",
        "\u06aaريم",
        "نوز\u06ba",
        "user\u09ea",
        "mahm\u0665d",
        "بناكل",
        "الإدارة",
        "\u0610\u0611\u0612",
    ],
)
def test_what_could_deceive_or_not_be_typed_is_refused(given: str) -> None:
    with pytest.raises(BadRequestError):
        read_username(given)


@pytest.mark.parametrize(
    "alike",
    [
        ("Nour", "nour", "NOUR", "n.o.u.r", "n0ur", "Noür", "Ｎｏｕｒ"),
        ("lilly", "1i11y", "LILLY", "Ilıly"),
        ("أمينة", "امينه", "أَمِينَة", "إمينة", "آمينه"),
        ("علي 5", "على٥", "علی_۵"),
        ("كريم", "کریم"),
        ("احمد 1", "احمد\u0661", "احمدا"),
        ("نور ه", "نور\u0665", "نور\u06f5"),
        ("strasse", "Straße"),
    ],
)
def test_names_that_look_alike_are_the_same(alike: tuple[str, ...]) -> None:
    assert len({username_key(read_username(name)) for name in alike}) == 1


def test_names_that_do_not_are_not() -> None:
    names = ["nour", "noura", "zaid", "علي", "عمر", "نور", "نورة", "زيد", "زيد2", "زيد3"]
    assert len({username_key(read_username(name)) for name in names}) == len(names)


def test_reading_again_what_was_kept_changes_nothing(rng: random.Random) -> None:
    letters = "abzOoIl1 09_-.ßÉıأإايىكکةهﷲﻻٱ٣۴\u0651نـу"
    kept = []
    for _ in range(3_000):
        try:
            kept.append(read_username("".join(rng.choices(letters, k=rng.randrange(3, 9)))))
        except BadRequestError:
            continue
    assert kept
    for name in kept:
        assert read_username(name) == name
        assert len(username_key(name)) <= 64
