/** The rules of a table, as `RuleOptions` in protos/ tells them (docs/rules.md, "Options"). */

export type Preset = "PRESET_SAHRAT" | "PRESET_BANAKIL202";
export type Mode = "MODE_PARTNERS" | "MODE_DUEL";

/** In an answer every field is set; of the two reshuffle fields one. */
export interface RuleOptions {
  readonly preset: Preset;
  readonly mode: Mode;
  readonly target: number;
  readonly turnSeconds: number;
  readonly discardSeconds: number;
  readonly graceSeconds: number;
  readonly pileTake: "PILE_TAKE_TOP_MUST_MELD" | "PILE_TAKE_ANY_DEPTH";
  readonly partnerNeedsOpening: boolean;
  readonly releasedJokerMustBeLaid: boolean;
  readonly minReal: number;
  readonly twosInSets: boolean;
  readonly naturalTwoIsReal: boolean;
  readonly twoMove: "TWO_MOVE_DISPLACED_ONLY" | "TWO_MOVE_FREE";
  readonly maxReshuffles?: number;
  readonly unlimitedReshuffles?: boolean;
  readonly scoring: "SCORING_TEAM" | "SCORING_PERSONAL";
  readonly oneTurnBonus: boolean;
  readonly starter: "STARTER_RULE_DEALER_DRAW" | "STARTER_RULE_HOST_CUT";
  readonly tieRule: "TIE_RULE_LEVEL_PLAYS_ON" | "TIE_RULE_GAP_OVER_5";
  readonly format: "MATCH_FORMAT_SINGLE" | "MATCH_FORMAT_BEST_OF_3";
  readonly stakeCoins: number;
}

/** A preset and what differs from it, as a room is asked for. */
export type OptionChoices = { readonly preset: Preset } & Partial<Omit<RuleOptions, "preset">>;

/** The options that legality asks for (R4, R5.5). */
export type MeldOptions = Pick<RuleOptions, "minReal" | "twosInSets" | "naturalTwoIsReal">;
export type AmendOptions = MeldOptions & Pick<RuleOptions, "twoMove" | "partnerNeedsOpening">;

const SAHRAT: RuleOptions = {
  preset: "PRESET_SAHRAT",
  mode: "MODE_PARTNERS",
  target: 222,
  turnSeconds: 20,
  discardSeconds: 5,
  graceSeconds: 60,
  pileTake: "PILE_TAKE_TOP_MUST_MELD",
  partnerNeedsOpening: true,
  releasedJokerMustBeLaid: true,
  minReal: 2,
  twosInSets: true,
  naturalTwoIsReal: false,
  twoMove: "TWO_MOVE_DISPLACED_ONLY",
  unlimitedReshuffles: true,
  scoring: "SCORING_TEAM",
  oneTurnBonus: true,
  starter: "STARTER_RULE_DEALER_DRAW",
  tieRule: "TIE_RULE_LEVEL_PLAYS_ON",
  format: "MATCH_FORMAT_SINGLE",
  stakeCoins: 0,
};

const BANAKIL202: RuleOptions = {
  preset: "PRESET_BANAKIL202",
  mode: "MODE_PARTNERS",
  target: 202,
  turnSeconds: 40,
  discardSeconds: 5,
  graceSeconds: 60,
  pileTake: "PILE_TAKE_ANY_DEPTH",
  partnerNeedsOpening: false,
  releasedJokerMustBeLaid: false,
  minReal: 1,
  twosInSets: false,
  naturalTwoIsReal: true,
  twoMove: "TWO_MOVE_FREE",
  maxReshuffles: 2,
  scoring: "SCORING_PERSONAL",
  oneTurnBonus: false,
  starter: "STARTER_RULE_HOST_CUT",
  tieRule: "TIE_RULE_GAP_OVER_5",
  format: "MATCH_FORMAT_SINGLE",
  stakeCoins: 0,
};

/** A preset's options, to show before there is a table; a sahrat duel goes to 150 (R8.1). */
export function presetOptions(preset: Preset, mode: Mode = "MODE_PARTNERS"): RuleOptions {
  const base = preset === "PRESET_SAHRAT" ? SAHRAT : BANAKIL202;
  const target = mode === "MODE_DUEL" && preset === "PRESET_SAHRAT" ? 150 : base.target;
  return { ...base, mode, target };
}

export function seatCount(options: Pick<RuleOptions, "mode">): number {
  return options.mode === "MODE_DUEL" ? 2 : 4;
}
