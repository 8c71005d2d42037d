/** What the browser keeps: JSON under our own names. Where it keeps nothing, as in some private windows, memory does. */

export interface Keeper {
  /** What was kept, or `null`; unchecked, since anybody may have written it. */
  get<T>(name: string): T | null;
  set(name: string, value: unknown): void;
  remove(name: string): void;
  /** The names that begin so, in no order. */
  names(start: string): string[];
}

const PREFIX = "banakil.";

/** Keeps in a Storage, and besides in memory. */
export function storageKeeper(storage: () => Storage): Keeper {
  const memory = new Map<string, string>();
  const quietly = <T>(action: (store: Storage) => T): T | null => {
    try {
      return action(storage());
    } catch {
      return null;
    }
  };
  return {
    get<T>(name: string): T | null {
      const text = quietly((store) => store.getItem(PREFIX + name)) ?? memory.get(name);
      try {
        return text === undefined ? null : (JSON.parse(text) as T);
      } catch {
        return null;
      }
    },
    set(name, value) {
      const text = JSON.stringify(value);
      memory.set(name, text);
      quietly((store) => store.setItem(PREFIX + name, text));
    },
    remove(name) {
      memory.delete(name);
      quietly((store) => store.removeItem(PREFIX + name));
    },
    names(start) {
      const kept = quietly((store) => Array.from({ length: store.length }, (_, at) => store.key(at) ?? "")) ?? [];
      const own = kept.filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
      return [...new Set([...own, ...memory.keys()])].filter((name) => name.startsWith(start));
    },
  };
}

/** Keeps in memory alone. */
export function memoryKeeper(): Keeper {
  return storageKeeper(() => {
    throw new Error("no storage");
  });
}

/** Over visits: account, settings, the order of the hand. */
export function lastingKeeper(): Keeper {
  return storageKeeper(() => localStorage);
}

/** Over reloads of this tab: the tray. */
export function tabKeeper(): Keeper {
  return storageKeeper(() => sessionStorage);
}
