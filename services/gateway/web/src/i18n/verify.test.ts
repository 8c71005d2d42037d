import { describe, expect, it } from "vitest";
import type { Message } from "../core/i18n";
import { enVerify } from "./en/verify";
import { verifyDictionary, verifyWords } from "./verify";

const slots = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort();

describe("the Verify page's words", () => {
  it.each(["ar", "en", "long"] as const)("%s has every key, with the slots that English has", (locale) => {
    const words = verifyDictionary(locale) as Readonly<Record<string, Message>>;
    expect(Object.keys(words)).toEqual(Object.keys(enVerify));
    for (const [key, text] of Object.entries(enVerify)) {
      expect(String(words[key]).trim(), key).not.toBe("");
      expect(slots(String(words[key])), key).toEqual(slots(text));
    }
  });

  it("keep numbers and names as they run", () => {
    expect(verifyWords("ar", "arabic")("verify.checking", { n: 3, of: 12 })).toBe(
      "نحسب التوزيعة \u2066٣\u2069 من \u2066١٢\u2069",
    );
  });
});
