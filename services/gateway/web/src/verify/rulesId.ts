/** A table's options as a record gives them (docs/rules.md, "Options"), and the rules id that follows from them. */

import type { AmendOptions } from "../core/options";
import { FairError, hex, utf8 } from "./bytes";
import type { StarterRule } from "./draws";
import { asObject } from "./fields";
import type { Json } from "./json";
import type { Primitives } from "./primitives";

type Value = boolean | number | string | null;

const PRESETS: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  sahrat: {
    mode: "partners",
    target: 222,
    turn_seconds: 20,
    discard_seconds: 5,
    grace_seconds: 60,
    pile_take: "top_must_meld",
    partner_needs_opening: true,
    released_joker_must_be_laid: true,
    min_real: 2,
    twos_in_sets: true,
    natural_two_is_real: false,
    two_move: "displaced_only",
    max_reshuffles: null,
    scoring: "team",
    one_turn_bonus: true,
    starter: "dealer_draw",
    tie_rule: "level_plays_on",
    format: "single",
    stake: 0,
  },
  banakil202: {
    mode: "partners",
    target: 202,
    turn_seconds: 40,
    discard_seconds: 5,
    grace_seconds: 60,
    pile_take: "any_depth",
    partner_needs_opening: false,
    released_joker_must_be_laid: false,
    min_real: 1,
    twos_in_sets: false,
    natural_two_is_real: true,
    two_move: "free",
    max_reshuffles: 2,
    scoring: "personal",
    one_turn_bonus: false,
    starter: "host_cut",
    tie_rule: "gap_over_5",
    format: "single",
    stake: 0,
  },
};
const SAHRAT_DUEL_TARGET = 150;
const HASH_DIGITS = 16;

const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  target: [50, 1000],
  turn_seconds: [5, 300],
  discard_seconds: [3, 30],
  grace_seconds: [0, 600],
  min_real: [1, 2],
  max_reshuffles: [0, 20],
  stake: [0, 1_000_000],
};
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  mode: ["partners", "duel"],
  pile_take: ["top_must_meld", "any_depth"],
  two_move: ["displaced_only", "free"],
  scoring: ["team", "personal"],
  starter: ["dealer_draw", "host_cut"],
  tie_rule: ["level_plays_on", "gap_over_5"],
  format: ["single", "best_of_3"],
};

/** The options of a table, as far as a deal's checks and the way of its cards depend on them. */
export interface TableOptions extends AmendOptions {
  readonly preset: string;
  readonly seats: number;
  readonly starter: StarterRule;
  readonly single: boolean;
  readonly target: number;
  readonly personalScoring: boolean;
  readonly oneTurnBonus: boolean;
  /** Level at the top goes on, and any lead decides (R8.1); else a gap over 5 does (R8.2). */
  readonly levelPlaysOn: boolean;
  readonly topMustMeld: boolean;
  readonly releasedJokerMustBeLaid: boolean;
  /** `null`: no limit. */
  readonly maxReshuffles: number | null;
  /** What differs from the preset, `mode` aside: what the rules id is made of. */
  readonly changed: Readonly<Record<string, Value>>;
}

/** Reads `options` of a record. Throws `FairError` for an unknown name or a value out of its range. */
export function readOptions(value: Json | undefined): TableOptions {
  const fields = asObject(value, "options", ["preset"], null);
  const preset = fields.get("preset");
  const base = typeof preset === "string" && Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
  if (typeof preset !== "string" || !base) throw new FairError("options.preset", "is not a preset");
  const given = [...fields].filter(([name]) => name !== "preset").map(([name, value]) => [name, checked(name, value)]);
  const chosen = Object.fromEntries(given) as Record<string, Value>;
  const isDuel = chosen.mode === "duel";
  const compared = isDuel && preset === "sahrat" ? { ...base, target: SAHRAT_DUEL_TARGET } : base;
  const all = { ...compared, ...chosen };
  return {
    preset,
    seats: isDuel ? 2 : 4,
    starter: all.starter as StarterRule,
    single: all.format === "single",
    target: all.target as number,
    personalScoring: all.scoring === "personal",
    oneTurnBonus: all.one_turn_bonus === true,
    levelPlaysOn: all.tie_rule === "level_plays_on",
    topMustMeld: all.pile_take === "top_must_meld",
    releasedJokerMustBeLaid: all.released_joker_must_be_laid === true,
    partnerNeedsOpening: all.partner_needs_opening === true,
    maxReshuffles: all.max_reshuffles as number | null,
    minReal: all.min_real as number,
    twosInSets: all.twos_in_sets === true,
    naturalTwoIsReal: all.natural_two_is_real === true,
    twoMove: all.two_move === "free" ? "TWO_MOVE_FREE" : "TWO_MOVE_DISPLACED_ONLY",
    changed: Object.fromEntries(
      Object.entries(chosen).filter(([name, value]) => name !== "mode" && value !== compared[name]),
    ),
  };
}

function checked(name: string, value: Json): Value {
  const what = `options.${name.slice(0, 40)}`;
  const choices = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (choices) {
    if (typeof value === "string" && choices.includes(value)) return value;
    throw new FairError(what, `is not one of ${choices.join(", ")}`);
  }
  const range = Object.hasOwn(RANGES, name) ? RANGES[name] : undefined;
  if (range) {
    if (name === "max_reshuffles" && value === null) return null;
    const [least, most] = range;
    if (typeof value === "number" && value >= least && value <= most && (name !== "stake" || value % 5 === 0)) {
      return value;
    }
    throw new FairError(what, `is not a whole number ${least}..${most}`);
  }
  if (!Object.hasOwn(PRESETS.sahrat!, name)) throw new FairError("options", `has no ${name.slice(0, 40)}`);
  if (typeof value !== "boolean") throw new FairError(what, "is not true or false");
  return value;
}

/** The rules id of a preset with these options changed. */
export async function rulesId(
  by: Primitives,
  preset: string,
  changed: Readonly<Record<string, Value>>,
): Promise<string> {
  const names = Object.keys(changed).sort();
  if (names.length === 0) return preset;
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, changed[name]])));
  return `${preset}+${hex(await by.sha256(utf8(text))).slice(0, HASH_DIGITS)}`;
}

/** Whether a text has the form of a rules id. */
export function isRulesId(text: string): boolean {
  const [preset, digits, ...more] = text.split("+");
  if (preset === undefined || !Object.hasOwn(PRESETS, preset) || more.length) return false;
  return digits === undefined || new RegExp(`^[0-9a-f]{${HASH_DIGITS}}$`).test(digits);
}
