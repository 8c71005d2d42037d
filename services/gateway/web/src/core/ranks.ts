/** Who plays best (leaderboards.proto): boards, the player's own place, one player's ratings. */

import type { Api } from "./api";
import type { Mode, Preset } from "./options";

export type Board = "BOARD_SEASON" | "BOARD_ALL_TIME" | "BOARD_FRIENDS";

export interface Entry {
  /** 0: too far down to be counted. */
  readonly rank: number;
  readonly accountId: string;
  readonly displayName: string;
  readonly points: number;
  readonly played: number;
  readonly won: number;
}

export interface Standing {
  readonly entries: readonly Entry[];
  readonly ownIndex: number;
  /** Rated matches until one is on the board. */
  readonly matchesNeeded: number;
}

export interface Rating {
  readonly preset: Preset;
  readonly mode: Mode;
  /** 0: of all time. */
  readonly season: number;
  readonly points: number;
  readonly played: number;
  readonly won: number;
  readonly matchesNeeded: number;
}

/** Matches won in a row by one rule set and mode; below zero, lost. */
export interface Streak {
  readonly preset: Preset;
  readonly mode: Mode;
  readonly streak: number;
  readonly bestStreak: number;
}

export interface Partner {
  readonly accountId: string;
  readonly displayName: string;
  readonly played: number;
  readonly won: number;
}

export interface Profile {
  /** Of all time. */
  readonly ratings: readonly Rating[];
  readonly streaks: readonly Streak[];
  /** Those with most matches first. */
  readonly partners: readonly Partner[];
}

const PARTNERS = 3;
const ENTRY: Entry = { rank: 0, accountId: "", displayName: "", points: 0, played: 0, won: 0 };
const PARTNER: Partner = { accountId: "", displayName: "", played: 0, won: 0 };
const RATING = { season: 0, points: 0, played: 0, won: 0, matchesNeeded: 0 };

type Sent<T extends { preset: Preset; mode: Mode }> = Partial<T> & Pick<T, "preset" | "mode">;

/** Each call throws `ApiError`. */
export class Ranks {
  constructor(private readonly api: Api) {}

  async board(
    board: Board,
    preset: Preset,
    mode: Mode,
    page = "",
  ): Promise<{ entries: readonly Entry[]; next: string }> {
    const query = new URLSearchParams({ board, preset, mode, pageSize: "20", ...(page ? { pageToken: page } : {}) });
    const answer = await this.api.ask<{ entries?: Partial<Entry>[]; nextPageToken?: string }>(
      "GET",
      `/api/leaderboard?${query}`,
    );
    return { entries: (answer.entries ?? []).map(readEntry), next: answer.nextPageToken ?? "" };
  }

  async standing(board: Board, preset: Preset, mode: Mode): Promise<Standing> {
    const query = new URLSearchParams({ board, preset, mode });
    const answer = await this.api.ask<Partial<Standing>>("GET", `/api/leaderboard/standing?${query}`);
    return { ownIndex: 0, matchesNeeded: 0, ...answer, entries: (answer.entries ?? []).map(readEntry) };
  }

  async profile(accountId: string): Promise<Profile> {
    const path = `/api/players/${encodeURIComponent(accountId)}`;
    const [{ ratings = [] }, { stats = [] }, { partners = [] }] = await Promise.all([
      this.api.ask<{ ratings?: Sent<Rating>[] }>("GET", `${path}/rating`),
      this.api.ask<{ stats?: Sent<Streak>[] }>("GET", `${path}/stats`),
      this.api.ask<{ partners?: Partial<Partner>[] }>("GET", `${path}/partners?limit=${PARTNERS}`),
    ]);
    return {
      ratings: ratings.map((rating) => ({ ...RATING, ...rating })).filter(({ season }) => !season),
      streaks: stats.map(({ preset, mode, streak = 0, bestStreak = 0 }) => ({ preset, mode, streak, bestStreak })),
      partners: partners.map((partner) => ({ ...PARTNER, ...partner })),
    };
  }

  async follow(accountId: string, follows: boolean): Promise<void> {
    await this.api.ask("POST", `/api/players/${encodeURIComponent(accountId)}/${follows ? "follow" : "unfollow"}`, {});
  }

  /** The accounts that the player follows. */
  async followed(): Promise<ReadonlySet<string>> {
    const { followed = [] } = await this.api.ask<{ followed?: { accountId?: string }[] }>("GET", "/api/followed");
    return new Set(followed.map(({ accountId = "" }) => accountId));
  }
}

function readEntry(sent: Partial<Entry>): Entry {
  return { ...ENTRY, ...sent };
}
