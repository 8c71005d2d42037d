/** What secret and transcript give (docs/fair.md, "What is drawn"): the stream, the deck, reshuffles, dealer, cut. */

import { JOKER, RANKS, SUITS, type Card } from "../core/cards";
import { FairError, joined, lp, tag, u32, utf8, type Bytes } from "./bytes";
import { CUT_HOST, MOST_CUT, type ClosedSet } from "./deal";
import type { Primitives } from "./primitives";

export const DECK_CARDS = 106;
const FIRST_JOKER = 104;
const SUIT_CARDS = 13;
const COPY_CARDS = 52;

export type StarterRule = "dealer_draw" | "host_cut";

/** The bytes of one purpose and number. */
export class Stream {
  private block: Bytes = new Uint8Array();
  private blockNo = 0;
  private at = 0;

  private constructor(
    private readonly hmac: (data: Bytes) => Promise<Bytes>,
    private readonly prefix: Bytes,
  ) {}

  static async of(by: Primitives, secret: Bytes, transcript: Bytes, purpose: string, k: number): Promise<Stream> {
    return new Stream(await by.hmac(secret), joined(tag("stream"), transcript, lp(utf8(purpose)), u32(k)));
  }

  /** A number below n, each equally likely; n is 256 at most. */
  async uniform(n: number): Promise<number> {
    if (!Number.isInteger(n) || n < 1 || n > 256) throw new RangeError(`cannot choose one of ${n}`);
    const limit = 256 - (256 % n);
    for (;;) {
      const byte = await this.next();
      if (byte < limit) return byte % n;
    }
  }

  /** The same items, mixed; index 0 is dealt or drawn first. */
  async shuffled<T>(items: readonly T[]): Promise<T[]> {
    const mixed = [...items];
    for (let at = mixed.length - 1; at > 0; at--) {
      const other = await this.uniform(at + 1);
      [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
    }
    return mixed;
  }

  private async next(): Promise<number> {
    if (this.at === this.block.length) {
      this.block = await this.hmac(joined(this.prefix, u32(this.blockNo++)));
      this.at = 0;
    }
    return this.block[this.at++]!;
  }
}

/** The card of an id 0..105: 52 · copy + 13 · suit + rank − 1, the jokers last. */
export function cardOfId(id: number): Card {
  if (id >= FIRST_JOKER) return JOKER;
  const face = id % COPY_CARDS;
  return `${RANKS[face % SUIT_CARDS]}${SUITS[Math.floor(face / SUIT_CARDS)]}`;
}

/** All draws of one deal. */
export class Draws {
  constructor(
    private readonly by: Primitives,
    private readonly secret: Bytes,
    private readonly transcript: Bytes,
  ) {}

  /** The ids of the 106 cards in dealing order. */
  async deckIds(): Promise<number[]> {
    return (await this.stream("deal", 0)).shuffled([...Array(DECK_CARDS).keys()]);
  }

  /** The 106 cards in dealing order. */
  async deck(): Promise<Card[]> {
    return (await this.deckIds()).map(cardOfId);
  }

  /** The n-th new stock (n from 1) in drawing order, of the pile bottom to top without its top card. */
  async reshuffled<T>(pile: readonly T[], n: number): Promise<T[]> {
    return (await this.stream("reshuffle", n)).shuffled(pile);
  }

  async automaticCut(): Promise<number> {
    return 1 + (await (await this.stream("autocut", 0)).uniform(MOST_CUT));
  }

  /** The seat that starts: by the dealer's draw, or by the cut; `null` where it follows from the deal before. */
  async starter(closed: ClosedSet, rule: StarterRule): Promise<number | null> {
    const { seats, dealNo } = closed.ctx;
    if (rule === "dealer_draw" && dealNo === 1) {
      return ((await (await this.stream("dealer", 0)).uniform(seats)) + 1) % seats;
    }
    if (!cutDue(closed, rule)) return null;
    if (closed.host >= seats) throw new FairError("host", "a cut is due, but there is no host");
    const cut = await this.cut(closed);
    return (closed.host + (await (await this.stream("cut", cut)).uniform(seats))) % seats;
  }

  /** The cut that counts: the host's, or the automatic one. */
  async cut(closed: ClosedSet): Promise<number> {
    return closed.cutKind === CUT_HOST ? closed.cut : this.automaticCut();
  }

  private stream(purpose: string, k: number): Promise<Stream> {
    return Stream.of(this.by, this.secret, this.transcript, purpose, k);
  }
}

/** Whether a cut is due: in the first deal of a series, under `host_cut`. */
export function cutDue(closed: ClosedSet, rule: StarterRule): boolean {
  return rule === "host_cut" && closed.ctx.matchNo === 1 && closed.ctx.dealNo === 1;
}
