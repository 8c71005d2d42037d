/** What people at a table may say to each other (docs/socket.md): the list that the table service goes by. */

import listed from "../../../../../shared/codec/phrases.json";

export interface Phrase {
  /** What travels. */
  readonly id: string;
  readonly kind: "phrase" | "reaction";
  readonly ar: string;
  readonly en: string;
  /** A reaction's one emoji. */
  readonly sign?: string;
}

export const PHRASES = listed as readonly Phrase[];

const byId: ReadonlyMap<string, Phrase> = new Map(PHRASES.map((phrase) => [phrase.id, phrase]));

/** The phrase of an id, or `null` for one that this page is too old to know. */
export function phraseOf(id: string): Phrase | null {
  return byId.get(id) ?? null;
}
