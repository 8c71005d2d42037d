/** The hands and melds of the look's pictures. */

import type { Card } from "../core/cards";
import type { HandItem, LaidCard, MeldModel, PocketModel, SeatModel, Stitch } from "../ui/types";
import type { Words } from "../ui/words";

export function cards(text: string): Card[] {
  return text.split(" ");
}

/** `9S*` is selected, `QH!` just drawn. */
export function hand(text: string): (HandItem & { readonly selected: boolean })[] {
  return text.split(" ").map((code, key) => ({
    key,
    card: code.replace(/[*!]/, ""),
    selected: code.endsWith("*"),
    drawn: code.endsWith("!"),
  }));
}

/** `7H 8H 2S=9H TH- JH-`: `=` what a wild stands for, `-` a stitched layer. */
export function laid(text: string, staged = false): LaidCard[] {
  return text.split(" ").map((code) => {
    const [card = "", standsFor] = code.replace("-", "").split("=");
    const thread: Stitch = code.endsWith("-") ? "stitched" : "solid";
    return { card, standsFor: standsFor ? [standsFor] : [], ...(staged ? {} : { thread }) };
  });
}

export function meld(id: number, text: string, more: Partial<MeldModel> = {}): MeldModel {
  return { id, cards: laid(text), label: text, ...more };
}

const NAMES = {
  ar: { left: "مها", top: "نورة", right: "فهد", other: "سعد" },
  en: { left: "Maha", top: "Noura", right: "Fahad", other: "Saad" },
};

export function names(words: Words) {
  return NAMES[words.locale === "ar" ? "ar" : "en"];
}

export function seats(words: Words, counts: readonly [number, number, number]) {
  const { left, top, right } = names(words);
  const seat = (name: string, more: Omit<SeatModel, "name" | "label">): SeatModel => ({ name, label: name, ...more });
  return {
    left: seat(left, { team: "them", stitch: "stitched", cards: counts[0] }),
    top: seat(top, { team: "us", stitch: "stitched", cards: counts[1] }),
    right: seat(right, { team: "them", stitch: "solid", cards: counts[2] }),
  };
}

export function legalPocket(words: Words): PocketModel {
  const note = `${words.t("stage.legal")} 4.5`;
  return { id: 1, cards: laid("6S 7S 2H=8S 9S", true), state: "legal", note, label: note };
}

export function illegalPocket(words: Words): PocketModel {
  const note = words.locale === "ar" ? "المجموعة: آص أو 3" : "Sets: aces or 3s only";
  return { id: 2, cards: laid("5H 5D 5C", true), state: "illegal", note, label: note };
}

export const HAND_19 = "9S TS JS KS 4H 5H QH! KH* 7D 8D JD AD 3C 6C 7C 8C 2H 2D JK";
export const HAND_32 =
  "4S 5S JS 3H 4H 5H 6H 9H TH QH! QH KH 7D 9D JD JD QD KD 3C 4C 6C 6C* 7C 8C 9C TC JC QC 2S 2H 2C JK";

export const THEIRS = [
  meld(1, "5S 6S 7S 8S-"),
  meld(2, "AS- AD- AC-"),
  meld(3, "9D TD 2C=JD QD-"),
  meld(4, "3C- 4C- 5C-", { last: [0, 2] }),
];

export function ours(hints: boolean): MeldModel[] {
  return [
    meld(5, "7H 8H 2S=9H TH- JH-", hints ? { slots: { after: "+" } } : {}),
    meld(6, "3H- 3D- JK=3C-", hints ? { joker: "JK" } : {}),
    meld(7, "TC- JC- QC- KC AC"),
    meld(8, "4D- 5D- 6D-"),
    meld(9, "AS 2S 3S 4S-"),
  ];
}

export const OURS_32 = [
  meld(5, "7H 8H 2S=9H TH- JH-"),
  meld(6, "3H- 3D- JK=3C-"),
  meld(7, "TC- JC- QC- KC AC-"),
  meld(8, "4D- 5D- 6D-"),
];

export const THEIRS_12 = [
  meld(1, "3S- 4S- 5S-"),
  meld(2, "8S 9S TS"),
  meld(3, "JS QS KS"),
  meld(4, "3H- 4H- 5H- 6H"),
  meld(5, "7H 8H 9H"),
  meld(6, "TH- JH- QH- KH-"),
  meld(7, "3D 4D 5D"),
  meld(8, "6D- 2D=7D- 8D-"),
  meld(9, "TD JD QD"),
  meld(10, "3C- 4C- 5C-"),
  meld(11, "6C- 7C- 8C-"),
  meld(12, "JC QC KC AC", { last: [3, 3] }),
];

export const OURS_12 = [
  meld(21, "3S 4S 5S 6S 7S-"),
  meld(22, "9S- TS- JS-"),
  meld(23, "QS KS AS"),
  meld(24, "3H- 4H- 5H-"),
  meld(25, "6H 7H 2D=8H 9H"),
  meld(26, "TH- JH- QH-"),
  meld(27, "3D 4D 5D-"),
  meld(28, "6D 7D 8D 9D"),
  meld(29, "TD JD QD KD-"),
  meld(30, "AS- AH- JK=AC-"),
  meld(31, "3C 4C 5C"),
  meld(32, "7C- 8C- 9C-"),
];
