import json
import string
from contextlib import suppress
from typing import Any

import pytest
from banakil.table.v1.actions_pb2 import Action
from banakil.table.v1.contributing_pb2 import ContributeRequest
from banakil.table.v1.saying_pb2 import SayRequest
from banakil.table.v1.table_pb2 import ActRequest
from banakil.table.v1.wishes_pb2 import AskRequest, Leave
from google.protobuf.json_format import MessageToDict
from hypothesis import given, settings
from hypothesis import strategies as st

from services.gateway.frames import (
    MAX_FRAME_CHARS,
    MAX_NUMBER,
    Act,
    Ask,
    AskHints,
    BadFrameError,
    Contribute,
    Hello,
    Ping,
    Say,
    Spectate,
    Unwatch,
    Watch,
    WatchRoom,
    read_frame,
)

WHO = {"commandId": "c-1", "tableId": "t_1"}
REQUEST = ActRequest(
    table_id="t_1", command_id="c-1", deal_no=2, turn_no=3, action=Action(discard=Action.Discard(card="7H"))
)
WHICH = {"commandId": "c-1", "tableId": "t_1", "matchId": "0" * 32, "dealNo": 2, "attempt": 1}


def contribute(**what: Any) -> Contribute:
    return Contribute("c-1", ContributeRequest(table_id="t_1", match_id="0" * 32, deal_no=2, attempt=1, **what))


@pytest.mark.parametrize(
    ("fields", "frame"),
    [
        ({"t": "hello", "protocol": 1, "ticket": "x.y.z"}, Hello(1, "x.y.z")),
        ({"t": "watch", "tableId": "t", "lastRevision": 7}, Watch("t", 7)),
        ({"t": "watch", "tableId": "t", "later": "fields are passed over"}, Watch("t", 0)),
        ({"t": "spectate", "tableId": "t", "lastRevision": 7}, Spectate("t", 7)),
        ({"t": "watchRoom", "roomId": "r"}, WatchRoom("r")),
        ({"t": "unwatch"}, Unwatch()),
        ({"t": "hints", "tableId": "t", "n": 0}, AskHints("t", 0)),
        ({"t": "ping", "n": MAX_NUMBER}, Ping(MAX_NUMBER)),
        ({"t": "say", **WHO, "phraseId": "heart"}, Say("c-1", SayRequest(table_id="t_1", phrase_id="heart"))),
        ({"t": "say", **WHO, "text": "anything"}, Say("c-1", None)),
        ({"t": "act", **MessageToDict(REQUEST)}, Act("c-1", REQUEST)),
        ({"t": "act", **WHO, "action": {"fly": {}}}, Act("c-1", None)),
        ({"t": "act", **WHO, "rank": 1}, Act("c-1", None)),
        ({"t": "ask", **WHO, "leave": {}}, Ask("c-1", AskRequest(table_id="t_1", command_id="c-1", leave=Leave()))),
        ({"t": "ask", **WHO, "leave": {}, "pause": {}}, Ask("c-1", None)),
        ({"t": "ask", **WHO, "fly": {}}, Ask("c-1", None)),
        ({"t": "contribute", **WHICH, "hHex": "ab"}, contribute(h_hex="ab")),
        ({"t": "contribute", **WHICH, "cHex": "cd"}, contribute(c_hex="cd")),
        ({"t": "contribute", **WHICH, "cut": 41}, contribute(cut=41)),
        ({"t": "contribute", **WHICH}, contribute()),
        ({"t": "contribute", **WHICH, "cut": 41, "hHex": "ab"}, Contribute("c-1", None)),
        ({"t": "contribute", **WHICH, "cut": "x"}, Contribute("c-1", None)),
        ({"t": "contribute", **WHICH, "secret": "x"}, Contribute("c-1", None)),
    ],
)
def test_each_kind_of_frame_is_read(fields: dict[str, Any], frame: object) -> None:
    assert read_frame(json.dumps(fields)) == frame


@pytest.mark.parametrize(
    "fields",
    [
        {"t": "ping", "n": True},
        {"t": "ping", "n": 1.0},
        {"t": "ping", "n": -1},
        {"t": "ping", "n": MAX_NUMBER + 1},
        {"t": "ping", "n": "1"},
        {"t": "watch", "tableId": "t", "lastRevision": 2**32},
        {"t": "watch", "tableId": ""},
        {"t": "watch", "tableId": "x" * 65},
        {"t": "watch", "tableId": "ت"},
        {"t": "act", "action": {}},
        {"t": "act", "commandId": 7},
        {"t": "contribute", "tableId": "t_1", "cut": 41},
        {"t": "hello", "protocol": 1},
        {"t": "hello", "protocol": 1, "ticket": "x" * 1_025},
        {"t": "hello", "ticket": "x"},
        {"t": None},
    ],
)
def test_what_is_no_frame_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadFrameError):
        read_frame(json.dumps(fields))


@pytest.mark.parametrize("text", ['{"t":"ping","n":NaN}', '{"t":"ping","n":' + "9" * 5_000 + "}", '{"t":' * 2_000])
def test_json_that_could_harm_is_refused(text: str) -> None:
    with pytest.raises(BadFrameError):
        read_frame(text)


def test_a_frame_may_be_so_long_and_no_longer() -> None:
    text = '{"t":"unwatch","x":""}'
    longest = text.replace('""', '"' + "x" * (MAX_FRAME_CHARS - len(text)) + '"')
    assert read_frame(longest) == Unwatch()
    with pytest.raises(BadFrameError):
        read_frame(longest + " ")


TEXT = st.text(string.printable + "\ud800é漢\0😀")
NAMES = st.sampled_from(
    [
        "t",
        "n",
        "ticket",
        "protocol",
        "tableId",
        "lastRevision",
        "roomId",
        "commandId",
        "dealNo",
        "turnNo",
        "action",
        "cut",
        "hHex",
    ]
) | st.sampled_from(["discard", "card", "meld", "melds", "cards"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT
    | st.sampled_from(["hello", "watch", "watchRoom", "unwatch", "act", "ask", "hints", "ping", "contribute", "t1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXT, inner, max_size=6),
    max_leaves=10,
)  # fmt: skip


@settings(max_examples=50)
@given(
    st.dictionaries(NAMES, VALUES),
    st.sampled_from(["act", "contribute", "hello", "watch", "watchRoom", "hints", "ping", None]),
)
def test_nothing_that_is_sent_does_worse_than_be_refused(fields: dict[str, Any], kind: str | None) -> None:
    with suppress(BadFrameError):
        read_frame(json.dumps({**fields, "t": kind} if kind else fields))


@given(TEXT)
def test_no_text_does_worse_than_be_refused(text: str) -> None:
    with pytest.raises(BadFrameError):
        read_frame(text)
