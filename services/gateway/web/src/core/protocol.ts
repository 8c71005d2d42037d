/** The browser's protocol (docs/socket.md): what travels on the socket, and the messages of the lobby. */

import type { Card } from "./cards";
import type { OptionChoices, Mode, Preset, RuleOptions } from "./options";
import type { Cards } from "./views";

export const PROTOCOL = 1;
/** Frames from a client may have so many characters. */
export const MOST_FRAME_CHARS = 16 * 1024;

/** One action of the player's own seat (actions.proto); exactly one verb. */
export type Action =
  | { readonly draw: Record<string, never> }
  | { readonly take: { readonly count: number } }
  | { readonly passTurn: Record<string, never> }
  | { readonly meld: { readonly melds: readonly Cards[] } }
  | { readonly amend: { readonly meldId: number; readonly cards: readonly Card[] } }
  | { readonly undo: Record<string, never> }
  | { readonly discard: { readonly card: Card } };

export type ActFrame = {
  readonly t: "act";
  readonly commandId: string;
  readonly tableId: string;
  readonly matchId: string;
  readonly dealNo: number;
  readonly turnNo: number;
  readonly action: Action;
};

/** What a seat adds to a shuffle: its promise, what it promised, or the host's cut. */
export type Contribution = { readonly hHex: string } | { readonly cHex: string } | { readonly cut: number };

export type ContributeFrame = {
  readonly t: "contribute";
  readonly commandId: string;
  readonly tableId: string;
  readonly matchId: string;
  readonly dealNo: number;
  readonly attempt: number;
} & Contribution;

/** What a player wishes that is no play of cards (wishes.proto); exactly one. */
export type Wish =
  | { readonly leave: Record<string, never> }
  | { readonly swap: Record<string, never> }
  | { readonly pause: Record<string, never> }
  | { readonly endPause: Record<string, never> };

export type ClientFrame =
  | { readonly t: "hello"; readonly protocol: number; readonly ticket: string }
  | { readonly t: "watch"; readonly tableId: string; readonly lastRevision: number }
  | { readonly t: "spectate"; readonly tableId: string; readonly lastRevision: number }
  | { readonly t: "watchRoom"; readonly roomId: string }
  | { readonly t: "unwatch" }
  | ActFrame
  | ContributeFrame
  | ({ readonly t: "ask"; readonly commandId: string; readonly tableId: string } & Wish)
  | { readonly t: "say"; readonly commandId: string; readonly tableId: string; readonly phraseId: string }
  | { readonly t: "hints"; readonly tableId: string; readonly n: number }
  | { readonly t: "ping"; readonly n: number };

/** Who says what: a phrase or reaction of the list (phrases.ts). */
export interface Said {
  readonly seat: number;
  readonly phraseId: string;
}

/** An `update`: a snapshot, a delta, a sign of life, or what somebody says. Its contents are read by reducer.ts. */
export interface Update {
  readonly serverNowMs: string;
  readonly remainingMs?: number;
  readonly ceremonyRemainingMs?: number;
  /** How many look on; told with snapshots alone, and by each `pong`. */
  readonly spectators?: number;
  readonly snapshot?: unknown;
  readonly delta?: SentDelta;
  readonly heartbeat?: { readonly headRevision?: number };
  readonly said?: Partial<Said>;
}

export interface SentDelta {
  readonly revision?: number;
  readonly turnNo?: number;
  readonly duties?: readonly Card[];
  readonly events?: readonly SentEvent[];
}

/** One event, by its name; its body is read by reducer.ts and moves.ts. */
export type SentEvent = { readonly [name: string]: unknown };

export interface Hints {
  readonly best: { readonly melds: readonly Cards[]; readonly halfPoints: number; readonly leftCount: number };
  readonly melds: readonly Cards[];
  readonly layoffs: readonly { readonly meldId: number; readonly cards: readonly Card[] }[];
  readonly jokers: readonly { readonly meldId: number; readonly card: Card }[];
  readonly take: boolean;
}

export type ServerFrame =
  | { readonly t: "welcome"; readonly protocol: number; readonly accountId: string; readonly serverNowMs: string }
  | ({ readonly t: "update"; readonly tableId: string } & Update)
  | { readonly t: "room"; readonly room: unknown }
  | { readonly t: "done"; readonly commandId: string; readonly revision?: number }
  | {
      readonly t: "refused";
      readonly commandId?: string;
      readonly n?: number;
      readonly code: string;
      readonly message?: string;
      readonly retryAfterMs?: number;
    }
  | { readonly t: "hints"; readonly n: number; readonly revision: number; readonly hints?: unknown }
  | {
      readonly t: "pong";
      readonly n: number;
      readonly serverNowMs: string;
      readonly headRevision?: number;
      readonly spectators?: number;
    }
  | { readonly t: "ended"; readonly tableId?: string; readonly roomId?: string; readonly code: string }
  | { readonly t: "bye"; readonly code: string };

/** The frame that a text holds; `null` for what is none of ours (a newer server's kinds are left alone). */
export function readFrame(text: string): ServerFrame | null {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === "object" && frame !== null && "t" in frame ? (frame as ServerFrame) : null;
  } catch {
    return null;
  }
}

export function readHints(sent: unknown): Hints {
  const hints = (sent ?? {}) as Partial<Hints>;
  return {
    best: { melds: [], halfPoints: 0, leftCount: 0, ...hints.best },
    melds: hints.melds ?? [],
    layoffs: hints.layoffs ?? [],
    jokers: hints.jokers ?? [],
    take: hints.take ?? false,
  };
}

// The lobby.

export interface RoomSeat {
  readonly seat: number;
  readonly accountId: string;
  readonly displayName: string;
  readonly bot: boolean;
}

export interface Room {
  readonly roomId: string;
  /** Empty in quick play. */
  readonly code: string;
  readonly state: "ROOM_STATE_UNSPECIFIED" | "ROOM_STATE_WAITING" | "ROOM_STATE_STARTED" | "ROOM_STATE_CLOSED";
  readonly options: RuleOptions;
  readonly hostAccountId: string;
  readonly seats: readonly RoomSeat[];
  readonly remainingMs?: number;
  /** Empty until it has become a table. */
  readonly tableId: string;
}

const ROOM = { roomId: "", code: "", state: "ROOM_STATE_UNSPECIFIED" as const, hostAccountId: "", tableId: "" };

export function readRoom(sent: unknown): Room {
  const room = { ...ROOM, ...(sent as Partial<Room>) } as Room;
  const seats = (room.seats ?? []).map((seat) => ({
    ...{ seat: 0, accountId: "", displayName: "", bot: false },
    ...seat,
  }));
  return { ...room, seats };
}

export interface LiveTable {
  readonly tableId: string;
  readonly seat: number;
  readonly options: RuleOptions;
  readonly createdAtMs: string;
}

export interface HistoryMatch {
  readonly matchId: string;
  readonly preset: Preset;
  readonly mode: Mode;
  readonly seats: readonly { readonly accountId?: string; readonly displayName?: string }[];
  readonly seat: number;
  readonly totalHalfPoints: readonly number[];
  readonly winnerTeam: number;
  readonly endedAtMs: string;
}

export interface Account {
  readonly accountId: string;
  readonly displayName: string;
  /** Empty, or absent, for a guest. */
  readonly username?: string;
}

export interface PlayerToken {
  readonly jwt: string;
  readonly expiresAtMs: string;
}

export type { OptionChoices };
