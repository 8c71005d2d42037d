import { describe, expect, it } from "vitest";
import { readResult } from "../../core/views";
import { scoreColumns, type Player } from "./score";

const PLAYERS: Player[] = ["You", "Fahad", "Noura", "Maha"].map((name, seat) => ({ seat, name, stitch: "solid" }));
const RESULT = readResult({
  dealNo: 6,
  end: "DEAL_END_OUT",
  finisher: 0,
  teamHalfPoints: [130, -20],
  seatHalfPoints: [103, 20, 27, -40],
  totalHalfPoints: [387, 172],
  hands: [{ cards: [] }, { cards: ["5C", "7D", "QH"] }, { cards: ["4H"] }, { cards: ["JK"] }],
  handHalfPoints: [0, 5, 9, 17],
  laidHalfPoints: [63, 25, 36, 4],
  bonusHalfPoints: 40,
});

describe("UX 35: a deal's score sheet", () => {
  it("puts one's own team first, each player with what was laid, left and won", () => {
    const [us, them] = scoreColumns(RESULT, PLAYERS, 0);
    expect(us.players.map(({ name, laid, left, bonus, sum }) => [name, laid, left, bonus, sum])).toEqual([
      ["You", 63, 0, 40, 103],
      ["Noura", 36, 9, 0, 27],
    ]);
    expect([us.before, us.deal, us.after]).toEqual([257, 130, 387]);
    expect(them.players.map(({ name, notOpened }) => [name, notOpened])).toEqual([
      ["Fahad", false],
      ["Maha", true],
    ]);
  });

  it("turns with the seat that looks", () => {
    const [us, them] = scoreColumns(RESULT, PLAYERS, 3);
    expect(us.players.map(({ name }) => name)).toEqual(["Maha", "Fahad"]);
    expect(them.players.map(({ name }) => name)).toEqual(["You", "Noura"]);
    expect(us.after).toBe(172);
  });

  it("has no sums of players where scoring is by team", () => {
    const [us] = scoreColumns({ ...RESULT, seatHalfPoints: [] }, PLAYERS, 0);
    expect(us.players.every(({ sum, notOpened }) => sum === null && !notOpened)).toBe(true);
  });
});
