/** Why one of the two large buttons is dead, in the words that it says when it is pressed all the same. */

import { isMyTurn } from "../core/seats";
import type { Key } from "../core/i18n";
import type { View } from "../core/views";

type Why = Extract<
  Key,
  | `why.${"DEAL_OVER" | "NOT_YOUR_TURN" | "MUST_DRAW_FIRST" | "TIME_IS_UP" | "DUTY_UNMET"}`
  | `act.${"discard.pick" | "meldAll.none"}`
>;

/** Why nothing can be laid now; `null` where it can. */
export function whyNotMeld(view: View, legal: boolean): Why | null {
  return whyNotPlay(view) ?? (view.deal?.timeUp ? "why.TIME_IS_UP" : legal ? null : "act.meldAll.none");
}

/** Why nothing can be thrown now, with so many cards chosen; `null` where it can. When time is up, a duty is undone with it. */
export function whyNotDiscard(view: View, chosen: number): Why | null {
  const owes = view.deal !== undefined && view.deal.duties.length > 0 && !view.deal.timeUp;
  return whyNotPlay(view) ?? (owes ? "why.DUTY_UNMET" : chosen === 1 ? null : "act.discard.pick");
}

function whyNotPlay(view: View): Why | null {
  if (!view.deal || view.stage !== "STAGE_DEAL") return "why.DEAL_OVER";
  if (!isMyTurn(view)) return "why.NOT_YOUR_TURN";
  return view.deal.phase === "PHASE_PLAY" ? null : "why.MUST_DRAW_FIRST";
}
