/**
 * The own seat's part in the shuffle of each deal (docs/fair.md, "The ceremony"): promise h, check the closed set K, then and
 * only then give c; and keep what was seen. It follows views, so it goes on after whatever broke, with what is kept.
 */

import { hex, type Bytes } from "../verify/bytes";
import { ABSENT, CONTRIBUTION_BYTES, HUMAN } from "../verify/deal";
import type { Primitives } from "../verify/primitives";
import type { FairCheck, People } from "./closedChecks";
import { readClosed } from "./closedSet";
import { seatCount } from "./options";
import { Postman, type Send } from "./postman";
import { closedCheck, contextOf, failedSeats, promiseOf, publishedFault, receiptCheck } from "./shuffleChecks";
import { receiptsOf, signatureCheck, transcriptCheck } from "./shuffleChecks";
import type { Keeper } from "./storage";
import type { Outcome } from "./table";
import type { FairInfo, View } from "./views";
import { WitnessBook, keptWith, withoutNumber, type DealOf, type KeptDeal, type Witness } from "./witness";

/** Checking a signature may take so long before c goes out without: a slow page must not fail the whole table. */
export const SIGNATURE_MS = 1_000;
const STARTER_CARDS = 19;
const OTHER_CARDS = 18;

/**
 * How the own seat takes part. `watching`: it does not; `late`: its promise did not come in; `lost`: the promise is not
 * this browser's; `shut`: it failed in an earlier attempt; `held`: something does not agree; `in`: the deal has its number.
 */
export type Part = "watching" | "taking" | "late" | "lost" | "shut" | "held" | "in";

export interface ShuffleState {
  readonly fair: FairInfo;
  readonly part: Part;
  readonly promised: boolean;
  /** K was checked, and c is on its way. */
  readonly opened: boolean;
  readonly settled: boolean;
  /** What did not agree, in any attempt at this deal. */
  readonly fault: FairCheck | null;
}

export interface CeremonyAround {
  readonly send: Send;
  readonly keeper: Keeper;
  readonly account: () => string;
  readonly primitives: () => Promise<Primitives>;
  readonly random: (bytes: number) => Bytes;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Unix milliseconds by this device. */
  readonly unixMs: () => number;
  readonly changed: (state: ShuffleState | null) => void;
}

const NOT_AWAITED: Outcome = { ok: false, code: "CONTRIBUTION_NOT_AWAITED" };

export class Ceremony {
  private readonly book: WitnessBook;
  private readonly post: Postman;
  private readonly cutter: Postman;
  private view: View | null = null;
  /** Of the deal being shuffled: see `People`. */
  private people: { readonly of: string; readonly at: Set<string>[] } = { of: "", at: [] };
  private loading: Promise<Primitives> | null = null;
  private running = false;
  private again = false;
  /** The attempt whose transcript was checked last, and the one of which nothing is left to do. */
  private settled = "";
  private finished = "";
  private cutOver: (outcome: Outcome) => void = () => undefined;

  constructor(private readonly around: CeremonyAround) {
    this.book = new WitnessBook(around.keeper);
    this.post = new Postman(around.send, around.after);
    this.cutter = new Postman(around.send, around.after);
  }

  /** The view is another one. */
  follow(view: View): void {
    this.view = view;
    this.meet(view);
    if (view.nextFair?.step !== "FAIR_STEP_CUTTING") this.cutOver(NOT_AWAITED);
    if (!view.nextFair) this.post.stop();
    if (view.nextFair || (view.fair && this.finished !== keyOf(view.fair))) void this.run();
  }

  /** There is a connection again. */
  resumed(): void {
    this.post.resumed();
    this.cutter.resumed();
  }

  /** The host's cut, 1..105; gives what came of it in the end. */
  cut(at: number): Promise<Outcome> {
    const fair = this.view?.nextFair;
    if (fair?.step !== "FAIR_STEP_CUTTING") return Promise.resolve(NOT_AWAITED);
    return new Promise((resolve) => {
      this.cutOver = (outcome) => {
        this.cutOver = () => undefined;
        this.cutter.stop();
        if (outcome.ok) this.keep(fair, (deal) => ({ ...deal, cut: at }));
        resolve(outcome);
      };
      const heard = (outcome: Outcome, final: boolean) => (outcome.ok || final ? this.cutOver(outcome) : undefined);
      this.cutter.deliver({ key: `${keyOf(fair)}/${at}`, shuffle: fair, what: { cut: at }, heard });
    });
  }

  /** One view after another; of those that came meanwhile the last one. */
  private async run(): Promise<void> {
    this.again = true;
    if (this.running) return;
    this.running = true;
    try {
      while (this.again && this.view) {
        this.again = false;
        await this.step(this.view);
        this.tell();
      }
    } finally {
      this.running = false;
    }
  }

  private async step(view: View): Promise<void> {
    const { fair, nextFair, deal } = view;
    if (view.viewerSeat === undefined) {
      this.finished = fair ? keyOf(fair) : "";
      return;
    }
    this.loading ??= this.around.primitives();
    const by = await this.loading.catch(() => null);
    // Not loaded: whoever cannot hash takes no part, and plays all the same.
    if (!by) this.loading = null;
    else {
      if (fair && deal?.dealNo === fair.dealNo) await this.played(by, view, fair);
      if (nextFair) await this.shuffled(by, view, nextFair);
    }
  }

  /** The deal is dealt: what was settled is looked at once more where this page was not there, and the hand kept. */
  private async played(by: Primitives, view: View, fair: FairInfo): Promise<void> {
    if (this.finished === keyOf(fair)) return;
    if (this.begin(view, fair)) {
      await this.settle(by, view, fair);
      const hand = dealtHand(view);
      if (hand) this.witness(fair, { hand });
    }
    this.finished = keyOf(fair);
  }

  private async shuffled(by: Primitives, view: View, fair: FairInfo): Promise<void> {
    const deal = this.begin(view, fair);
    if (deal && fair.step === "FAIR_STEP_PROMISING") await this.promise(by, fair, deal);
    else if (deal && fair.step === "FAIR_STEP_OPENING") await this.open(by, view, fair);
    else this.post.stop();
    if (deal && fair.transcriptHex) await this.settle(by, view, fair);
  }

  /** What is kept of the published attempt; begun where it is new. `null` where the own seat has nothing to do with it. */
  private begin(view: View, fair: FairInfo): KeptDeal | null {
    const seat = view.viewerSeat ?? -1;
    if (!fair.commitmentHex || view.seats[seat]?.occupant !== "OCCUPANT_PERSON") return null;
    const of: DealOf = {
      account: this.around.account(),
      series: fair.seriesId,
      match_no: fair.matchNo,
      match: fair.matchId,
      deal_no: fair.dealNo,
      rules: fair.rulesId,
      seats: seatCount(view.options),
    };
    const kept = this.book.get(fair.matchId, fair.dealNo);
    if (kept && kept.attempt > fair.attempt) return null;
    const begun = keptWith(kept, of, seat, fair, this.around.unixMs());
    const deal = fair.cut && !begun.cut ? { ...begun, cut: fair.cut } : begun;
    if (deal !== kept) this.book.put(deal);
    const changed = publishedFault(of, deal, fair);
    return changed ? this.fault(fair, changed) : deal;
  }

  private async promise(by: Primitives, fair: FairInfo, deal: KeptDeal): Promise<void> {
    const { seat } = deal.witness;
    if (deal.fault || failedSeats(fair).includes(seat)) return this.post.stop();
    // Kept before it is sent: whoever reloads now, or goes on in another tab, goes on with the same one.
    const c = deal.witness.c ?? hex(this.around.random(CONTRIBUTION_BYTES));
    if (!deal.witness.c) this.witness(fair, { c });
    const hHex = await promiseOf(by, contextOf(deal), seat, c);
    this.deliver(fair, { hHex });
  }

  private async open(by: Primitives, view: View, fair: FairInfo): Promise<void> {
    const deal = await this.look(by, view, fair);
    const own = readClosed(deal?.witness.closed ?? "")?.seats[deal?.witness.seat ?? 0];
    if (!deal || deal.fault || own?.kind !== HUMAN || !deal.witness.c) return this.post.stop();
    const unsigned = await this.within(SIGNATURE_MS, signatureCheck(by, deal));
    if (unsigned) this.fault(fair, unsigned);
    else this.deliver(fair, { cHex: deal.witness.c });
  }

  /** Keeps K as it was seen first, and checks it. */
  private async look(by: Primitives, view: View, fair: FairInfo): Promise<KeptDeal | null> {
    const seen = this.keep(fair, (deal) => ({
      ...deal,
      signatures: { closed: fair.closedSignatureHex, ...deal.signatures },
      witness: withReceipts({ closed: fair.closedHex, ...deal.witness }, fair),
    }));
    if (!seen || seen.fault) return seen;
    const check = await closedCheck(by, view, fair, seen, this.peopleOf(fair));
    if (check) return this.fault(fair, check);
    const late = readClosed(fair.closedHex)?.seats[seen.witness.seat]?.kind === ABSENT;
    return late ? this.keep(fair, withoutNumber) : seen;
  }

  private async settle(by: Primitives, view: View, fair: FairInfo): Promise<void> {
    if (this.settled === keyOf(fair)) return;
    await this.look(by, view, fair);
    const deal = this.keep(fair, (deal) => ({
      ...deal,
      signatures: { transcript: fair.transcriptSignatureHex, ...deal.signatures },
      witness: withReceipts({ transcript: fair.transcriptHex, ...deal.witness }, fair),
    }));
    if (!deal) return;
    const check =
      (await transcriptCheck(by, fair, deal)) ?? (await signatureCheck(by, deal)) ?? (await receiptCheck(by, deal));
    if (check) this.fault(fair, check);
    this.settled = keyOf(fair);
  }

  private deliver(fair: FairInfo, what: { readonly hHex: string } | { readonly cHex: string }): void {
    const now = this.view?.nextFair;
    // Something else may be published by now.
    if (!now || keyOf(now) !== keyOf(fair) || now.step !== fair.step) return this.post.stop();
    this.post.deliver({ key: `${keyOf(fair)}/${fair.step}`, shuffle: fair, what, heard: () => this.tell() });
  }

  /** Notes what does not agree, with all that was published: from now on nothing is given to this attempt. */
  private fault(fair: FairInfo, check: FairCheck): KeptDeal | null {
    this.post.stop();
    return this.keep(fair, (deal) => (deal.fault ? deal : { ...deal, fault: { check, fair } }));
  }

  private witness(fair: FairInfo, part: Partial<Witness>): void {
    this.keep(fair, (deal) => ({ ...deal, witness: { ...deal.witness, ...part } }));
  }

  /** Changes what is kept of the attempt, as it is kept by now: another tab may have written. */
  private keep(fair: FairInfo, change: (deal: KeptDeal) => KeptDeal): KeptDeal | null {
    const kept = this.book.get(fair.matchId, fair.dealNo);
    if (kept?.attempt !== fair.attempt) return null;
    const deal = change(kept);
    this.book.put(deal);
    return deal;
  }

  private peopleOf({ matchId, dealNo }: FairInfo): People | null {
    return this.people.of === `${matchId}/${dealNo}` ? this.people.at : null;
  }

  private meet({ nextFair, seats }: View): void {
    if (!nextFair) return;
    const of = `${nextFair.matchId}/${nextFair.dealNo}`;
    if (this.people.of !== of) this.people = { of, at: seats.map(() => new Set()) };
    for (const { seat, occupant, accountId } of seats) {
      this.people.at[seat]?.add(occupant === "OCCUPANT_PERSON" ? accountId : "");
    }
  }

  private within(ms: number, check: Promise<FairCheck | null>): Promise<FairCheck | null> {
    return new Promise((resolve) => {
      const cancel = this.around.after(ms, () => resolve(null));
      void check.then((fault) => {
        cancel();
        resolve(fault);
      });
    });
  }

  private tell(): void {
    const fair = this.view?.nextFair ?? this.view?.fair;
    this.around.changed(fair && this.view ? this.stateOf(this.view, fair) : null);
  }

  private stateOf(view: View, fair: FairInfo): ShuffleState {
    const deal = this.book.get(fair.matchId, fair.dealNo);
    const seat = view.viewerSeat ?? -1;
    const now = deal?.attempt === fair.attempt ? deal : null;
    const own = readClosed(now?.witness.closed ?? "")?.seats[seat];
    const sent = this.post.outcome?.ok ?? false;
    const settled = fair.transcriptHex !== "";
    const part = (): Part => {
      if (view.seats[seat]?.occupant !== "OCCUPANT_PERSON") return "watching";
      if (failedSeats(fair).includes(seat)) return "shut";
      if (now?.fault) return "held";
      if (!own) return "taking";
      if (own.kind !== HUMAN) return "late";
      if (!now?.witness.c) return "lost";
      return settled && this.settled === keyOf(fair) ? "in" : "taking";
    };
    const fault = now?.fault ?? deal?.earlier.find((attempt) => attempt.fault)?.fault;
    return {
      fair,
      part: part(),
      promised: own?.kind === HUMAN || (sent && fair.step === "FAIR_STEP_PROMISING"),
      opened: settled || (sent && fair.step === "FAIR_STEP_OPENING"),
      settled,
      fault: fault?.check ?? null,
    };
  }
}

function keyOf({ matchId, dealNo, attempt }: FairInfo): string {
  return `${matchId}/${dealNo}/${attempt}`;
}

/** With the receipts that are out by now; those that came first stay. */
function withReceipts(witness: Witness, fair: FairInfo): Witness {
  const receipts = { ...receiptsOf(fair, witness.seat), ...witness.receipts };
  return Object.keys(receipts).length ? { ...witness, receipts } : witness;
}

/** The own hand where it is still as it was dealt: nothing drawn, taken or laid (R3.1). */
function dealtHand({ deal, viewerSeat, options }: View): Witness["hand"] | null {
  if (!deal || viewerSeat === undefined || deal.putDown[viewerSeat]) return null;
  const seats = seatCount(options);
  const firstTurn = ((viewerSeat - deal.starter + seats) % seats) + 1;
  const untouched =
    firstTurn === 1
      ? deal.turnNo === 1 && deal.hand.length === STARTER_CARDS
      : (deal.turnNo < firstTurn || (deal.turnNo === firstTurn && deal.phase === "PHASE_DRAW")) &&
        deal.hand.length === OTHER_CARDS;
  return untouched ? deal.hand : null;
}
