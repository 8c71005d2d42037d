/** A desk to be shown. Who reads a part of it hears of that part alone: a tap on a card is no news of the melds. */

import type { Desk } from "../core/desk";

/** Follows the desk by `Object.assign`; a part that is as it was stays silent. It is never spread: its parts are accessors. */
export class ShownDesk implements Desk {
  view: Desk["view"];
  hand: Desk["hand"];
  staging: Desk["staging"];
  selected: Desk["selected"];
  leaving: Desk["leaving"];
  moment: Desk["moment"];
  log: Desk["log"];
  sorting: Desk["sorting"];
  cameBack: Desk["cameBack"];

  constructor(desk: Desk) {
    this.view = $state.raw(desk.view);
    this.hand = $state.raw(desk.hand);
    this.staging = $state.raw(desk.staging);
    this.selected = $state.raw(desk.selected);
    this.leaving = $state.raw(desk.leaving);
    this.moment = $state.raw(desk.moment);
    this.log = $state.raw(desk.log);
    this.sorting = $state.raw(desk.sorting);
    this.cameBack = $state.raw(desk.cameBack);
  }
}
