import { describe, expect, it } from "vitest";
import { en } from "../i18n/en";
import { makeTranslate } from "./i18n";
import { MOST_ENTRIES, clocksDeed, lastShown, logged, moveText, movesOf, type LogEntry, type Move } from "./moves";
import { eventsOf, followed, streams } from "./testing/streams";
import { readFair, readView } from "./views";

const t = makeTranslate("en", en, "latin");
const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, "");
const entries = (moves: readonly Move[]) => logged([], moves);

describe("UX 33: the log", () => {
  it("tells every move of whole tables, and the view of what it tells", () => {
    const kinds = new Set<string>();
    for (const stream of streams) {
      let view = readView(stream.first.snapshot);
      let log: readonly LogEntry[] = [];
      for (const step of stream.steps) {
        const moves = movesOf(eventsOf(step), view);
        view = followed(view, step);
        for (const move of moves) {
          kinds.add(move.kind);
          expect(plain(moveText(t, move, (seat) => `P${seat}`))).toMatch(/\w/);
        }
        log = logged(log, moves);
        expect(log.length).toBeLessThanOrEqual(MOST_ENTRIES);
      }
      expect(new Set(log.map(({ no }) => no)).size).toBe(log.length);
    }
    for (const kind of [
      "drew",
      "took",
      "laid",
      "amended",
      "swapped",
      "undone",
      "discarded",
      "timeUp",
      "dealt",
      "out",
    ]) {
      expect([...kinds]).toContain(kind);
    }
  });

  it("says a move in a sentence", () => {
    const say = (move: Move) => plain(moveText(t, move, () => "Fahad"));
    expect(say({ kind: "took", seat: 1, cards: ["5C", "KD"] })).toBe("Fahad took 2 cards: 5♣ K♦");
    expect(say({ kind: "discarded", seat: 1, card: "TH", byClock: true })).toBe("Time is up: 10♥ thrown for Fahad");
    expect(say({ kind: "swapped", seat: 1, meldId: 1, cards: ["7H"] })).toBe("Fahad took the joker back with 7♥");
  });

  it("tells what the clock did in one's place, and in nobody else's", () => {
    const late: Move = { kind: "timeUp", seat: 1 };
    const drew: Move = { kind: "drew", seat: 1, card: "5C" };
    const threw = (byClock: boolean): Move => ({ kind: "discarded", seat: 1, card: "TH", byClock });
    expect(clocksDeed([late, drew], 1)).toBe(drew);
    expect([clocksDeed([late, drew], 0), clocksDeed([drew], 1), clocksDeed([late], 1)]).toEqual([null, null, null]);
    expect(clocksDeed([threw(false)], 1)).toBeNull();
    expect(clocksDeed([threw(true)], 1)).toMatchObject({ card: "TH" });
    expect(clocksDeed([threw(true)], 2)).toBeNull();
  });

  it("tells the cut with its number as the deal starts, and who did not open a number", () => {
    const fair = { matchId: "m", dealNo: 1, hostSeat: 2, cut: 41 };
    const before = { ...readView(streams[0]!.first.snapshot), nextFair: readFair(fair) };
    const start = [{ dealStarted: { deal: { dealNo: 1 } } }];
    const said = (moves: Move[]) => moves.map((move) => plain(moveText(t, move, (seat) => `P${seat}`)));
    expect(said(movesOf(start, before))).toEqual(["P2 cut at 41", "Deal 1"]);
    const automatic = readFair({ ...fair, cut: 0, automaticCut: 17 });
    expect(said(movesOf(start, { ...before, nextFair: automatic }))).toEqual(["Automatic cut at 17", "Deal 1"]);
    const voidAttempts = [{ failedSeats: [0, 3] }];
    const anew = [{ fairPublished: { fair: { ...fair, attempt: 1, voidAttempts } } }];
    expect(said(movesOf(anew, before))).toEqual(["Shuffled anew, without: P0", "Shuffled anew, without: P3"]);
    expect(movesOf(anew, { ...before, nextFair: readFair({ ...fair, attempt: 1, voidAttempts }) })).toEqual([]);
  });

  it("tells the first dealer's draw as a match's first deal starts, and no later one", () => {
    const before = readView(streams[0]!.first.snapshot);
    const start = (deal: object) => [{ dealStarted: { deal } }];
    const said = (moves: Move[]) => moves.map((move) => plain(moveText(t, move, (seat) => `P${seat}`)));
    expect(said(movesOf(start({ dealNo: 1, starter: 0 }), before))).toEqual([
      "The draw · dealer: P3 · starts: P0",
      "Deal 1",
    ]);
    expect(said(movesOf(start({ dealNo: 2, starter: 1 }), before))).toEqual(["Deal 2"]);
  });

  it("tells who went, whom a bot plays for, and who plays again", () => {
    const before = readView(streams[0]!.first.snapshot);
    const person = before.seats.find(({ occupant }) => occupant === "OCCUPANT_PERSON")!;
    const moves = (next: object, old: object = {}) => {
      const seats = before.seats.map((one) => (one.seat === person.seat ? { ...one, ...old } : one));
      return movesOf([{ seatChanged: { seat: { ...person, ...next } } }], { ...before, seats }).map(({ kind }) => kind);
    };
    const bot = { occupant: "OCCUPANT_HOUSE_BOT", standInName: "Salma", away: true };
    expect(moves({ away: true }, { away: false })).toEqual(["away"]);
    expect(moves(bot, { away: true })).toEqual(["botIn"]);
    expect(moves({ away: false }, bot)).toEqual(["tookBack"]);
    expect(moves({ left: true, away: true }, { away: false })).toEqual(["left"]);
    expect(moves({ ...bot, left: true }, { left: true, away: true })).toEqual(["botIn"]);
    expect(moves({ graceUntilMs: "17" }, { away: person.away })).toEqual([]);
  });

  it("marks the last player's moves from the draw on, until the next one moves", () => {
    const turn: Move[] = [
      { kind: "discarded", seat: 0, card: "KS", byClock: false },
      { kind: "drew", seat: 1, card: null },
      { kind: "laid", seat: 1, meldId: 3, cards: ["5H", "6H", "7H"] },
      { kind: "away", seat: 2 },
      { kind: "discarded", seat: 1, card: "KH", byClock: false },
    ];
    expect(lastShown(entries(turn)).map(({ kind }) => kind)).toEqual(["drew", "laid", "discarded"]);
    expect(lastShown(entries([...turn, { kind: "drew", seat: 2, card: null }])).map(({ kind }) => kind)).toEqual([
      "drew",
    ]);
    expect(lastShown([])).toEqual([]);
  });
});
