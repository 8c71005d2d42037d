import { describe, expect, it } from "vitest";
import { partnerOf, placeOf, seatAt, teamOf } from "./seats";

describe("UX 5b: seats", () => {
  it("have the partner across and the next player to the right, from every seat", () => {
    for (const me of [0, 1, 2, 3]) {
      const around = [0, 1, 2, 3].map((step) => placeOf((me + step) % 4, me, 4));
      expect(around).toEqual(["bottom", "right", "top", "left"]);
      expect(seatAt("top", me, 4)).toBe(partnerOf(me, 4));
      expect(teamOf(seatAt("top", me, 4)!)).toBe(teamOf(me));
    }
  });

  it("of a duel face each other", () => {
    expect(placeOf(1, 0, 2)).toBe("top");
    expect(placeOf(0, 1, 2)).toBe("top");
    expect(seatAt("right", 0, 2)).toBeNull();
  });
});
