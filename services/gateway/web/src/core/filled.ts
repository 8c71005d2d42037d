/** Messages as protobuf's JSON has them, with the defaults that it leaves out. */

export function filled<T extends object>(defaults: T, sent: unknown): T {
  return { ...defaults, ...(sent as Partial<T> | undefined) };
}

export function listOf<T>(sent: unknown, read: (one: unknown) => T): T[] {
  return ((sent as unknown[] | undefined) ?? []).map(read);
}
