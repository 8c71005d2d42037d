/** Signatures of the shuffle service (docs/fair.md, "Signatures"), and whose they are. */

import { joined, lp, tag, unhex, utf8, type Bytes } from "./bytes";
import { byFault, cannotCheck, signedPayloads, type Check } from "./checks";
import type { Attempt } from "./deal";
import type { Primitives } from "./primitives";

const KEY_BYTES = 32;
export const NO_KEY = "the signing key is not known here";
const NAMED_KEY = "it is that of the key named here; whether this is the published one is not in this file";

/** A signature is right, wrong, right by a key that only the file itself names, or by a key that is not at hand. */
export type Judged = "right" | "wrong" | "named" | "unknown";

/** The keys that are known to be the service's, by id: all of them, so that no other will do. */
export type KeyRing = ReadonlyMap<string, Bytes>;

export class SignatureJudge {
  constructor(
    private readonly by: Primitives,
    private readonly keys: KeyRing | null,
  ) {}

  async judge(keyId: string, what: string, payload: Bytes, signature: Bytes): Promise<Judged> {
    // A key's id is its public half in hex, so what does not fit it is found wrong without any list of keys.
    const named = unhex(keyId);
    const key = this.keys ? this.keys.get(keyId) : named?.length === KEY_BYTES ? named : undefined;
    if (!key) return this.keys ? "wrong" : "unknown";
    if (!(await this.by.signedBy(key, signature, signedBytes(what, payload)))) return "wrong";
    return this.keys ? "right" : "named";
  }

  /** The check of one signature. */
  async check(name: string, keyId: string, what: string, payload: Bytes, signature: Bytes): Promise<Check> {
    const judged = await this.judge(keyId, what, payload, signature);
    if (judged === "unknown") return cannotCheck(name, NO_KEY);
    if (judged === "named") return cannotCheck(name, NAMED_KEY);
    return byFault(name, judged === "wrong" ? "the signature is not of this" : null);
  }

  /** One check for each signature that an attempt should have, and for any other that it has. */
  async ofAttempt(attempt: Attempt, transcript: Bytes | null, prefix: string): Promise<Check[]> {
    const { signatures } = attempt;
    const payloads = signedPayloads(attempt, transcript);
    const names = [...new Set([...payloads.keys(), ...(signatures?.of.keys() ?? [])])].sort();
    const checks: Check[] = [];
    for (const what of names) {
      const name = `${prefix}signature.${what}`;
      const payload = payloads.get(what);
      const signature = signatures?.of.get(what);
      if (!signatures || !signature) checks.push(cannotCheck(name, "it is not in this file"));
      else if (!payload) checks.push(cannotCheck(name, "what it signs is not in this file"));
      else checks.push(await this.check(name, signatures.key, what, payload, signature));
    }
    return checks;
  }
}

export function signedBytes(what: string, payload: Bytes): Bytes {
  return joined(tag("signed"), lp(utf8(what)), payload);
}
