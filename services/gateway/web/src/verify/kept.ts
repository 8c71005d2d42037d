/**
 * What this browser kept while it played (`core/witness.ts`): for each deal what it saw of the attempt that was played,
 * and in `earlier` of those before. Anybody may have written it, so it is read as strictly as a file.
 */

import { FairError, unhex, type Bytes } from "./bytes";
import { cannotCheck, fails, type Check } from "./checks";
import type { Context, Witness } from "./deal";
import { readWitness } from "./fairJson";
import { asList, asObject } from "./fields";
import type { Json } from "./json";
import type { KeyRing } from "./signatures";

const MOST_EARLIER = 8;
const NOTHING: Kept = { witnesses: [], keys: null, checks: [] };

export interface Kept {
  readonly witnesses: readonly Witness[];
  /** The keys that signed before this browser's eyes. */
  readonly keys: KeyRing | null;
  /** What there is to say of it before it is compared. */
  readonly checks: readonly Check[];
}

export function readKept(value: Json, ctx: Context): Kept {
  try {
    const fields = asObject(value, "witness", ["witness"], null);
    const earlier = fields.has("earlier") ? asList(fields.get("earlier"), "witness.earlier", MOST_EARLIER) : [];
    const all = [...earlier, value].map((one) => asObject(one, "witness", ["witness"], null));
    const keys = all.flatMap((one) => keyOf(one.get("key")));
    const witnesses = all.map((one) => {
      // The attempt is told beside the witness, for a witness of the one that was played leaves it out.
      const told = asObject(one.get("witness"), "witness", [], null);
      return readWitness(one.has("attempt") ? new Map([...told, ["attempt", one.get("attempt")!]]) : told, ctx);
    });
    const checks = all.some((one) => one.has("fault"))
      ? [fails("witness.seen", "something of it did not agree when this browser saw it")]
      : [];
    return { witnesses: witnesses.filter(saysMore), keys: keys.length ? new Map(keys) : null, checks };
  } catch (error) {
    if (!(error instanceof FairError)) throw error;
    // This browser saw a later attempt than the deal is said to have had.
    const isLater = error.what === "witness.attempt";
    return { ...NOTHING, checks: [isLater ? fails(error.what, error.detail) : cannotCheck("witness", error.message)] };
  }
}

function keyOf(value: Json | undefined): [string, Bytes][] {
  const key = typeof value === "string" ? unhex(value) : null;
  return typeof value === "string" && key?.length === 32 ? [[value, key]] : [];
}

/** Whether it has anything besides where its player sat. */
function saysMore({ c, closed, transcript, hand, receiptH, receiptC }: Witness): boolean {
  return [c, closed, transcript, hand, receiptH, receiptC].some((part) => part !== null);
}
