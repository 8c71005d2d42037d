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

const ENTRY: Entry = { rank: 0, accountId: "", displayName: "", points: 0, played: 0, won: 0 };
const RATING = { season: 0, points: 0, played: 0, won: 0, matchesNeeded: 0 };

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

  async ratings(accountId: string): Promise<readonly Rating[]> {
    const path = `/api/players/${encodeURIComponent(accountId)}/rating`;
    const { ratings = [] } = await this.api.ask<{
      ratings?: (Partial<Rating> & Pick<Rating, "preset" | "mode">)[];
    }>("GET", path);
    return ratings.map((rating) => ({ ...RATING, ...rating }));
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
