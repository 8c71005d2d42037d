import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ar } from "../i18n/ar";
import { en } from "../i18n/en";
import { makeTranslate } from "./i18n";
import { HOUSE_NAMES, seatName } from "./names";

const arabic = makeTranslate("ar", ar, "latin");
const english = makeTranslate("en", en, "latin");

describe("names at the table", () => {
  it("of house bots are of the page's language", () => {
    expect(seatName(arabic, { accountId: "", displayName: "Salma" })).toBe("سلمى");
    expect(seatName(english, { accountId: "", displayName: "Salma" })).toBe("Salma");
    for (const displayName of HOUSE_NAMES.split(" ")) {
      expect(seatName(arabic, { displayName })).toMatch(/^\p{Script=Arabic}+$/u);
      expect(seatName(english, { displayName })).toBe(displayName);
    }
  });

  it("of people stay as people write them, also while a bot plays for them", () => {
    for (const displayName of ["Salma", "سلمى", "Maha", ""])
      expect(seatName(arabic, { accountId: "5f", displayName })).toBe(displayName);
  });

  it("of a house that has others are left alone", () => {
    for (const displayName of ["Nadia", "toString", ""]) expect(seatName(arabic, { displayName })).toBe(displayName);
  });

  it("are those that house bots go by", () => {
    const source = readFileSync(new URL("../../../../bots/levels.py", import.meta.url), "utf8");
    const listed = [...source.matchAll(/Level\("\w+", \(([^)]*)\)/g)].map(([, names]) => names ?? "").join();
    expect([...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name)).toEqual(HOUSE_NAMES.split(" "));
  });
});
