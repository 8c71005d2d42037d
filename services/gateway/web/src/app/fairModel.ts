/** From what is known of a deal's shuffle to what is shown of it. */

import type { ShuffleState } from "../core/ceremony";
import { cutOf, cutText, drawOf, drawText } from "../core/moves";
import type { FairInfo, View } from "../core/views";
import type { FairModel } from "../ui/types";
import type { Words } from "../ui/words";
import { nameOf } from "./models";
import { verifyLink } from "./paths";

/** Parts that are no part: said in place of the steps. */
const OUTSIDE = ["late", "lost", "shut", "held"];

/** The next deal's shuffle while there is one, else that of the deal being played; `null` where nothing is published. */
export function fairModel(view: View, state: ShuffleState | null, words: Words): FairModel | null {
  const fair = view.nextFair ?? view.fair;
  if (!fair) return null;
  const own = state && sameShuffle(state.fair, fair) ? state : null;
  const { t } = words;
  const part = own?.part ?? "watching";
  const fault = own?.fault ? t("fair.fault", { check: t(`fair.check.${own.fault}`) }) : "";
  const tone = fault ? "bad" : part === "in" ? "in" : "plain";
  const said = t(`fair.part.${part}`);
  const title = t("fair.deal", { dealNo: fair.dealNo });
  return {
    tone,
    title,
    label: `${t("fair.title")}, ${title}: ${fault || said}`,
    steps: [
      { word: t("fair.step.number"), done: own?.promised ?? false },
      { word: t("fair.step.list"), done: own?.opened ?? false },
      { word: t("fair.step.shuffle"), done: own?.settled ?? false },
    ],
    note: fault || (own && OUTSIDE.includes(part) ? said : ""),
    lines: [
      ...(fault
        ? [
            { text: fault, tone: "bad" as const },
            { text: t("fair.kept"), tone: "plain" as const },
          ]
        : []),
      ...(own ? [{ text: said, tone: part === "in" ? ("in" as const) : ("plain" as const) }] : []),
      ...shared(view, fair, words).map((text) => ({ text, tone: "plain" as const })),
    ],
  };
}

/** The same for everybody: whose numbers are in it, the cut, who failed. */
function shared(view: View, fair: FairInfo, words: Words): string[] {
  const { t } = words;
  const lines: string[] = [];
  const people = fair.contributionsHex.filter(Boolean).length;
  if (fair.transcriptHex) lines.push(people ? t("fair.people", { n: people }) : t("fair.nobody"));
  const cut = cutOf(fair);
  if (cut) lines.push(cutText(t, cut, nameOf(view, cut.host, words)));
  const draw = fair === view.fair ? drawOf(view) : null;
  if (draw) lines.push(drawText(t, draw, (seat) => nameOf(view, seat, words)));
  const failed = [...new Set(fair.voidAttempts.flatMap(({ failedSeats }) => failedSeats))];
  if (failed.length) {
    lines.push(t("fair.failed", { name: failed.map((seat) => nameOf(view, seat, words)).join(" · ") }));
  }
  return lines;
}

function sameShuffle(one: FairInfo, other: FairInfo): boolean {
  return one.matchId === other.matchId && one.dealNo === other.dealNo && one.attempt === other.attempt;
}

/** Address of the Verify page of a match, once a deal of it is over. */
export function verifyAddress({ match, lastResult }: View): string | undefined {
  return lastResult ? verifyLink(match.matchId) : undefined;
}
