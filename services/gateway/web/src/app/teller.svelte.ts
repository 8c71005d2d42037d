/** What the page says besides showing it: toasts, and each move once for who listens (UX 40). */

import type { Desk } from "../core/desk";
import type { Translate } from "../core/i18n";
import { clocksDeed, moveText, movesOf, type Move } from "../core/moves";
import type { Said, SentEvent } from "../core/protocol";
import { isMyTurn } from "../core/seats";
import type { View } from "../core/views";
import { isTold, nameOf } from "./models";
import { parts } from "./parts";
import type { Preferences } from "./settings.svelte";

export interface Line {
  readonly no: number;
  readonly text: string;
}
export interface Toast extends Line {
  readonly bad: boolean;
}

const TOAST_MS = 2_600;
/** Moves that a toast tells: what nobody at the table should miss. */
const NEWS: ReadonlySet<Move["kind"]> = new Set(["left", "botIn", "tookBack", "drawn"]);
/** Lines kept for a screen reader that is behind. */
const MOST_SAID = 6;

export class Teller {
  said: readonly Line[] = $state.raw([]);
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

  /** What was said of a table is no news elsewhere. */
  hush(): void {
    this.shown = null;
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
    const news = moves.filter(({ kind }) => NEWS.has(kind)).at(-1);
    if (news) this.toast((t) => moveText(t, news, (seat) => nameOf(view, seat, words)));
    else if (isBack(view, before)) this.toast((t) => t("seat.mine.back"));
    else if (areSwapped(view, before)) this.toast((t) => t("swap.done"));
    const { deal } = view;
    const isNext = deal?.turnNo !== before?.deal?.turnNo || deal?.dealNo !== before?.deal?.dealNo;
    if (!deal || !isNext) return;
    if (isMyTurn(view)) this.say(words.t(deal.phase === "PHASE_DRAW" ? "live.yourTurn" : "live.yourTurn.first"));
    else this.say(words.t("table.turn.of", { name: nameOf(view, deal.turnSeat, words) }));
  }

  /** What somebody says, for who listens. */
  async speak({ seat, phraseId }: Said, view: View | null): Promise<void> {
    const { phraseOf } = await parts.phrases();
    const { words } = this.preferences;
    const phrase = phraseOf(phraseId);
    if (!words || !view || !phrase) return;
    const text = phrase[words.locale === "ar" ? "ar" : "en"];
    this.say(words.t("say.said", { name: nameOf(view, seat, words), text }));
  }

  guestName(): string {
    const n = 100 + Math.floor(Math.random() * 900);
    return (this.preferences.words?.t("name.guest", { n }) ?? `${n}`).replace(/[\u2066-\u2069]/g, "");
  }

  private say(text: string): void {
    this.said = [...this.said, { no: ++this.no, text }].slice(-MOST_SAID);
  }
}

/** Whether the own seat was played by a house bot, and is one's own again. */
function isBack(view: View, before: View | null): boolean {
  const own = (one: View | null) => (one?.viewerSeat === undefined ? undefined : one.seats[one.viewerSeat]?.occupant);
  return own(before) === "OCCUPANT_HOUSE_BOT" && own(view) === "OCCUPANT_PERSON";
}

/** Whether play goes on after partners have swapped their seats; until then the dialog says so. */
function areSwapped({ stage }: View, before: View | null): boolean {
  return before?.stage === "STAGE_SWAP" && stage !== "STAGE_SWAP" && !!before.swap?.teams.some(({ agreed }) => agreed);
}
