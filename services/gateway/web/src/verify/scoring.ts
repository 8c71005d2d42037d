/** What a deal's end gives each team (R7), and whether its match is decided (R8.1, R8.2): who starts a series' next match. */

import { halfPoints, type Card } from "../core/cards";
import type { Meld } from "../core/views";
import type { TableOptions } from "./rulesId";

const OUT_BONUS = 40;
const ONE_TURN_BONUS = 102;
const ONE_TURN_CLEAN_BONUS = 204;
const NEVER_OPENED = -40;
/** A gap over 5 points decides under `gap_over_5` (R8.2). */
const TIE_GAP = 10;

/** Half-points of team 0 and of team 1. */
export type Teams = readonly [number, number];

export interface DealEnd {
  /** The seat that went out; `null` of a dead deal. */
  readonly finisher: number | null;
  /** It did so all in one turn (R7.3). */
  readonly oneTurn: boolean;
  readonly hands: readonly (readonly Card[])[];
  readonly melds: readonly Meld[];
  readonly opened: readonly boolean[];
}

export function scoreDeal(end: DealEnd, options: TableOptions): Teams {
  return options.personalScoring ? personal(end) : ofTeams(end);
}

/** R7.2, R7.3. */
function ofTeams({ finisher, oneTurn, hands, melds }: DealEnd): Teams {
  const scores: [number, number] = [0, 0];
  for (const [seat, hand] of hands.entries()) scores[teamOf(seat)] -= halfPoints(hand);
  for (const { owner, cards } of melds) scores[teamOf(owner)] += halfPoints(cards);
  if (finisher === null) return scores;
  const team = teamOf(finisher);
  const othersLaid = melds.some(({ owner }) => teamOf(owner) !== team);
  scores[team] += !oneTurn ? OUT_BONUS : othersLaid ? ONE_TURN_BONUS : ONE_TURN_CLEAN_BONUS;
  if (oneTurn) scores[other(team)] = 0;
  return scores;
}

/** R7.4. */
function personal({ finisher, hands, melds, opened }: DealEnd): Teams {
  const scores: [number, number] = [0, 0];
  for (const [seat, hand] of hands.entries()) {
    const laid = melds.flatMap(({ cards, layers }) => cards.filter((_, at) => layers[at] === seat));
    const bonus = seat === finisher ? OUT_BONUS : 0;
    const never = bonus ? 0 : NEVER_OPENED;
    scores[teamOf(seat)] += opened[seat] ? halfPoints(laid) - halfPoints(hand) + bonus : never;
  }
  return scores;
}

/** A match as far as its deals decide it. */
export class MatchScore {
  winner: 0 | 1 | null = null;
  private totals: Teams = [0, 0];
  private tiebreak = false;

  constructor(private readonly options: TableOptions) {}

  /** A deal has ended. */
  add([first, second]: Teams): void {
    this.totals = [this.totals[0] + first, this.totals[1] + second];
    const leader = this.totals[0] >= this.totals[1] ? 0 : 1;
    const target = 2 * this.options.target;
    const gap = Math.abs(this.totals[0] - this.totals[1]);
    const { levelPlaysOn } = this.options;
    if (!(this.tiebreak && !levelPlaysOn) && this.totals[leader] < target) return;
    const both = this.totals[other(leader)] >= target;
    const decided = levelPlaysOn ? gap > 0 : gap > TIE_GAP || (!this.tiebreak && !both);
    this.tiebreak = !decided;
    this.winner = decided ? leader : null;
  }
}

function teamOf(seat: number): 0 | 1 {
  return seat % 2 === 0 ? 0 : 1;
}

function other(team: 0 | 1): 0 | 1 {
  return team === 0 ? 1 : 0;
}
