/** What a match for coins is about (R11.1): the pot, its fee, and what each winner gets. */

import { seatCount, type RuleOptions } from "./options";
import type { Wallet } from "./purse";

/** Those of quick play (lobby.proto). */
export const QUICK_STAKES = [100, 500, 2_500] as const;
export const STAKE_STEP = 5;
export const MOST_STAKE = 1_000_000;
const FEE_PERCENT = 10;

export interface StakeSums {
  readonly stake: number;
  readonly pot: number;
  readonly fee: number;
  /** What each of the winners gets. */
  readonly share: number;
}

/** The fee is rounded up, so that partners get the same. */
export function sumsOf(stake: number, mode: RuleOptions["mode"]): StakeSums {
  const seats = seatCount({ mode });
  const pot = stake * seats;
  const winners = seats / 2;
  const share = Math.floor((pot - Math.ceil((pot * FEE_PERCENT) / 100)) / winners);
  return { stake, pot, fee: pot - share * winners, share };
}

export type Obstacle = "guest" | "matches" | "coins";

/** What keeps the player from a table for this stake, by what the wallet tells; the services have the last word. */
export function obstacleTo(stake: number, wallet: Wallet | null): Obstacle | null {
  if (!stake || !wallet) return null;
  if (!wallet.named) return "guest";
  if (wallet.finished < wallet.needed) return "matches";
  return wallet.balance < stake ? "coins" : null;
}

/** The stake that a text asks for: in fives, as high as it may be; `null` where it is none. */
export function readStake(text: string): number | null {
  const latin = text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf)).replace(/[\s,٬]/g, "");
  const stake = /^\d{1,7}$/.test(latin) ? Number(latin) : -1;
  return stake >= 0 && stake <= MOST_STAKE && stake % STAKE_STEP === 0 ? stake : null;
}
