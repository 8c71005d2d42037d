/** A player's page at a table whose server may be anything: what it sends, what it says, what it keeps. */

import { Ceremony, type ShuffleState } from "../ceremony";
import { hex } from "../../verify/bytes";
import type { Primitives } from "../../verify/primitives";
import type { Preset } from "../options";
import type { Contribution } from "../protocol";
import { memoryKeeper } from "../storage";
import type { Outcome, Shuffle } from "../table";
import type { View } from "../views";
import { WitnessBook, type KeptDeal } from "../witness";
import { FakeAround } from "./fakes";
import { FakeShuffle, ME, promptPrimitives } from "./shuffles";

/** A hand as it is dealt to who does not start. */
export const HAND = Array.from({ length: 18 }, (_, at) => `${"A23456789TJQK"[at % 13]}${"SH"[Math.floor(at / 13)]}`);

export class Sitting {
  readonly around = new FakeAround();
  keeper = memoryKeeper();
  sent: (Shuffle & Contribution)[] = [];
  /** What the table says to a contribution; taken in is what it says yes to. */
  answer: (what: Contribution) => Outcome = () => ({ ok: true });
  state: ShuffleState | null = null;
  load: () => Promise<Primitives> = async () => promptPrimitives;
  tab: Ceremony = this.open();

  private constructor(readonly shuffle: FakeShuffle) {}

  static async begin(preset: Preset = "PRESET_SAHRAT"): Promise<Sitting> {
    return new Sitting(await FakeShuffle.begin(preset));
  }

  /** A page that is opened: what it remembers is what is kept. */
  open(): Ceremony {
    return new Ceremony({
      send: async (shuffle, what) => this.take(shuffle, what),
      keeper: this.keeper,
      account: () => "me",
      primitives: () => this.load(),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      after: this.around.after,
      unixMs: () => 1_700_000_000_000 + this.around.time,
      changed: (now) => (this.state = now),
    });
  }

  /** Loads the page anew. */
  reload(): void {
    this.tab = this.open();
  }

  /** The table says what it says now, and all that follows at once happens. */
  async told(view: View = this.shuffle.view(), page = this.tab): Promise<void> {
    page.follow(view);
    await this.around.pass(0);
  }

  /** To the step in which c is due. */
  async toOpening(): Promise<void> {
    await this.told();
    this.shuffle.close();
  }

  get kept(): KeptDeal | null {
    return new WitnessBook(this.keeper).get(hex(this.shuffle.ctx.match), this.shuffle.ctx.dealNo);
  }

  get promises(): string[] {
    return this.sent.flatMap((one) => ("hHex" in one ? [one.hHex] : []));
  }

  get opened(): string[] {
    return this.sent.flatMap((one) => ("cHex" in one ? [one.cHex] : []));
  }

  get cuts(): number[] {
    return this.sent.flatMap((one) => ("cut" in one ? [one.cut] : []));
  }

  private take({ matchId, dealNo, attempt }: Shuffle, what: Contribution): Outcome {
    this.sent.push({ matchId, dealNo, attempt, ...what });
    const outcome = this.answer(what);
    if (outcome.ok && "hHex" in what) this.shuffle.promises[ME] = what.hHex;
    if (outcome.ok && "cHex" in what) this.shuffle.contributions[ME] = what.cHex;
    if (outcome.ok && "cut" in what) this.shuffle.cut = what.cut;
    return outcome;
  }
}
