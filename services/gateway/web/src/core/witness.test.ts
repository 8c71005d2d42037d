import { expect, it } from "vitest";
import { memoryKeeper, storageKeeper } from "./storage";
import { MOST_KEPT, WitnessBook, type KeptDeal } from "./witness";

const MATCH = "ab".repeat(16);
const deal = (deal_no: number): KeptDeal => ({
  account: "me",
  series: MATCH,
  match_no: 1,
  match: MATCH,
  deal_no,
  rules: "sahrat",
  seats: 4,
  attempt: 0,
  witness: { seat: 1 },
  commitment: "",
  key: "",
  signatures: {},
  cut: 0,
  began_ms: deal_no,
  earlier: [],
});

/** A Storage as browsers have it. */
class FakeStorage {
  readonly kept = new Map<string, string>([["another page's", "1"]]);
  get length(): number {
    return this.kept.size;
  }
  key = (at: number) => [...this.kept.keys()][at] ?? null;
  getItem = (name: string) => this.kept.get(name) ?? null;
  setItem = (name: string, text: string) => void this.kept.set(name, text);
  removeItem = (name: string) => void this.kept.delete(name);
}

it("a deal is kept under its match and number", () => {
  const storage = new FakeStorage();
  const book = new WitnessBook(storageKeeper(() => storage as unknown as Storage));
  book.put(deal(3));
  expect(storage.kept.has(`banakil.witness.${MATCH}.3`)).toBe(true);
  expect(book.get(MATCH, 3)).toEqual(deal(3));
  expect(book.get(MATCH, 4)).toBeNull();
});

it("of one more than may be kept the oldest goes, and nothing else", () => {
  const storage = new FakeStorage();
  const keeper = storageKeeper(() => storage as unknown as Storage);
  keeper.set("account", {});
  const book = new WitnessBook(keeper);
  for (let no = 2; no <= MOST_KEPT; no++) book.put(deal(no));
  book.put(deal(1));
  expect(keeper.names("witness.")).toHaveLength(MOST_KEPT);
  book.put({ ...deal(5), cut: 7 });
  expect(keeper.names("witness.")).toHaveLength(MOST_KEPT);
  book.put(deal(MOST_KEPT + 1));
  expect(keeper.names("witness.")).toHaveLength(MOST_KEPT);
  expect([book.get(MATCH, 1), book.get(MATCH, 2)?.deal_no]).toEqual([null, 2]);
  expect(storage.kept.has("another page's")).toBe(true);
  expect(keeper.get("account")).toEqual({});
});

it("without a storage it is kept as long as the page is open", () => {
  const keeper = memoryKeeper();
  new WitnessBook(keeper).put(deal(1));
  expect(new WitnessBook(keeper).get(MATCH, 1)).toEqual(deal(1));
  expect(keeper.names("")).toEqual([`witness.${MATCH}.1`]);
});

it("what anybody else wrote there is none", () => {
  const keeper = memoryKeeper();
  for (const value of [7, null, "x", {}, { attempt: 0 }]) {
    keeper.set(`witness.${MATCH}.1`, value);
    expect(new WitnessBook(keeper).get(MATCH, 1)).toBeNull();
  }
});
