/** What a player has in coins, and what moved it (wallet.proto). */

import { call, type Api, type Fetch } from "./api";
import { newId } from "./ids";
import type { RuleOptions } from "./options";
import type { TokenAnswer } from "./session";

export interface Wallet {
  readonly balance: number;
  /** With matches that are not settled. */
  readonly held: number;
  readonly named: boolean;
  readonly finished: number;
  /** Matches to finish before one may play for coins. */
  readonly needed: number;
  readonly daily: Daily | null;
}

export interface Daily {
  readonly available: boolean;
  readonly streakDays: number;
  readonly coins: number;
}

export const CAUSES = ["WELCOME", "DAILY", "FREE_WIN", "STAKE", "PRIZE", "FEE", "REFUND"] as const;
export type Cause = (typeof CAUSES)[number];

export interface Line {
  readonly atMs: number;
  /** `null`: a newer server's. */
  readonly cause: Cause | null;
  readonly coins: number;
  readonly after: number;
  readonly matchId: string;
}

export interface RoomLook {
  readonly options: RuleOptions;
  readonly freeSeats: number;
}

interface Settled {
  readonly cause?: string;
  readonly settledAtMs?: string;
}

type Sent = Readonly<Record<string, unknown>>;

/** The calls of a player about coins and the account. Each throws `ApiError`. */
export class Purse {
  constructor(
    private readonly api: Api,
    private readonly fetcher: Fetch = (path, init) => fetch(path, init),
  ) {}

  async wallet(): Promise<Wallet> {
    return readWallet(await this.api.ask<Sent>("GET", "/api/wallet"));
  }

  /** The bonus of the day: how many coins. */
  async claim(): Promise<number> {
    const answer = await this.api.ask<{ coins?: number }>("POST", "/api/wallet/daily", { commandId: newId() });
    return answer.coins ?? 0;
  }

  async statement(before = "0", size = 20): Promise<{ lines: readonly Line[]; before: string }> {
    const path = `/api/wallet/transfers?pageSize=${size}&before=${before}`;
    const answer = await this.api.ask<{ lines?: Sent[]; before?: string }>("GET", path);
    return { lines: (answer.lines ?? []).map(readLine), before: answer.before ?? "0" };
  }

  /** What became of a match's stakes; `null` as long as they are held. */
  async settlement(matchId: string): Promise<"paid" | "back" | null> {
    const path = `/api/settlements/${encodeURIComponent(matchId)}`;
    const { cause, settledAtMs = "0" } = await call<Settled>(this.fetcher, "GET", path);
    if (settledAtMs === "0") return null;
    return cause === "SETTLEMENT_CAUSE_WON" ? "paid" : "back";
  }

  /** What is played in the room with this code. */
  async lookUp(code: string): Promise<RoomLook> {
    const path = `/api/rooms/code/${encodeURIComponent(code)}`;
    const look = await this.api.ask<Partial<RoomLook> & Pick<RoomLook, "options">>("GET", path);
    return { freeSeats: 0, ...look };
  }

  /** Gives the player's account a name and a password. */
  nameAccount(username: string, password: string): Promise<TokenAnswer> {
    return this.api.ask("POST", "/api/account/name", { username, password });
  }

  changePassword(password: string, newPassword: string): Promise<TokenAnswer> {
    return this.api.ask("POST", "/api/account/password", { password, newPassword });
  }

  signIn(username: string, password: string): Promise<TokenAnswer> {
    return call(this.fetcher, "POST", "/api/sign-in", { username, password });
  }
}

export function readWallet(sent: Sent): Wallet {
  const daily = sent.daily as Partial<Daily> | undefined;
  return {
    balance: Number(sent.balanceCoins ?? 0),
    held: Number(sent.heldCoins ?? 0),
    named: sent.named === true,
    finished: Number(sent.matchesFinished ?? 0),
    needed: Number(sent.matchesNeeded ?? 0),
    daily: daily ? { available: false, streakDays: 0, coins: 0, ...daily } : null,
  };
}

export function readLine(sent: Sent): Line {
  const cause = CAUSES.find((name) => sent.cause === `TRANSFER_CAUSE_${name}`) ?? null;
  return {
    atMs: Number(sent.atMs ?? 0),
    cause,
    coins: Number(sent.coins ?? 0),
    after: Number(sent.balanceAfterCoins ?? 0),
    matchId: String(sent.matchId ?? ""),
  };
}
