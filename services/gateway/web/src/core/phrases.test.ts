import { describe, expect, it } from "vitest";
import { PHRASES, phraseOf } from "./phrases";

describe("what can be said", () => {
  it("is a list of phrases and reactions, in both languages", () => {
    expect(PHRASES.filter((one) => one.kind === "phrase").length).toBeGreaterThanOrEqual(16);
    expect(PHRASES.filter((one) => one.kind === "reaction").length).toBeGreaterThanOrEqual(8);
    for (const one of PHRASES) {
      expect(phraseOf(one.id)).toBe(one);
      expect([one.ar, one.en].every(Boolean) && (one.kind === "phrase") === (one.sign === undefined)).toBe(true);
    }
  });

  it("leaves out what it does not know", () => {
    expect(phraseOf("of_a_newer_server")).toBeNull();
  });
});
