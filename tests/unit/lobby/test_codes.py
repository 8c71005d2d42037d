"""Codes are made of eight digits, and read however people write those."""

import pytest

from services.lobby.codes import DIGITS, make_code, read_code
from services.lobby.refusals import BadRequestError


def test_a_code_is_eight_digits_and_reads_as_itself() -> None:
    codes = {make_code() for _ in range(200)}
    assert len(codes) > 190
    assert all(len(code) == DIGITS and code.isdecimal() and code[0] != "0" for code in codes)
    assert {read_code(code) for code in codes} == codes


@pytest.mark.parametrize("text", ["12345678", " 1234 5678 ", "1234-5678", "١٢٣٤٥٦٧٨", "۱۲۳۴ ۵۶۷۸", "1234\u00a05678"])
def test_a_code_may_be_written_as_people_write_digits(text: str) -> None:
    assert read_code(text) == "12345678"


@pytest.mark.parametrize("text", ["", "1234567", "123456789", "1234567x", "½2345678", "1" + " " * 40 + "2345678"])
def test_what_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(BadRequestError):
        read_code(text)
