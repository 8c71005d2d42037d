/** One table as its player has it on the page: the desk, what is open over it, and what is played. */

import type { Card } from "../core/cards";
import {
  answered,
  dragCard,
  followDesk,
  keepDesk,
  openDesk,
  openTargets,
  outgoingAmend,
  outgoingDiscard,
  outgoingMelds,
  selectNone,
  sent,
  shownCards,
  sortDesk,
  stageCards,
  stageProposed,
  stageSelected,
  toggleCard,
  unmarkDrawn,
  unstageCards,
  type Desk,
  type Outgoing,
} from "../core/desk";
import type { Action, Hints, SentEvent } from "../core/protocol";
import { isMyTurn } from "../core/seats";
import type { Sounds } from "../core/sound";
import { keysFor } from "../core/staging";
import type { Keeper } from "../core/storage";
import type { TableClient } from "../core/table";
import { amendAction, type Target } from "../core/targets";
import type { View } from "../core/views";
import { jokerWay, slotFit, twosOf } from "./models";
import { needsServerClock } from "./seatModels";
import { ShownDesk } from "./shownDesk.svelte";
import { TurnTime } from "./turnTime.svelte";

/** What lies over the table. */
export type Over = "menu" | "log" | "pile" | "us" | "them" | "place" | "sure" | "leave" | "pass" | "fair" | null;
/** How long a card just drawn stays marked. */
const MARKED_MS = 2_500;

export interface GameAround {
  readonly client: TableClient;
  readonly sounds: Sounds;
  readonly lasting: Keeper;
  readonly tab: Keeper;
  readonly refused: (code: string) => void;
  readonly cameBack: () => void;
}

export class Game {
  /** The desk as components read it. */
  shown: ShownDesk | null = $state.raw(null);
  over: Over = $state(null);
  /** How many cards of the pile are chosen, from its top. */
  pileCount = $state(0);
  hints: Hints | null = $state.raw(null);
  hinting = $state(false);
  acting = $state(false);
  /** Where what was tapped may go, where there are several ways. */
  ways: readonly Target[] = $state.raw([]);
  readonly time: TurnTime;
  /** The server's clock in Unix milliseconds, while somebody's time runs on it; else 0. */
  nowMs = $state(0);
  /** The deal and match whose result has been read to its end. */
  read = $state("");
  private drawnTimer: ReturnType<typeof setTimeout> | undefined;
  private now: Desk | null = null;

  constructor(private readonly around: GameAround) {
    this.time = new TurnTime(around.client.clock, around.sounds);
  }

  /** The desk as a value, to make the next one of. */
  get desk(): Desk | null {
    return this.now;
  }

  set desk(desk: Desk | null) {
    this.now = desk;
    if (desk && this.shown) Object.assign(this.shown, desk);
    else this.shown = desk && new ShownDesk(desk);
  }

  /** The view is another one: `TableHandlers.view`. */
  follow(view: View, events: readonly SentEvent[] | null): void {
    const { lasting, tab, sounds } = this.around;
    const before = this.desk;
    const same = before?.view.tableId === view.tableId;
    const desk = before && same ? followDesk(before, view, events) : openDesk(view, lasting, tab);
    this.desk = desk;
    keepDesk(desk, lasting, tab);
    if (desk.cameBack) this.around.cameBack();
    if (same && isMyTurn(view) && before && !isMyTurn(before.view)) sounds.play("turn");
    else if (events?.some((event) => "discarded" in event || "laid" in event || "amended" in event))
      sounds.play("card");
    this.closeStale(view, before?.view ?? null);
    this.markDrawn(desk, before);
    this.time.follow(view);
    this.lookAtServerClock(view);
    if (this.hinting) void this.askHints();
  }

  /** To be called several times a second. */
  tick(): void {
    const { view } = this.desk ?? {};
    this.time.tick(view);
    this.lookAtServerClock(view);
  }

  // The hand and the tray: nothing of it is sent.

  select(key: string): void {
    this.change((desk) => toggleCard(desk, key));
  }

  move(key: string, to: number): void {
    this.change((desk) => dragCard(desk, key, to));
  }

  /** By suit, then by rank, and so on; dragging makes it one's own. Says what it has become. */
  sort(): "suit" | "rank" {
    const sorting = this.desk?.sorting === "suit" ? "rank" : "suit";
    this.change((desk) => sortDesk(desk, sorting));
    return sorting;
  }

  newGroup(): void {
    this.change((desk) => stageSelected(desk));
  }

  /** The chosen cards join the group; with none chosen the group goes back to the hand. */
  pocket(id: number): void {
    this.change((desk) => {
      if (desk.selected.length) return stageSelected(desk, id);
      return unstageCards(desk, desk.staging.groups.find((group) => group.id === id)?.keys ?? []);
    });
  }

  /** A card was let go over `new`, `group:1`, `meld:3` or `slot:3:after`. */
  drop(key: string, target: string): void {
    const [kind, id] = target.split(":");
    if (kind === "new") this.change((desk) => stageCards(desk, [key]));
    else if (kind === "group") this.change((desk) => stageCards(desk, [key], Number(id)));
    else if (this.desk) {
      this.change((desk) => toggleCard(selectNone(desk), key));
      this.meld(Number(id));
    }
  }

  // Hints: asked for, shown, and put in the tray. No command is sent for them (UX 28).

  async hint(): Promise<void> {
    this.hinting = !this.hinting;
    this.hints = null;
    if (this.hinting) await this.askHints();
  }

  stageHints(): void {
    const { hints } = this;
    if (hints)
      this.change((desk) =>
        stageProposed(
          desk,
          hints.best.melds.map(({ cards }) => cards),
        ),
      );
  }

  // What is played.

  draw(): void {
    void this.play({ action: { draw: {} }, keys: [] });
  }

  pass(): void {
    this.over = null;
    void this.play({ action: { passTurn: {} }, keys: [] });
  }

  openPile(): void {
    const top = this.desk?.view.options.pileTake === "PILE_TAKE_TOP_MUST_MELD";
    this.pileCount = top && this.mayDraw() ? 1 : 0;
    this.over = "pile";
  }

  take(count: number): void {
    this.over = null;
    void this.play({ action: { take: { count } }, keys: [] });
  }

  meldAll(): void {
    const outgoing = this.desk && outgoingMelds(this.desk);
    if (outgoing) void this.play(outgoing);
  }

  undo(): void {
    void this.play({ action: { undo: {} }, keys: [] });
  }

  /** The second of two steps: the card was chosen first (UX 26). A wild card is asked for once more. */
  discard(sure = false): void {
    const key = this.discardKey();
    if (key === null || !this.desk) return;
    const wild = key.startsWith("JK") || key.startsWith("2");
    if (wild && !sure && !this.desk.view.deal?.timeUp) this.over = "sure";
    else {
      this.over = null;
      void this.play(outgoingDiscard(key));
    }
  }

  /** Key of the card that Discard would throw; `null` where there is none or it may not be thrown. */
  discardKey(): string | null {
    const deal = this.desk?.view.deal;
    if (!this.desk || !deal || !isMyTurn(this.desk.view) || deal.phase !== "PHASE_PLAY") return null;
    const [key, more] = this.desk.selected;
    return key !== undefined && more === undefined && (deal.duties.length === 0 || deal.timeUp) ? key : null;
  }

  /** A meld was tapped: the chosen cards go there; with none chosen a two of it moves (hints show it, and the open field). */
  meld(meldId: number): void {
    if (!this.desk) return;
    const ways = this.desk.selected.length
      ? openTargets(this.desk).filter((target) => target.meldId === meldId)
      : twosOf(this.desk, meldId);
    this.choose(ways);
  }

  /** The card that hints show at an end of a meld is laid off there. */
  slot(meldId: number, end: "before" | "after"): void {
    const meld = this.desk?.view.deal?.melds.find(({ id }) => id === meldId);
    const offered = this.desk ? openTargets(this.desk).filter((target) => target.meldId === meldId) : [];
    if (offered.length) return this.choose(offered);
    const card = meld && this.hints && slotFit(meld, this.hints, end);
    if (!meld || !card) return;
    const cards = end === "before" ? [card, ...meld.cards] : [...meld.cards, card];
    this.playFromHand({ amend: { meldId, cards } }, [card]);
  }

  /** The joker that hints show is taken back by the card that it stands for. */
  joker(meldId: number): void {
    const way = this.desk && this.hints && jokerWay(this.desk, meldId, this.hints);
    if (way) this.playFromHand({ amend: { meldId, cards: way.cards } }, [way.card]);
  }

  /** One way is taken at once; of several the player says which. */
  choose(ways: readonly Target[]): void {
    const [way, other] = ways;
    if (!way || !this.desk) return;
    if (other) {
      this.ways = ways;
      this.over = "place";
    } else this.place(way);
  }

  place(target: Target): void {
    if (!this.desk) return;
    this.over = null;
    void this.play({ action: amendAction(target), keys: outgoingAmend(this.desk, target).keys });
  }

  mayDraw(): boolean {
    const view = this.shown?.view;
    return view !== undefined && isMyTurn(view) && view.deal?.phase === "PHASE_DRAW" && !view.deal.timeUp;
  }

  private playFromHand(action: Action, cards: readonly Card[]): void {
    const held = this.desk ? shownCards(this.desk).map(({ key }) => key) : [];
    void this.play({ action, keys: keysFor(cards, held) });
  }

  private async play(outgoing: Outgoing): Promise<void> {
    const { client, sounds, refused } = this.around;
    if (!this.desk || client.isActing) return;
    this.desk = sent(this.desk, outgoing);
    this.acting = true;
    const outcome = await client.act(outgoing.action);
    this.acting = client.isActing;
    if (this.desk) this.desk = answered(this.desk);
    if (outcome.ok) return;
    sounds.play("refused");
    refused(outcome.code);
  }

  private async askHints(): Promise<void> {
    const revision = this.desk?.view.revision;
    const hints = this.desk?.view.deal ? await this.around.client.hints() : null;
    if (this.hinting && this.desk?.view.revision === revision) this.hints = hints;
  }

  private lookAtServerClock(view: View | undefined): void {
    this.nowMs = view && needsServerClock(view) ? this.around.client.link.clock.serverNow() : 0;
  }

  private change(next: (desk: Desk) => Desk): void {
    const before = this.desk;
    if (!before) return;
    this.desk = next(before);
    keepDesk(this.desk, this.around.lasting, this.around.tab, before);
  }

  /** What was asked of the player and has passed meanwhile is taken off the table (UX 25). */
  private closeStale(view: View, before: View | null): void {
    const late = isMyTurn(view) && view.deal?.timeUp === true && before?.deal?.timeUp !== true;
    if (late && (this.over === "pile" || this.over === "us" || this.over === "them")) this.over = null;
    const asks = this.over === "place" || this.over === "sure" || this.over === "pass";
    if (asks && (!isMyTurn(view) || view.deal?.timeUp)) this.over = null;
    if (this.over === "pile") {
      const length = view.deal?.pile.length ?? 0;
      if (!view.deal || length === 0) this.over = null;
      if (!this.mayDraw() || this.pileCount > length) this.pileCount = 0;
    }
    if (this.over === "us" || this.over === "them") this.over = view.deal ? this.over : null;
  }

  /** Marks go a while after the last card came, whatever others do meanwhile. */
  private markDrawn(desk: Desk, before: Desk | null): void {
    const known = before?.hand?.fresh ?? [];
    if (!desk.hand?.fresh.some((key) => !known.includes(key))) return;
    clearTimeout(this.drawnTimer);
    this.drawnTimer = setTimeout(() => this.change(unmarkDrawn), MARKED_MS);
  }
}
