import enum
import json
import uuid
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kit.clock import VirtualClock
from shared.kit.redaction import MAX_CHARS, MAX_ITEMS, REDACTED, describe, is_denied, plain, redact, scrub
from shared.kit.status import NotNowError
from tests.support.kit import Identities

MARK = "S7-D9-JOKER"
DENIED = [
    "hand", "hands", "deck", "stock", "secret", "secrets", "token", "ticket", "authorization", "password", "c", "s",
    "cards", "Authorization", "set-cookie", "refresh_token", "server_secret", "north_hand", "drawn_card", "private_key",
    "newPassword", "new_password", "refreshSecret", "password_hash", "secret_hash",
]  # fmt: skip


@dataclass
class State:
    hand: str = MARK


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize("key", DENIED)
def test_nothing_under_a_denied_key_is_written_at_any_depth(key: str) -> None:
    event = {key: MARK, "nested": {"list": [{key: {"deeper": MARK}}]}, "kept": "yes"}
    written = json.dumps(redact(None, "info", event))
    assert MARK not in written
    assert written.count(REDACTED) == 2
    assert "yes" in written


@pytest.mark.parametrize(
    "key", ["table_id", "seat", "turn_no", "method", "code", "ms", "account", "handler", "stocked"]
)
def test_ordinary_keys_are_kept(key: str) -> None:
    assert not is_denied(key)


@pytest.mark.parametrize("value", [State(), [State()], {"view": State()}, object(), MARK.encode(), State, lambda: MARK])
def test_what_is_not_plain_data_is_named_by_its_type(value: object) -> None:
    assert MARK not in json.dumps(redact(None, "info", {"value": value}))


def test_plain_data_stays_what_it_is() -> None:
    some_id = uuid.UUID(int=7)
    assert plain({"a": [1, 2.5, True, None, "x"], "b": (some_id, Colour.RED)}) == {
        "a": [1, 2.5, True, None, "x"],
        "b": [str(some_id), "red"],
    }


def test_tokens_and_passwords_in_text_are_cut_out() -> None:
    token = Identities(VirtualClock()).player()
    text = scrub(f"Bearer {token} to nats://table:{MARK}@127.0.0.1:4222 failed")
    assert text == f"Bearer {REDACTED} to nats://table:{REDACTED}@127.0.0.1:4222 failed"


def test_everything_written_is_bounded() -> None:
    assert len(scrub("x" * 100_000)) == MAX_CHARS + 1
    assert len(plain(list(range(1_000)))) == MAX_ITEMS  # type: ignore[arg-type]  # it is a list
    deep: object = MARK
    for _ in range(100):
        deep = [deep]
    assert MARK not in json.dumps(plain(deep))


def test_the_text_of_an_exception_is_not_written() -> None:
    assert MARK not in json.dumps(describe(ValueError(MARK)))
    assert MARK not in json.dumps(describe(KeyError(MARK)))


def test_the_text_of_our_own_and_of_the_system_s_errors_is() -> None:
    assert describe(NotNowError("NOT_YOUR_TURN"))["text"] == "NOT_YOUR_TURN: NOT_YOUR_TURN"
    assert "refused" in str(describe(ConnectionRefusedError(111, "Connection refused"))["text"])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.just(State()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.sampled_from(DENIED), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=8), values))
def test_whatever_is_logged_can_be_written_and_holds_no_denied_value(event: dict[str, object]) -> None:
    def check(value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                assert not is_denied(key) or inner == REDACTED
                check(inner)
        elif isinstance(value, list):
            for inner in value:
                check(inner)

    written = redact(None, "info", dict(event))
    check(written)
    assert MARK not in json.dumps(written)
