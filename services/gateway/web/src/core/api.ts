/** The gateway's JSON API (docs/socket.md). */

import { newId } from "./ids";
import { readRoom, type HistoryMatch, type LiveTable, type OptionChoices, type Room } from "./protocol";
import type { Mode, Preset } from "./options";

/** A refusal, or `OFFLINE` where no answer came. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly retryAfterMs: number | undefined = undefined,
  ) {
    super(code);
  }
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** One call; throws `ApiError`. */
export async function call<T>(
  fetcher: Fetch,
  verb: "GET" | "POST",
  path: string,
  body?: object,
  jwt?: string,
): Promise<T> {
  const headers: Record<string, string> = {};
  if (body) headers["content-type"] = "application/json";
  if (jwt) headers.authorization = `Bearer ${jwt}`;
  const init: RequestInit = { method: verb, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  let response: Response;
  try {
    response = await fetcher(path, init);
  } catch {
    throw new ApiError("OFFLINE", 0);
  }
  const answer = (await response.json().catch(() => null)) as
    (T & { error?: { code?: string; retryAfterMs?: number } }) | null;
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  throw new ApiError(
    error?.code ?? (response.status >= 500 ? "DEPENDENCY_AWAY" : "BAD_REQUEST"),
    response.status,
    error?.retryAfterMs,
  );
}

/** Who has tokens: session.ts. */
export interface Tickets {
  /** A token that holds for a while. Throws `ApiError`. */
  ticket(): Promise<string>;
  /** A fresh token, the one before having been refused. Throws `ApiError`. */
  renew(): Promise<string>;
  /** Milliseconds until a fresh token should be fetched. */
  freshForMs(): number;
}

const STALE_TICKET = new Set(["TOKEN_EXPIRED", "BAD_TOKEN", "NO_TOKEN"]);

export function isStaleTicket(code: string): boolean {
  return STALE_TICKET.has(code);
}

export interface WhereToGoOn {
  readonly tables: readonly LiveTable[];
  readonly room: Room | null;
}

/** The calls of a player. Each throws `ApiError`. */
export class Api {
  constructor(
    private readonly tickets: Tickets,
    private readonly fetcher: Fetch = (path, init) => fetch(path, init),
  ) {}

  /** Sits down at the first free table of the kind; with house bots at once. */
  async quickPlay(preset: Preset, mode: Mode, withHouseBots: boolean, stakeCoins = 0, botLevel = 0): Promise<Room> {
    return this.room("/api/quick-play", { commandId: newId(), preset, mode, withHouseBots, stakeCoins, botLevel });
  }

  async createRoom(options: OptionChoices): Promise<Room> {
    return this.room("/api/rooms", { commandId: newId(), options });
  }

  /** For the stake that the player has agreed to. */
  async joinRoom(code: string, stakeCoins = 0): Promise<Room> {
    return this.room("/api/rooms/join", { code, stakeCoins });
  }

  /** Another game with those who played at a table. */
  async playAgain(tableId: string): Promise<Room> {
    return this.room(`/api/tables/${encodeURIComponent(tableId)}/again`, {});
  }

  /** Begins, with house bots in the seats that are free. */
  async startRoom(roomId: string, botLevel = 0): Promise<Room> {
    return this.room(`/api/rooms/${encodeURIComponent(roomId)}/start`, { botLevel });
  }

  async leaveRoom(roomId: string): Promise<void> {
    await this.ask("POST", `/api/rooms/${encodeURIComponent(roomId)}/leave`, {});
  }

  /** Live tables, the newest first, and the room where the player waits. */
  async whereToGoOn(): Promise<WhereToGoOn> {
    const answer = await this.ask<{ tables?: (Partial<LiveTable> & { tableId: string })[]; room?: unknown }>(
      "GET",
      "/api/tables",
    );
    const tables = (answer.tables ?? []).map((table) => ({ seat: 0, createdAtMs: "0", ...table }) as LiveTable);
    return { tables, room: answer.room ? readRoom(answer.room) : null };
  }

  async history(pageToken = ""): Promise<{ matches: readonly HistoryMatch[]; nextPageToken: string }> {
    const query = pageToken ? `?pageToken=${encodeURIComponent(pageToken)}` : "";
    const answer = await this.ask<{ matches?: Partial<HistoryMatch>[]; nextPageToken?: string }>(
      "GET",
      `/api/history${query}`,
    );
    const matches = (answer.matches ?? []).map(
      (match) => ({ seat: 0, winnerTeam: 0, seats: [], ...match }) as HistoryMatch,
    );
    return { matches, nextPageToken: answer.nextPageToken ?? "" };
  }

  private async room(path: string, body: object): Promise<Room> {
    return readRoom((await this.ask<{ room: unknown }>("POST", path, body)).room);
  }

  /** All POSTs here may be sent again: with the same command id or by their nature, they count once. */
  async ask<T>(verb: "GET" | "POST", path: string, body?: object): Promise<T> {
    const jwt = await this.tickets.ticket();
    try {
      return await call<T>(this.fetcher, verb, path, body, jwt);
    } catch (error) {
      if (error instanceof ApiError && isStaleTicket(error.code)) {
        return call<T>(this.fetcher, verb, path, body, await this.tickets.renew());
      }
      if (error instanceof ApiError && error.code === "OFFLINE") return call<T>(this.fetcher, verb, path, body, jwt);
      throw error;
    }
  }
}
