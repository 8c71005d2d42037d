/** The clock that runs at the table, as it is shown: what is left of how much, and the ticks of the last seconds. */

import { isMyTurn } from "../core/seats";
import { LastSeconds, type Sounds } from "../core/sound";
import type { TurnClock } from "../core/clock";
import type { View } from "../core/views";

export class TurnTime {
  /** `null` where no clock runs. */
  remainingMs: number | null = $state(null);
  /** The longest that this clock has had, for the thread round it. */
  totalMs = $state(1);
  private readonly lastSeconds = new LastSeconds();
  /** Length of a turn as it turned out to be, as a part of the rules' one: a platform may run faster than people do. */
  private pace = 1;

  constructor(
    private readonly clock: TurnClock,
    private readonly sounds: Sounds,
  ) {}

  /** An update has set the clock. */
  follow(view: View): void {
    const { turnSeconds, discardSeconds } = view.options;
    const told = this.clock.remainingMs() ?? 0;
    const timeUp = view.deal?.timeUp ?? false;
    // The first time that is told of a turn is its length.
    if (view.deal?.phase === "PHASE_DRAW" && told > 0 && !timeUp) this.pace = Math.min(1, told / (turnSeconds * 1000));
    this.totalMs = Math.max(told, (timeUp ? discardSeconds : turnSeconds) * 1000 * this.pace);
    this.tick(view);
  }

  /** To be called several times a second. */
  tick(view: View | undefined): void {
    this.remainingMs = this.clock.remainingMs();
    const deal = view?.deal;
    if (this.remainingMs === null || !deal || !isMyTurn(view) || this.clock.isFrozen) return;
    const turn = `${deal.dealNo}/${deal.turnNo}/${deal.timeUp}`;
    if (this.lastSeconds.ticks(turn, this.remainingMs)) this.sounds.play("tick");
  }
}
