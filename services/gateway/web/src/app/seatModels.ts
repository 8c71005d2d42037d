/** Who sits round the table, as the cushions show it: who is away and for how long yet, and who plays in their place. */

import { secondsLeft } from "../core/clock";
import { seatName } from "../core/names";
import { seatCount } from "../core/options";
import { eyeOf, seatAt, sideOf, threadOf } from "../core/seats";
import type { SeatView, View } from "../core/views";
import type { Clock, Place, SeatModel } from "../ui/types";
import type { Words } from "../ui/words";
import { nameOf } from "./models";

/** The cushions round the table, in a duel the one across alone. `nowMs`: the server's clock, for who is away. */
export function seatModels(view: View, words: Words, nowMs: number) {
  const seats = seatCount(view.options);
  const model = (place: Place): { [P in typeof place]?: SeatModel } => {
    const seat = seatAt(place, eyeOf(view), seats);
    return seat === null ? {} : { [place]: seatModel(view, seat, words, nowMs) };
  };
  const own = view.viewerSeat === undefined ? model("bottom") : {};
  return { ...model("left"), ...model("top"), ...model("right"), ...own };
}

/** Whether somebody's time runs on the server's clock, so that it has to be looked at. */
export function needsServerClock({ seats, pause }: View): boolean {
  return seats.some(({ graceUntilMs }) => graceUntilMs !== "0") || (pause !== undefined && pause.untilMs !== "0");
}

/** What is left of a seat's grace; `null` where none runs, or it is over. */
export function graceOf(seat: SeatView, view: View, nowMs: number): Clock | null {
  const remainingMs = Number(seat.graceUntilMs) - nowMs;
  if (seat.graceUntilMs === "0" || nowMs === 0 || remainingMs <= 0) return null;
  return { remainingMs, totalMs: Math.max(remainingMs, view.options.graceSeconds * 1000) };
}

function seatModel(view: View, seat: number, words: Words, nowMs: number): SeatModel {
  const { t } = words;
  const found = view.seats[seat];
  const cards = view.deal?.handCounts[seat] ?? 0;
  const name = nameOf(view, seat, words);
  const bot = found?.occupant === "OCCUPANT_BOT" || found?.occupant === "OCCUPANT_HOUSE_BOT";
  const badge = bot ? "bot" : found?.away || found?.left ? "away" : null;
  const grace = found ? graceOf(found, view, nowMs) : null;
  const standIn = found?.standInName ? seatName(t, { displayName: found.standInName }) : "";
  const opened = t(view.deal?.opened[seat] ? "table.opened" : "table.opened.not");
  const state = standIn
    ? t("seat.standIn", { name: standIn })
    : found?.left
      ? t("seat.left")
      : grace
        ? t(view.options.stakeCoins ? "seat.grace.clock" : "seat.grace", { n: secondsLeft(grace.remainingMs) })
        : badge
          ? found?.botLevel
            ? t("table.bot.level", { n: found.botLevel })
            : t(badge === "bot" ? "table.bot" : "table.away")
          : "";
  const label = [name, t("table.cards", { n: cards }), opened, state].filter(Boolean).join(", ");
  return {
    name,
    team: sideOf(seat, view),
    stitch: threadOf(seat, view),
    cards,
    onTurn: view.stage === "STAGE_DEAL" && view.deal?.turnSeat === seat,
    badge,
    level: found?.botLevel ?? 0,
    ...(grace ? { grace } : {}),
    ...(standIn ? { standIn } : {}),
    label,
  };
}
