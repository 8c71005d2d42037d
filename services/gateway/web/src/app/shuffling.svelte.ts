/** The own part in the shuffles, as the page has it: what is done about them (core/ceremony.ts), the cut, and what is said. */

import type { Ceremony, ShuffleState } from "../core/ceremony";
import { cutOf, cutText } from "../core/moves";
import type { SentEvent } from "../core/protocol";
import type { Keeper } from "../core/storage";
import type { TableClient } from "../core/table";
import type { View } from "../core/views";
import { nameOf } from "./models";
import { parts } from "./parts";
import type { Teller } from "./teller.svelte";
import type { Words } from "../ui/words";

/** Where the knife lies at first: in the middle of the deck. */
const MIDDLE = 53;

export interface ShufflingAround {
  readonly client: TableClient;
  readonly lasting: Keeper;
  readonly account: () => string;
  readonly teller: Teller;
  readonly words: () => Words | null;
  readonly refused: (code: string) => void;
}

export class Shuffling {
  /** `null` until something is published. */
  state: ShuffleState | null = $state.raw(null);
  /** Of the step that the shuffle is at; `null` where no clock runs. */
  remainingMs: number | null = $state(null);
  totalMs = $state(1);
  cutAt = $state(MIDDLE);
  /** The own cut, while it is on its way and once it is taken in. */
  ownCut: number | null = $state(null);
  private ceremony: Ceremony | null = null;
  private loading: Promise<void> | null = null;
  private view: View | null = null;
  private step = "";
  private toldFault = "";

  constructor(private readonly around: ShufflingAround) {}

  /** The view is another one: `TableHandlers.view`. */
  follow(view: View, events: readonly SentEvent[] | null, before: View | null): void {
    this.view = view;
    if (this.ceremony) this.ceremony.follow(view);
    else if (view.nextFair || view.fair) void this.load();
    const fair = view.nextFair;
    const step = fair ? `${fair.matchId}/${fair.dealNo}/${fair.attempt}/${fair.step}` : "";
    if (step !== this.step) {
      this.step = step;
      this.totalMs = Math.max(1, this.around.client.shuffleClock.remainingMs() ?? 0);
      if (fair?.step === "FAIR_STEP_PROMISING") [this.cutAt, this.ownCut] = [MIDDLE, null];
    }
    this.tick();
    if (events && before) this.say(view, before, events);
  }

  /** There is a connection again. */
  resumed(): void {
    this.ceremony?.resumed();
  }

  /** To be called several times a second. */
  tick(): void {
    this.remainingMs = this.around.client.shuffleClock.remainingMs();
  }

  async cut(at: number): Promise<void> {
    if (!this.ceremony || this.ownCut !== null) return;
    this.ownCut = at;
    const outcome = await this.ceremony.cut(at);
    if (outcome.ok) return;
    this.ownCut = null;
    this.around.refused(outcome.code);
  }

  /** Fetched with the first table: the page that one sees first needs none of it. */
  private load(): Promise<void> {
    this.loading ??= this.begin().catch(() => {
      // Without it the seat takes no part in this shuffle; the next view tries again.
      this.loading = null;
    });
    return this.loading;
  }

  private async begin(): Promise<void> {
    const [{ Ceremony }, { primitives }] = await Promise.all([parts.ceremony(), parts.primitives()]);
    const { client, lasting, account } = this.around;
    this.ceremony = new Ceremony({
      send: (shuffle, what) => client.contribute(shuffle, what),
      keeper: lasting,
      account,
      primitives: () => primitives(),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      after: (ms, action) => {
        const timer = setTimeout(action, ms);
        return () => clearTimeout(timer);
      },
      unixMs: () => Date.now(),
      changed: (state) => this.changed(state),
    });
    if (this.view) this.ceremony.follow(this.view);
  }

  private changed(state: ShuffleState | null): void {
    this.state = state;
    if (!state?.fault) return;
    const { fair, fault } = state;
    const key = `${fair.matchId}/${fair.dealNo}/${fault}`;
    if (key === this.toldFault) return;
    this.toldFault = key;
    this.around.teller.toast((t) => t("fair.fault", { check: t(`fair.check.${fault}`) }), true);
  }

  /** What nobody should miss: a shuffle that failed, and how the deck was cut. */
  private say(view: View, before: View, events: readonly SentEvent[]): void {
    const words = this.around.words();
    if (!words) return;
    const named = (seat: number) => nameOf(view, seat, words);
    const known = before.nextFair?.dealNo === view.nextFair?.dealNo ? before.nextFair?.voidAttempts.length : 0;
    const failed = view.nextFair?.voidAttempts.slice(known).flatMap(({ failedSeats }) => failedSeats) ?? [];
    if (failed.includes(view.viewerSeat ?? -1)) this.around.teller.toast((t) => t("fair.part.shut"), true);
    else if (failed.length) {
      this.around.teller.toast((t) => t("fair.failed", { name: failed.map(named).join(" · ") }));
    }
    const cut = cutOf(view.fair);
    if (cut && view.deal && events.some((event) => "dealStarted" in event)) {
      const starter = named(view.deal.starter);
      this.around.teller.toast((t) => `${cutText(t, cut, named(cut.host))} · ${t("fair.starts", { name: starter })}`);
    }
  }
}
