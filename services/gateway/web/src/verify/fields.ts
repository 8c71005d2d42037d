/** Reading JSON values whose kind is known: whatever is of another kind is refused, with the field's name. */

import { isCard, type Card } from "../core/cards";
import { FairError, LONGEST, unhex, type Bytes } from "./bytes";
import type { Json, JsonObject } from "./json";

/** An object with the required fields, and none besides the optional ones (`null`: any others too). */
export function asObject(
  value: Json | undefined,
  what: string,
  required: readonly string[],
  optional: readonly string[] | null,
): JsonObject {
  if (!(value instanceof Map)) throw new FairError(what, "is not an object");
  const fields: JsonObject = value;
  for (const name of required) if (!fields.has(name)) throw new FairError(what, `has no ${name}`);
  if (optional) {
    const known = new Set([...required, ...optional]);
    for (const name of fields.keys()) {
      if (!known.has(name)) throw new FairError(what, "has a field that is not known");
    }
  }
  return fields;
}

export function asList(value: Json | undefined, what: string, most: number): readonly Json[] {
  if (!Array.isArray(value)) throw new FairError(what, "is not a list");
  if (value.length > most) throw new FairError(what, `has more than ${most} entries`);
  return value as readonly Json[];
}

/** A whole number within bounds that a number holds exactly. */
export function asWhole(value: Json | undefined, what: string, least: number, most: number): number {
  if (typeof value !== "number") throw new FairError(what, "is not a whole number within bounds");
  if (value < least || value > most) throw new FairError(what, `is not ${least}..${most}`);
  return value;
}

export function asText(value: Json | undefined, what: string): string {
  if (typeof value !== "string") throw new FairError(what, "is not a string");
  return value;
}

/** The bytes of lower-case hex; with `lengths`, of one of those lengths only. */
export function asBytes(value: Json | undefined, what: string, ...lengths: readonly number[]): Bytes {
  const bytes = unhex(asText(value, what));
  if (!bytes) throw new FairError(what, "is not lower-case hex without blanks");
  if (bytes.length > LONGEST) throw new FairError(what, "is too long");
  if (lengths.length && !lengths.includes(bytes.length)) {
    throw new FairError(what, `has ${bytes.length} bytes, not ${lengths.join(" or ")}`);
  }
  return bytes;
}

export function asCards(value: Json | undefined, what: string, most: number): Card[] {
  return asList(value, what, most).map((code) => {
    if (typeof code !== "string" || !isCard(code)) throw new FairError(what, "has an entry that is not a card");
    return code;
  });
}
