"""The words of ``banakil show``, in Arabic and English; the terms are those of docs/rules.md and docs/rules.ar.md."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Lang(StrEnum):
    """A language of the terminal's drawings."""

    ENGLISH = "en"
    ARABIC = "ar"


@dataclass(frozen=True, slots=True)
class Words:
    """One language's words."""

    presets: dict[str, str]
    modes: dict[str, str]
    deal: str
    turn_no: str
    totals: str
    tiebreak: str
    seat: str
    in_files: str
    name: str
    team: str
    cards: str
    hand: str
    opened: str
    phases: dict[str, str]
    stock: str
    new_stocks: str
    pile: str
    melds_of: str
    run: str
    meld_set: str
    points: str
    must_lay: str
    left_in_hand: str
    laid: str
    result: str
    bonus: str
    ends: dict[str, str]
    one_turn: str
    won: str
    skipped: str
    comma: str


ENGLISH: Final = Words(
    presets={"sahrat": "Sahrat", "banakil202": "Banakil 202"},
    modes={"partners": "partners", "duel": "duel"},
    deal="Deal",
    turn_no="turn",
    totals="Totals",
    tiebreak="an extra deal is due",
    seat="Seat",
    in_files="In files",
    name="Name",
    team="Team",
    cards="Cards",
    hand="Hand",
    opened="Opened",
    phases={"draw": "to draw", "play": "to play", "time_up": "time is up, to discard"},
    stock="Stock",
    new_stocks="new stocks made",
    pile="Pile from the top",
    melds_of="Melds of team",
    run="run",
    meld_set="set",
    points="Points",
    must_lay="must be laid in this turn",
    left_in_hand="Left in hand",
    laid="Laid",
    result="Result",
    bonus="bonus",
    ends={"out": "went out", "dead": "dead deal"},
    one_turn="all in one turn",
    won="wins the match",
    skipped="refused actions skipped",
    comma=", ",
)
ARABIC: Final = Words(
    presets={"sahrat": "سهرات", "banakil202": "بناكل 202"},
    modes={"partners": "شركاء", "duel": "واحد ضد واحد"},
    deal="التوزيعة",
    turn_no="الدور",
    totals="المجموع",
    tiebreak="باقي توزيعة فاصلة",
    seat="المقعد",
    in_files="في الملف",
    name="الاسم",
    team="الفريق",
    cards="الورق",
    hand="اليد",
    opened="نزل",
    phases={"draw": "عليه السحب", "play": "يلعب", "time_up": "انتهى وقته، عليه الرمي"},
    stock="السحب",
    new_stocks="مرات الخلط",
    pile="الأرض من فوق",
    melds_of="نزلات الفريق",
    run="تسلسل",
    meld_set="مجموعة",
    points="النقاط",
    must_lay="لازم تنزل في هذا الدور",
    left_in_hand="باقي في اليد",
    laid="نزّل",
    result="النتيجة",
    bonus="المكافأة",
    ends={"out": "أنهى", "dead": "توزيعة ميتة"},
    one_turn="نزلة وحدة",
    won="فاز بالمباراة",
    skipped="حركات مرفوضة لم تُحسب",
    comma="، ",
)
WORDS: Final = {Lang.ENGLISH: ENGLISH, Lang.ARABIC: ARABIC}
