"""How matches and accounts are named to the wallet, in calls and in facts."""

import re
from typing import Final

from services.wallet.refusals import BadRequestError
from shared.kit.identity import MAX_ACCOUNT_CHARS

_MATCH_ID: Final = re.compile(r"[0-9a-f]{32}")


def is_match_id(text: str) -> bool:
    """Whether it is 32 lower-case hex digits, as the id of a match or a series is."""
    return _MATCH_ID.fullmatch(text) is not None


def is_account_id(text: str) -> bool:
    """Whether it has 1 to 64 characters, all printable."""
    return 0 < len(text) <= MAX_ACCOUNT_CHARS and text.isprintable()


def read_match_id(text: str) -> str:
    """A match's id as a call names it. Raises `BadRequestError`."""
    if not is_match_id(text):
        raise BadRequestError("match_id is 32 lower-case hex digits")
    return text


def read_account_id(text: str) -> str:
    """An account's id as a call names it. Raises `BadRequestError`."""
    if not is_account_id(text):
        raise BadRequestError(f"an account id has 1 to {MAX_ACCOUNT_CHARS} characters, all printable")
    return text
