/** Who plays: a guest account in one tap, kept by this browser, and its tokens. */

import { ApiError, call, type Fetch, type Tickets } from "./api";
import type { Account, PlayerToken } from "./protocol";
import type { Keeper } from "./storage";

export const MOST_NAME_CHARS = 24;
const KEPT = "account";
/** A token with less left than this is not begun with. */
const SPARE_MS = 60_000;
/** A token is renewed once so much of its life is over. */
const RENEW_AT = 0.75;
/** Longest that a timer is set for. */
const MOST_FRESH_MS = 24 * 3600 * 1000;

interface KeptAccount extends Account {
  readonly refreshSecret: string;
}

interface HeldToken {
  readonly jwt: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

export type TokenAnswer = {
  readonly account?: Partial<Account>;
  readonly token?: PlayerToken;
  readonly refreshSecret?: string;
};

/** One browser's player. Tokens stay in memory; what proves the account is kept. */
export class Session implements Tickets {
  private token: HeldToken | null = null;
  private renewing: Promise<string> | null = null;

  constructor(
    private readonly keeper: Keeper,
    private readonly fetcher: Fetch = (path, init) => fetch(path, init),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The account, or `null` before the first tap. */
  get account(): Account | null {
    const kept = this.kept();
    return kept && accountOf(kept);
  }

  /** Makes a guest account with this name, 1..24 characters. Throws `ApiError`. */
  async signUp(displayName: string): Promise<Account> {
    const name = [...displayName.trim()].slice(0, MOST_NAME_CHARS).join("");
    return this.adopt(await call<TokenAnswer>(this.fetcher, "POST", "/api/guest", { displayName: name }));
  }

  /** Plays as the account of the answer: a new one, another one signed in to, or the same with a name. */
  adopt({ account, token, refreshSecret }: TokenAnswer): Account {
    const kept = { ...this.kept(), ...account, ...(refreshSecret ? { refreshSecret } : {}) } as KeptAccount;
    this.keeper.set(KEPT, kept);
    this.hold(token);
    return accountOf(kept);
  }

  /** Forgets the account in this browser; nobody can come back to it from here. */
  forget(): void {
    this.keeper.remove(KEPT);
    this.token = null;
  }

  async ticket(): Promise<string> {
    const token = this.token;
    return token && this.now() < token.endsAt - SPARE_MS && this.now() < token.renewAt ? token.jwt : this.renew();
  }

  /** Throws `ApiError`: `CREDENTIAL_INVALID` where the account is unknown by now, and then it is forgotten. */
  async renew(): Promise<string> {
    this.renewing ??= this.fetchToken().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  freshForMs(): number {
    return Math.min(MOST_FRESH_MS, Math.max(0, (this.token?.renewAt ?? 0) - this.now()));
  }

  private async fetchToken(): Promise<string> {
    const kept = this.kept();
    if (!kept) throw new ApiError("NO_TOKEN", 401);
    try {
      const { accountId, refreshSecret } = kept;
      const answer = await call<TokenAnswer>(this.fetcher, "POST", "/api/token", { accountId, refreshSecret });
      return this.hold(answer.token);
    } catch (error) {
      if (error instanceof ApiError && error.code === "CREDENTIAL_INVALID") this.forget();
      throw error;
    }
  }

  private hold(token: PlayerToken | undefined): string {
    if (!token?.jwt) throw new ApiError("BAD_TOKEN", 401);
    const lifeMs = lifetimeMs(token.jwt) ?? 2 * SPARE_MS;
    const now = this.now();
    this.token = { jwt: token.jwt, endsAt: now + lifeMs, renewAt: now + lifeMs * RENEW_AT };
    return token.jwt;
  }

  private kept(): KeptAccount | null {
    const kept = this.keeper.get<Partial<KeptAccount>>(KEPT);
    const { accountId, refreshSecret, displayName = "", username } = kept ?? {};
    return typeof accountId === "string" && typeof refreshSecret === "string" && accountId && refreshSecret
      ? { accountId, refreshSecret, displayName, ...(username ? { username } : {}) }
      : null;
  }
}

function accountOf({ refreshSecret: _, ...account }: KeptAccount): Account {
  return account;
}

/** How long a token lives by what it says itself, so that a device's wrong clock changes nothing. */
function lifetimeMs(jwt: string): number | null {
  try {
    const claims = JSON.parse(atob((jwt.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/"))) as {
      iat?: unknown;
      exp?: unknown;
    };
    return typeof claims.iat === "number" && typeof claims.exp === "number" ? (claims.exp - claims.iat) * 1000 : null;
  } catch {
    return null;
  }
}
