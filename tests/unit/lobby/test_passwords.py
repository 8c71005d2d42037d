"""What is kept of a password: its cost beside it, and nothing that tells it."""

import asyncio

import pytest

from services.lobby import passwords
from services.lobby.passwords import MAX_CHARS, MIN_CHARS, Passwords, read_password
from services.lobby.refusals import BadRequestError, OverloadedError


async def test_a_password_is_known_by_what_is_kept_of_it_alone() -> None:
    async with Passwords(10) as made:
        first, second = await made.make("correct horse"), await made.make("correct horse")
        assert first != second
        assert "correct" not in first
        assert first.startswith("scrypt$10$8$3$")
        assert await made.matches("correct horse", first)
        assert not await made.matches("correct hors", first)


async def test_nothing_is_the_password_of_nobody() -> None:
    async with Passwords(10) as made:
        assert not await made.matches("correct horse", None)


async def test_what_was_made_at_another_cost_is_still_known() -> None:
    async with Passwords(11) as before, Passwords(10) as now:
        assert await now.matches("correct horse", await before.make("correct horse"))


async def test_an_unknown_name_costs_as_much_as_a_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = []
    scrypt = passwords._scrypt

    def counted(password: bytes, kept: passwords._Kept) -> bytes:
        costs.append((kept.log2_n, kept.block, kept.passes))
        return scrypt(password, kept)

    monkeypatch.setattr(passwords, "_scrypt", counted)
    async with Passwords(10) as made:
        kept = await made.make("correct horse")
        await made.matches("wrong horse", kept)
        await made.matches("wrong horse", None)
    assert costs == [(10, 8, 3)] * 3


async def test_more_than_can_wait_are_told_to_come_later() -> None:
    most = passwords.AT_ONCE + passwords.MOST_WAITING
    async with Passwords(10) as made:
        outcomes = await asyncio.gather(*(made.make("correct horse") for _ in range(most + 3)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [str] * most + [OverloadedError] * 3
        assert await made.make("correct horse")


def test_a_password_is_read_in_one_form() -> None:
    assert read_password("cafe\u0301 noir") == read_password("café noir")
    for text in ("x" * MIN_CHARS, "x" * MAX_CHARS, "كلمة سر طويلة"):
        assert read_password(text) == text
    for text in ("", "x" * (MIN_CHARS - 1), "x" * (MAX_CHARS + 1), "e\u0301" * (MIN_CHARS - 1)):
        with pytest.raises(BadRequestError) as refused:
            read_password(text)
        assert not text or text not in refused.value.message
