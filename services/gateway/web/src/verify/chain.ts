/** That the deals of a match belong together: the same series, match, seats and rules, and none left out. */

import { same } from "./bytes";
import { contextOf, type FairDeal } from "./deal";

/** Why a deal cannot follow those before it, the last one `apart` deals ago; `null` where it can. */
export function chainFault(before: readonly FairDeal[], deal: FairDeal, apart: number): string | null {
  const previous = before.at(-1);
  if (!previous) return null;
  const was = contextOf(previous);
  const now = contextOf(deal);
  const changed = [
    ["series", same(was.series, now.series)],
    ["match number", was.matchNo === now.matchNo],
    ["match", same(was.match, now.match)],
    ["number of seats", was.seats === now.seats],
    ["rules", was.rules === now.rules],
  ].find(([, alike]) => !alike);
  if (changed) return `another ${changed[0]} than in the deal before`;
  if (now.dealNo !== was.dealNo + apart) return `deal ${now.dealNo} after deal ${was.dealNo}`;
  for (const [at, { account }] of deal.played.closed.seats.entries()) {
    // A bot may keep a seat warm and give it back (R10).
    const accounts = before.map(({ played }) => played.closed.seats[at]?.account).filter(Boolean);
    if (account && accounts.length && !accounts.includes(account)) {
      return `seat ${at} belongs to another account than before`;
    }
  }
  return null;
}
