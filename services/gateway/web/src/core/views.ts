/**
 * What one viewer sees of a table: the messages of views.proto and results.proto, with every default filled in.
 *
 * protobuf's JSON leaves defaults out (0, false, "", []); `read...` puts them back, so that nothing else has to ask.
 */

import type { Card } from "./cards";
import { filled, listOf } from "./filled";
import type { RuleOptions } from "./options";
import { readMissing, readPause, readSeat, readSwap } from "./seatViews";
import type { PauseView, SeatView, StakesMissing, SwapView } from "./seatViews";

export * from "./seatViews";

export type Stage =
  | "STAGE_UNSPECIFIED"
  | "STAGE_SEATING"
  | "STAGE_FUNDING"
  | "STAGE_CEREMONY"
  | "STAGE_DEAL"
  | "STAGE_RESULT"
  | "STAGE_SWAP"
  | "STAGE_CLOSED";
export type Phase = "PHASE_UNSPECIFIED" | "PHASE_DRAW" | "PHASE_PLAY";
export interface Meld {
  readonly id: number;
  readonly owner: number;
  /** A run from low to high. */
  readonly cards: readonly Card[];
  /** For each card the seat that put it on the table. */
  readonly layers: readonly number[];
}

export interface DealView {
  readonly dealNo: number;
  readonly starter: number;
  readonly turnNo: number;
  readonly turnSeat: number;
  readonly phase: Phase;
  readonly timeUp: boolean;
  /** The viewer's own hand, by rank A..K and suit S H D C, jokers last. */
  readonly hand: readonly Card[];
  readonly handCounts: readonly number[];
  readonly opened: readonly boolean[];
  readonly stockCount: number;
  /** From bottom to top. */
  readonly pile: readonly Card[];
  readonly melds: readonly Meld[];
  readonly duties: readonly Card[];
  readonly undoPossible: boolean;
  readonly reshufflesUsed: number;
  readonly putDown: readonly boolean[];
  readonly turnFresh: boolean;
  readonly partnerAmended: boolean;
}

export interface Cards {
  readonly cards: readonly Card[];
}

export interface DealResult {
  readonly dealNo: number;
  readonly end: "DEAL_END_UNSPECIFIED" | "DEAL_END_OUT" | "DEAL_END_DEAD";
  readonly finisher?: number;
  readonly oneTurn: boolean;
  readonly teamHalfPoints: readonly number[];
  /** Empty where scoring is by team. */
  readonly seatHalfPoints: readonly number[];
  readonly totalHalfPoints: readonly number[];
  readonly hands: readonly Cards[];
  readonly handHalfPoints: readonly number[];
  readonly laidHalfPoints: readonly number[];
  readonly bonusHalfPoints: number;
}

export interface MatchState {
  readonly seriesId: string;
  readonly matchId: string;
  readonly matchNo: number;
  readonly dealNo: number;
  readonly totalHalfPoints: readonly number[];
  readonly tiebreak: boolean;
  readonly winnerTeam?: number;
  readonly seriesWins: readonly number[];
}

export type FairStep =
  | "FAIR_STEP_UNSPECIFIED"
  | "FAIR_STEP_BEGUN"
  | "FAIR_STEP_PROMISING"
  | "FAIR_STEP_CUTTING"
  | "FAIR_STEP_CLOSING"
  | "FAIR_STEP_OPENING"
  | "FAIR_STEP_SETTLED";

export interface FairReceipts {
  readonly seat: number;
  /** Unix milliseconds; "0" where no receipt is out yet. */
  readonly hUnixMs: string;
  readonly hSignatureHex: string;
  readonly cUnixMs: string;
  readonly cSignatureHex: string;
}

export interface FairVoid {
  readonly attempt: number;
  readonly failedSeats: readonly number[];
}

/** What is published of a shuffle; an empty text is not published yet. */
export interface FairInfo {
  readonly dealNo: number;
  readonly attempt: number;
  readonly rulesId: string;
  readonly commitmentHex: string;
  readonly closedHex: string;
  readonly transcriptHex: string;
  readonly keyId: string;
  readonly commitSignatureHex: string;
  readonly closedSignatureHex: string;
  readonly transcriptSignatureHex: string;
  readonly step: FairStep;
  readonly seriesId: string;
  readonly matchNo: number;
  readonly matchId: string;
  /** Absent where no cut is due. */
  readonly hostSeat?: number;
  readonly cut: number;
  readonly automaticCut: number;
  readonly receipts: readonly FairReceipts[];
  readonly contributionsHex: readonly string[];
  readonly voidAttempts: readonly FairVoid[];
}

export interface View {
  readonly tableId: string;
  readonly revision: number;
  readonly stage: Stage;
  readonly options: RuleOptions;
  /** Absent for who has no seat. */
  readonly viewerSeat?: number;
  readonly seats: readonly SeatView[];
  readonly hostSeat: number;
  readonly match: MatchState;
  /** Absent between deals. */
  readonly deal?: DealView;
  /** Of the deal before; absent before the first. */
  readonly lastResult?: DealResult;
  /** Of the deal being played, or of the last one. */
  readonly fair?: FairInfo;
  /** Of the next deal, from its beginning until the deal starts. */
  readonly nextFair?: FairInfo;
  /** As long as the stage is `STAGE_SWAP`. */
  readonly swap?: SwapView;
  /** Whether one who runs the system made the table stand still: nothing is accepted and no clock runs. */
  readonly frozen: boolean;
  /** Whether one who runs the system ended it. */
  readonly aborted: boolean;
  /** Of a private table alone. */
  readonly pause?: PauseView;
  /** Why a coin table was closed before its match began. */
  readonly stakesMissing?: StakesMissing;
}

/** A message as it comes: any field may be left out, and unknown ones may be there. */
export type Sent<T> = { readonly [K in keyof T]?: unknown };

const MELD: Meld = { id: 0, owner: 0, cards: [], layers: [] };
const DEAL: DealView = {
  dealNo: 0,
  starter: 0,
  turnNo: 0,
  turnSeat: 0,
  phase: "PHASE_UNSPECIFIED",
  timeUp: false,
  hand: [],
  handCounts: [],
  opened: [],
  stockCount: 0,
  pile: [],
  melds: [],
  duties: [],
  undoPossible: false,
  reshufflesUsed: 0,
  putDown: [],
  turnFresh: false,
  partnerAmended: false,
};
const RESULT: DealResult = {
  dealNo: 0,
  end: "DEAL_END_UNSPECIFIED",
  oneTurn: false,
  teamHalfPoints: [],
  seatHalfPoints: [],
  totalHalfPoints: [],
  hands: [],
  handHalfPoints: [],
  laidHalfPoints: [],
  bonusHalfPoints: 0,
};
const MATCH: MatchState = {
  seriesId: "",
  matchId: "",
  matchNo: 0,
  dealNo: 0,
  totalHalfPoints: [],
  tiebreak: false,
  seriesWins: [],
};
const FAIR: FairInfo = {
  dealNo: 0,
  attempt: 0,
  rulesId: "",
  commitmentHex: "",
  closedHex: "",
  transcriptHex: "",
  keyId: "",
  commitSignatureHex: "",
  closedSignatureHex: "",
  transcriptSignatureHex: "",
  step: "FAIR_STEP_UNSPECIFIED",
  seriesId: "",
  matchNo: 0,
  matchId: "",
  cut: 0,
  automaticCut: 0,
  receipts: [],
  contributionsHex: [],
  voidAttempts: [],
};
const RECEIPTS: FairReceipts = { seat: 0, hUnixMs: "0", hSignatureHex: "", cUnixMs: "0", cSignatureHex: "" };
const VOID: FairVoid = { attempt: 0, failedSeats: [] };

export function readMeld(sent: unknown): Meld {
  return filled(MELD, sent);
}

export function readMelds(sent: unknown): Meld[] {
  return listOf(sent, readMeld);
}

export function readCards(sent: unknown): Cards {
  return filled({ cards: [] }, sent);
}

export function readDeal(sent: unknown): DealView {
  const deal = filled(DEAL, sent);
  return { ...deal, melds: readMelds(deal.melds) };
}

export function readResult(sent: unknown): DealResult {
  const result = filled(RESULT, sent);
  return { ...result, hands: listOf(result.hands, readCards) };
}

export function readMatch(sent: unknown): MatchState {
  return filled(MATCH, sent);
}

export function readFair(sent: unknown): FairInfo {
  const fair = filled(FAIR, sent);
  return {
    ...fair,
    receipts: listOf(fair.receipts, (one) => filled(RECEIPTS, one)),
    voidAttempts: listOf(fair.voidAttempts, (one) => filled(VOID, one)),
  };
}

export function readView(sent: unknown): View {
  const view = sent as Sent<View>;
  return {
    ...(view as View),
    revision: (view.revision as number | undefined) ?? 0,
    stage: (view.stage as Stage | undefined) ?? "STAGE_UNSPECIFIED",
    hostSeat: (view.hostSeat as number | undefined) ?? 0,
    seats: listOf(view.seats, readSeat),
    match: readMatch(view.match),
    frozen: (view.frozen as boolean | undefined) ?? false,
    aborted: (view.aborted as boolean | undefined) ?? false,
    ...(view.deal ? { deal: readDeal(view.deal) } : {}),
    ...(view.lastResult ? { lastResult: readResult(view.lastResult) } : {}),
    ...(view.fair ? { fair: readFair(view.fair) } : {}),
    ...(view.nextFair ? { nextFair: readFair(view.nextFair) } : {}),
    ...(view.swap ? { swap: readSwap(view.swap) } : {}),
    ...(view.pause ? { pause: readPause(view.pause) } : {}),
    ...(view.stakesMissing ? { stakesMissing: readMissing(view.stakesMissing) } : {}),
  };
}
