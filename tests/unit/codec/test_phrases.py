"""The list of what can be said: enough of it, in both languages, and the page's is the same."""

import json
import re
import unicodedata
from pathlib import Path

from shared.codec.phrases import PHRASES

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "services/gateway/web/src/core/phrases.ts"
LIST = ROOT / "shared/codec/phrases.json"


def test_there_is_enough_to_say_in_both_languages() -> None:
    kinds = [phrase.kind for phrase in PHRASES.values()]
    assert kinds == sorted(kinds)  # first what is said, then reactions
    assert kinds.count("phrase") >= 16
    assert kinds.count("reaction") >= 8
    assert kinds.count("phrase") + kinds.count("reaction") == len(json.loads(LIST.read_text(encoding="utf-8")))


def test_each_has_an_id_and_words_of_its_own() -> None:
    for phrase in PHRASES.values():
        assert re.fullmatch("[a-z_]{1,24}", phrase.id)
        assert re.fullmatch(r"[A-Z][A-Za-z ,'!?]{1,30}", phrase.en)
        letters = [letter for letter in phrase.ar if unicodedata.category(letter).startswith("L")]
        assert letters
        assert all(unicodedata.name(letter).startswith("ARABIC") for letter in letters)
        assert len(phrase.ar) <= 32
        assert bool(phrase.sign) == (phrase.kind == "reaction")
    for words in ("ar", "en", "sign"):
        told = [getattr(phrase, words) for phrase in PHRASES.values() if getattr(phrase, words)]
        assert len(told) == len(set(told))


def test_the_page_reads_the_same_list() -> None:
    [path] = re.findall(r'from "(.*phrases\.json)"', PAGE.read_text(encoding="utf-8"))
    assert (PAGE.parent / path).resolve() == LIST


def test_the_documents_list_them() -> None:
    page = (ROOT / "docs/socket.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| (.+) \| (.+) \|$", page, re.MULTILINE)
    listed = [(phrase.id, f"{phrase.sign} {phrase.ar}".strip(), phrase.en) for phrase in PHRASES.values()]
    assert [row for row in rows if row[0] in PHRASES] == listed
