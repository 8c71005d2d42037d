import { describe, expect, it } from "vitest";
import { obstacleTo, readStake, sumsOf } from "./stakes";
import type { Wallet } from "./purse";

const WALLET: Wallet = { balance: 500, held: 0, named: true, finished: 3, needed: 3, daily: null };

describe("what a match for coins is about", () => {
  it("takes a tenth of the pot and gives partners the same", () => {
    expect(sumsOf(100, "MODE_PARTNERS")).toEqual({ stake: 100, pot: 400, fee: 40, share: 180 });
    expect(sumsOf(100, "MODE_DUEL")).toEqual({ stake: 100, pot: 200, fee: 20, share: 180 });
    expect(sumsOf(5, "MODE_DUEL")).toEqual({ stake: 5, pot: 10, fee: 1, share: 9 });
    for (const mode of ["MODE_PARTNERS", "MODE_DUEL"] as const)
      for (let stake = 5; stake < 1_000; stake += 5) {
        const { pot, fee, share } = sumsOf(stake, mode);
        expect(fee + share * (mode === "MODE_DUEL" ? 1 : 2)).toBe(pot);
        expect(fee).toBe(pot / 10);
      }
  });

  it("says what keeps one from it", () => {
    expect(obstacleTo(500, WALLET)).toBeNull();
    expect(obstacleTo(505, WALLET)).toBe("coins");
    expect(obstacleTo(5, { ...WALLET, finished: 2 })).toBe("matches");
    expect(obstacleTo(5, { ...WALLET, named: false })).toBe("guest");
    expect(obstacleTo(0, { ...WALLET, named: false })).toBeNull();
    expect(obstacleTo(5, null)).toBeNull();
  });

  it("reads a stake in any digits, in fives", () => {
    expect(readStake("250")).toBe(250);
    expect(readStake("١٬٠٠٠")).toBe(1_000);
    expect(readStake("۱٬۲۳۰")).toBe(1_230);
    expect(readStake(" 2,500 ")).toBe(2_500);
    for (const wrong of ["", "7", "-5", "1e3", "1000005", "ten"]) expect(readStake(wrong)).toBeNull();
  });
});
