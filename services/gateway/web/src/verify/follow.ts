/**
 * The way of every card of a deal, from the deck through the actions of a record: who was dealt what, each draw, what
 * was laid and thrown. It does not judge whether melds are legal; it notices a card that was not where it came from.
 */

import { judgeAmend } from "../core/amend";
import { JOKER, without, type Card } from "../core/cards";
import type { Meld } from "../core/views";
import { readAction, type Action } from "./actions";
import type { TableOptions } from "./rulesId";
import { scoreDeal } from "./scoring";
import { cardToThrow } from "./serverThrow";
import type { Course, Fault, Followed, Step } from "./steps";
import { dealtHand } from "./witness";

interface State {
  readonly hands: readonly (readonly Card[])[];
  readonly stock: readonly Card[];
  readonly pile: readonly Card[];
  readonly melds: readonly Meld[];
  readonly turn: number;
  readonly turnNo: number;
  readonly hasDrawn: boolean;
  readonly timeUp: boolean;
  readonly duties: readonly Card[];
  /** Where an undo leads, while a duty is unmet (R5.8). */
  readonly fallback: State | null;
  readonly opened: readonly boolean[];
  /** Who has put a card on the table. */
  readonly putDown: readonly boolean[];
  /** Who acts had put none there when the turn began, and has not amended the partner's melds in it (R7.3). */
  readonly fresh: boolean;
  readonly amendedPartner: boolean;
  readonly reshuffles: number;
  readonly over: "out" | "dead" | null;
}

const LAST_TURN = 400;

class Misfit extends Error {}

export async function follow(options: TableOptions, course: Course): Promise<Followed> {
  const follower = new Follower(options, course);
  let at = 0;
  try {
    for (const text of course.actions) {
      at++;
      const action = readAction(text);
      if (!action) throw new Misfit("is not an action");
      await follower.apply(action);
    }
    follower.close();
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    return follower.told({ action: at, detail: error.message });
  }
  return follower.told(null);
}

class Follower {
  private readonly steps: Step[] = [];
  private state: State;
  private drawn = 0;
  private stockSize = 0;
  private named = 0;

  constructor(
    private readonly options: TableOptions,
    private readonly course: Course,
  ) {
    const { seats } = options;
    const { starter, deck } = course;
    const hands = [...Array(seats).keys()].map((seat) => dealtHand(deck, seat, starter, seats));
    for (let place = 0; place < seats; place++) {
      const seat = (starter + place) % seats;
      this.tell({ seat, what: "dealt", cards: hands[seat]! });
    }
    this.state = {
      hands,
      stock: deck.slice(hands.flat().length),
      pile: [],
      melds: [],
      turn: starter,
      turnNo: 1,
      hasDrawn: true,
      timeUp: false,
      duties: [],
      fallback: null,
      opened: hands.map(() => false),
      putDown: hands.map(() => false),
      fresh: true,
      amendedPartner: false,
      reshuffles: 0,
      over: null,
    };
  }

  told(fault: Fault | null): Followed {
    const { hands, reshuffles, over } = this.state;
    return {
      steps: this.steps,
      hands,
      draws: this.drawn,
      actions: this.course.actions.length,
      named: this.named,
      reshuffles,
      ended: over !== null,
      teams: this.teams(),
      fault,
    };
  }

  private teams() {
    const { over, turn, fresh, amendedPartner, ...rest } = this.state;
    if (over === null) return null;
    const oneTurn = over === "out" && this.options.oneTurnBonus && fresh && !amendedPartner;
    return scoreDeal({ ...rest, finisher: over === "out" ? turn : null, oneTurn }, this.options);
  }

  /** No action is left. */
  close(): void {
    if (this.state.over || this.course.isLast) return;
    const { hasDrawn, stock } = this.state;
    // The last card of the pile was not to be used, or it would have been taken or passed (R6.2).
    if (hasDrawn || stock.length) throw new Misfit("is the last one, and the deal is not over");
    this.end("dead");
  }

  async apply(action: Action): Promise<void> {
    const { state } = this;
    if (state.over) throw new Misfit("comes after the deal's end");
    if (action.what === "timeout") return this.timeout();
    if (action.seat !== state.turn) throw new Misfit(`is of seat ${action.seat}, and seat ${state.turn} is to act`);
    this.named++;
    const draws = action.what === "draw" || action.what === "take" || action.what === "pass";
    if (draws === state.hasDrawn) throw new Misfit(draws ? "draws a second time" : "comes before the draw");
    if (state.timeUp && action.what !== "discard") throw new Misfit("comes after the time");
    switch (action.what) {
      case "draw":
        return this.draw(false);
      case "take":
        return this.take(action.count);
      case "pass":
        if (state.stock.length || state.pile.length !== 1) throw new Misfit("passes with cards to draw");
        this.tell({ seat: state.turn, what: "passed", cards: [] });
        return this.end("dead");
      case "meld":
        return this.meld(action.melds);
      case "amend":
        return this.amend(action.id, action.cards);
      case "undo":
        return this.undo(false);
      case "discard":
        if (state.duties.length) throw new Misfit(`ends the turn with ${state.duties.join(" ")} to be laid`);
        return this.discard(action.card, false);
    }
  }

  private draw(byClock: boolean): void {
    const { state } = this;
    const [card, ...stock] = state.stock;
    if (card === undefined) throw new Misfit("draws from a stock that is empty");
    this.drawn++;
    const { reshuffles } = state;
    const place = (reshuffles ? this.stockSize : this.course.deck.length) - stock.length;
    const from = reshuffles ? { stockNo: reshuffles } : {};
    this.tell({ seat: state.turn, what: "drew", cards: [card], place, ...from, ...(byClock ? { byClock } : {}) });
    this.state = { ...state, stock, hands: this.withHand([...this.hand(), card]), hasDrawn: true };
  }

  private take(count: number): void {
    const { state, options } = this;
    const most = options.topMustMeld ? 1 : state.pile.length;
    if (count < 1 || count > most || count > state.pile.length) throw new Misfit(`takes ${count} cards of the pile`);
    const taken = state.pile.slice(-count);
    this.tell({ seat: state.turn, what: "took", cards: taken });
    const duties = options.topMustMeld ? taken : [];
    this.state = {
      ...state,
      pile: state.pile.slice(0, -count),
      hands: this.withHand([...this.hand(), ...taken]),
      hasDrawn: true,
      duties,
      fallback: this.fallbackFor(duties),
    };
  }

  private async meld(melds: readonly (readonly Card[])[]): Promise<void> {
    const { turn, opened } = this.state;
    const laid = melds.flat();
    const hand = this.handWithout(laid);
    for (const cards of melds) this.tell({ seat: turn, what: "laid", cards });
    const first = this.state.melds.length + 1;
    const added = melds.map((cards, at) => ({ id: first + at, owner: turn, cards, layers: cards.map(() => turn) }));
    const duties = metBy(this.state.duties, laid);
    this.state = {
      ...this.state,
      hands: this.withHand(hand),
      melds: [...this.state.melds, ...added],
      duties,
      fallback: this.fallbackFor(duties),
      opened: withSeat(opened, turn),
      putDown: withSeat(this.state.putDown, turn),
    };
    if (hand.length === 0) this.end("out");
  }

  private amend(id: number, cards: readonly Card[]): void {
    const { state } = this;
    const meld = state.melds.find((one) => one.id === id);
    if (!meld) throw new Misfit(`gives a layout to meld ${id}, which is not there`);
    const { added, gone } = difference(meld.cards, cards);
    const released = gone.length > 0;
    if (gone.length > 1 || (released && gone[0] !== JOKER)) throw new Misfit(`takes ${gone.join(" ")} from a meld`);
    const kept = this.handWithout(added);
    const hand = released ? [...kept, JOKER] : kept;
    this.tell({ seat: state.turn, what: "amended", cards: added, ...(released ? { released } : {}) });
    const due = released && this.options.releasedJokerMustBeLaid ? [JOKER] : [];
    const duties = [...metBy(state.duties, added), ...due];
    // What is no legal layout gets no say in who put which card there.
    const judged = judgeAmend(meld, cards, state.turn, this.hand(), this.options);
    const next = judged.ok ? judged.amendment.meld : { ...meld, cards, layers: cards.map(() => meld.owner) };
    this.state = {
      ...state,
      hands: this.withHand(hand),
      melds: state.melds.map((one) => (one.id === id ? next : one)),
      putDown: added.length ? withSeat(state.putDown, state.turn) : state.putDown,
      amendedPartner: state.amendedPartner || meld.owner !== state.turn,
      duties,
      fallback: this.fallbackFor(duties),
    };
    if (hand.length === 0) this.end("out");
  }

  private undo(byClock: boolean): void {
    const { turn, fallback } = this.state;
    if (!fallback) throw new Misfit("takes back what cannot be taken back");
    this.tell({ seat: turn, what: "undone", cards: [], ...(byClock ? { byClock } : {}) });
    this.state = fallback;
  }

  private async discard(card: Card, byClock: boolean): Promise<void> {
    const { state } = this;
    const hand = this.handWithout([card]);
    this.tell({ seat: state.turn, what: "threw", cards: [card], ...(byClock ? { byClock } : {}) });
    this.state = { ...state, hands: this.withHand(hand), pile: [...state.pile, card], timeUp: false };
    if (hand.length === 0) return this.end("out");
    if (state.turnNo >= LAST_TURN) return this.end("dead");
    const turn = (state.turn + 1) % this.options.seats;
    this.state = {
      ...this.state,
      turn,
      turnNo: state.turnNo + 1,
      fresh: !state.putDown[turn],
      amendedPartner: false,
      hasDrawn: false,
    };
    await this.beginTurn();
  }

  /** R6.1, R6.2: the stock has run out. */
  private async beginTurn(): Promise<void> {
    const { state, options } = this;
    if (state.stock.length) return;
    const { maxReshuffles } = options;
    if (state.pile.length >= 2 && (maxReshuffles === null || state.reshuffles < maxReshuffles)) {
      const reshuffles = state.reshuffles + 1;
      const stock = await this.course.newStock(state.pile.slice(0, -1), reshuffles);
      this.tell({ seat: null, what: "reshuffled", cards: stock, stockNo: reshuffles });
      this.stockSize = stock.length;
      this.state = { ...state, stock, pile: state.pile.slice(-1), reshuffles };
      return;
    }
    // The last card of the pile may be usable; whether it is, what follows tells.
    if (!options.topMustMeld || state.pile.length !== 1) this.end("dead");
  }

  /** R9.2: first the turn's time, then the discard's. */
  private async timeout(): Promise<void> {
    const { turn, opened, melds, timeUp } = this.state;
    if (timeUp) return this.discard(cardToThrow(this.hand(), turn, melds, opened[turn]!, this.options), true);
    if (this.state.fallback) this.undo(true);
    if (!this.state.hasDrawn) {
      if (this.state.stock.length === 0) return this.end("dead");
      this.draw(true);
    }
    this.tell({ seat: turn, what: "timeUp", cards: [] });
    this.state = { ...this.state, timeUp: true };
  }

  private end(what: "out" | "dead"): void {
    this.tell({ seat: what === "out" ? this.state.turn : null, what, cards: [] });
    this.state = { ...this.state, over: what };
  }

  private tell(step: Step): void {
    this.steps.push(step);
  }

  private hand(): readonly Card[] {
    return this.state.hands[this.state.turn]!;
  }

  private handWithout(cards: readonly Card[]): Card[] {
    const left = without(this.hand(), cards);
    if (left) return left;
    const missing = difference(this.hand(), cards).added;
    throw new Misfit(`plays ${missing.join(" ")}, which the hand does not hold`);
  }

  private withHand(hand: readonly Card[]): readonly (readonly Card[])[] {
    return this.state.hands.map((other, seat) => (seat === this.state.turn ? hand : other));
  }

  /** R5.8: the last moment of the turn with no duty unmet. */
  private fallbackFor(duties: readonly Card[]): State | null {
    if (duties.length === 0) return null;
    return this.state.duties.length ? this.state.fallback : this.state;
  }
}

function withSeat(seats: readonly boolean[], turn: number): readonly boolean[] {
  return seats.map((before, seat) => before || seat === turn);
}

/** What is new, and what is gone, copies counted. */
function difference(before: readonly Card[], after: readonly Card[]): { added: Card[]; gone: Card[] } {
  const gone = [...before];
  const added = after.filter((card) => {
    const at = gone.indexOf(card);
    if (at >= 0) gone.splice(at, 1);
    return at < 0;
  });
  return { added, gone };
}

/** The duties left once these cards are on the table; any card of the face meets one (R5.6). */
function metBy(duties: readonly Card[], laid: readonly Card[]): Card[] {
  return difference(laid, duties).added;
}
