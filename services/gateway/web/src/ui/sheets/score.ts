/** A deal's result as it is written on the sheet: two columns, each player's sums, the teams' totals. */

import type { Card } from "../../core/cards";
import type { DealResult } from "../../core/views";
import type { Stitch, Team } from "../types";

export interface Player {
  /** 0..3 in playing order. */
  readonly seat: number;
  readonly name: string;
  readonly stitch: Stitch;
}

export interface PlayerLine extends Player {
  readonly hand: readonly Card[];
  readonly laid: number;
  /** Value of the cards left, as a loss. */
  readonly left: number;
  /** 0 for all but who went out. */
  readonly bonus: number;
  /** `null` where scoring is by team. */
  readonly sum: number | null;
  readonly finisher: boolean;
  /** Personal scoring, and the player never opened: what was laid and left does not count (R7.4). */
  readonly notOpened: boolean;
}

export interface Column {
  readonly team: Team;
  readonly players: readonly PlayerLine[];
  /** Half-points of this deal, the total before and after it. */
  readonly deal: number;
  readonly before: number;
  readonly after: number;
}

/** Our column, then theirs; in each the players from one's own seat on, in playing order. */
export function scoreColumns(result: DealResult, players: readonly Player[], me: number): readonly [Column, Column] {
  const count = players.length;
  const turned = players.map((_, at) => players[(me + at) % count]!);
  const column = (team: Team): Column => {
    const index = team === "us" ? me % 2 : 1 - (me % 2);
    const after = result.totalHalfPoints[index] ?? 0;
    const deal = result.teamHalfPoints[index] ?? 0;
    const lines = turned.filter(({ seat }) => seat % 2 === index).map((player) => lineOf(result, player));
    return { team, players: lines, deal, before: after - deal, after };
  };
  return [column("us"), column("them")];
}

function lineOf(result: DealResult, player: Player): PlayerLine {
  const { seat } = player;
  const laid = result.laidHalfPoints[seat] ?? 0;
  const left = result.handHalfPoints[seat] ?? 0;
  const finisher = result.finisher === seat;
  const bonus = finisher ? result.bonusHalfPoints : 0;
  const sum = result.seatHalfPoints[seat] ?? null;
  const notOpened = sum !== null && sum !== laid - left + bonus;
  return { ...player, hand: result.hands[seat]?.cards ?? [], laid, left, bonus, sum, finisher, notOpened };
}
