/** The player's account and coins, as the panels show them. */

import { ApiError } from "../../core/api";
import { Purse, type Line, type RoomLook, type Wallet } from "../../core/purse";
import type { Account } from "../../core/protocol";
import type { TokenAnswer } from "../../core/session";
import type { CoinAsking, Page } from "../page.svelte";

const RETRY_MS = 2_000;
const MOST_TRIES = 10;

const held = new WeakMap<Page, Coins>();

/** The page's one. */
export function coinsOf(page: Page): Coins {
  const found = held.get(page) ?? new Coins(page);
  held.set(page, found);
  return found;
}

export class Coins {
  readonly purse: Purse;
  account: Account | null = $state.raw(null);
  wallet: Wallet | null = $state.raw(null);
  lines: readonly Line[] = $state.raw([]);
  /** Where the statement goes on; "0": nowhere. */
  before = $state("0");
  /** Whether it could not be read. */
  away = $state(false);
  busy = $state(false);
  /** Why the last thing asked for was refused. */
  refused = $state("");
  look: RoomLook | null = $state.raw(null);

  constructor(private readonly page: Page) {
    this.purse = new Purse(page.lobby.api);
    this.account = page.session.account;
  }

  get named(): boolean {
    return Boolean(this.account?.username);
  }

  open(panel: CoinAsking): void {
    this.refused = "";
    this.page.asking = panel;
  }

  /** Reads what the player has, again after a while where that cannot be read now; a guest has nothing. */
  async load(again = MOST_TRIES): Promise<void> {
    this.account = this.page.session.account;
    if (!this.named) {
      this.wallet = null;
      return;
    }
    try {
      this.wallet = await this.purse.wallet();
      this.away = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.away = true;
      if (again > 0) setTimeout(() => void this.load(again - 1), RETRY_MS);
    }
  }

  /** The statement from its newest line, or further back. */
  async read(further = false): Promise<void> {
    await this.quietly(async () => {
      const { lines, before } = await this.purse.statement(further ? this.before : "0");
      this.lines = further ? [...this.lines, ...lines] : lines;
      this.before = before;
    });
  }

  async claim(): Promise<void> {
    await this.once(async () => {
      await this.purse.claim();
      await Promise.all([this.load(), this.read()]);
    });
  }

  /** Takes a name for the player's account; who has none yet gets one first. */
  async take(username: string, password: string): Promise<void> {
    await this.once(async () => {
      const { session, lobby, teller } = this.page;
      if (!session.account) await session.signUp(lobby.name.trim() || teller.guestName());
      this.enter(await this.purse.nameAccount(username, password));
    });
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.once(async () => {
      this.enter(await this.purse.signIn(username, password));
      // What goes on is another account's now.
      await this.page.lobby.lookAround();
    });
  }

  /** Whether it was done. */
  async changePassword(password: string, wanted: string): Promise<boolean> {
    await this.once(async () => void this.page.session.adopt(await this.purse.changePassword(password, wanted)));
    return this.refused === "";
  }

  signOut(): void {
    const { page } = this;
    page.session.forget();
    page.lobby.name = "";
    page.lobby.live = [];
    page.lobby.waiting = null;
    this.account = this.wallet = null;
    this.lines = [];
    page.stopAsking();
  }

  async lookUp(): Promise<void> {
    this.look = null;
    await this.quietly(async () => (this.look = await this.purse.lookUp(this.page.lobby.wanted)));
  }

  private enter(answer: TokenAnswer): void {
    this.account = this.page.session.adopt(answer);
    this.page.lobby.name = this.account.displayName;
    this.lines = [];
    this.open(this.page.lobby.wanted ? "stake" : "wallet");
    void this.load();
  }

  /** One thing at a time. */
  private async once(action: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    await this.quietly(action);
    this.busy = false;
  }

  private async quietly(action: () => Promise<unknown>): Promise<void> {
    this.refused = "";
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refused = error.code;
    }
  }
}
