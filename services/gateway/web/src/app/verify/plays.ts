/** The way of a deal's cards as lines: who, what, which cards. */

import type { Card } from "../../core/cards";
import type { VerifyWords } from "../../i18n/verify";
import type { DealReport } from "../../verify/record";
import type { Step } from "../../verify/steps";
import type { Team } from "../../ui/types";

export interface PlayLine {
  readonly id: number;
  /** Empty for what nobody does. */
  readonly name: string;
  readonly team: Team | null;
  readonly text: string;
  readonly cards: readonly Card[];
  /** Where a drawn card lay. */
  readonly place: string;
  readonly wrong?: boolean;
}

/** Every step of a deal, and where it goes no further; at its end what each hand has left. */
export function playLines({ played }: DealReport, nameOf: (seat: number) => string, t: VerifyWords): PlayLine[] {
  if (!played) return [];
  const of = (seat: number | null) => ({
    name: seat === null ? "" : nameOf(seat),
    team: seat === null ? null : ((seat % 2 ? "them" : "us") as Team),
  });
  const lines: Omit<PlayLine, "id">[] = played.steps.map((step) => ({
    ...of(step.seat),
    text: textOf(step, t),
    cards: step.cards,
    place: placeOf(step, t),
  }));
  if (played.fault) {
    const text = t("play.fault", { n: played.fault.action });
    lines.push({ ...of(null), text, cards: [], place: "", wrong: true });
  } else {
    for (const [seat, hand] of played.hands.entries()) {
      if (hand.length) lines.push({ ...of(seat), text: t("play.left"), cards: hand, place: "" });
    }
  }
  return lines.map((line, id) => ({ id, ...line }));
}

function textOf(step: Step, t: VerifyWords): string {
  const { what } = step;
  const verb = what === "amended" ? amendText(step, t) : t(`play.${what}`);
  return step.byClock ? t("play.byClock", { verb }) : verb;
}

function amendText({ cards, released }: Step, t: VerifyWords): string {
  return t(released ? "play.released" : cards.length ? "play.amended" : "play.moved");
}

function placeOf({ place, stockNo }: Step, t: VerifyWords): string {
  if (place === undefined) return "";
  return stockNo === undefined ? t("play.place", { n: place }) : t("play.place.new", { n: place });
}
