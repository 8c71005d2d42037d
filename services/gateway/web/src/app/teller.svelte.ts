/** What the page says besides showing it: toasts, and each move once for who listens (UX 40). */

import type { Desk } from "../core/desk";
import type { Translate } from "../core/i18n";
import { clocksDeed, moveText, movesOf } from "../core/moves";
import type { SentEvent } from "../core/protocol";
import { isMyTurn } from "../core/seats";
import type { View } from "../core/views";
import { isTold, nameOf } from "./models";
import type { Preferences } from "./settings.svelte";

export interface Said {
  readonly no: number;
  readonly text: string;
}
export interface Toast extends Said {
  readonly bad: boolean;
}

const TOAST_MS = 2_600;
/** Lines kept for a screen reader that is behind. */
const MOST_SAID = 6;

export class Teller {
  said: readonly Said[] = $state.raw([]);
  shown: Toast | null = $state.raw(null);
  private no = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly preferences: Preferences) {}

  toast(text: (t: Translate) => string, bad = false): void {
    const { words } = this.preferences;
    if (!words) return;
    clearTimeout(this.timer);
    this.shown = { no: ++this.no, text: text(words.t), bad };
    this.timer = setTimeout(() => (this.shown = null), TOAST_MS);
  }

  /** What an update brought, in the order that it happened, and whose turn it has become. */
  tell(desk: Desk, events: readonly SentEvent[] | null, before: View | null): void {
    const { words } = this.preferences;
    if (!words) return;
    const { view } = desk;
    const moves = events && before ? movesOf(events, before).filter((move) => isTold(move, view)) : [];
    for (const move of moves) this.say(moveText(words.t, move, (seat) => nameOf(view, seat, words)));
    const deed = view.viewerSeat === undefined ? null : clocksDeed(moves, view.viewerSeat);
    if (deed?.kind === "drew") this.toast((t) => t("table.late.drawn"));
    if (deed?.kind === "discarded") this.toast((t) => t("table.late.thrown", { card: deed.card }));
    const { deal } = view;
    const news = deal?.turnNo !== before?.deal?.turnNo || deal?.dealNo !== before?.deal?.dealNo;
    if (!deal || !news) return;
    if (isMyTurn(view)) this.say(words.t(deal.phase === "PHASE_DRAW" ? "live.yourTurn" : "live.yourTurn.first"));
    else this.say(words.t("table.turn.of", { name: nameOf(view, deal.turnSeat, words) }));
  }

  guestName(): string {
    const n = 100 + Math.floor(Math.random() * 900);
    return (this.preferences.words?.t("name.guest", { n }) ?? `${n}`).replace(/[\u2066-\u2069]/g, "");
  }

  private say(text: string): void {
    this.said = [...this.said, { no: ++this.no, text }].slice(-MOST_SAID);
  }
}
