import { describe, expect, it } from "vitest";
import { CAUSES } from "../core/purse";
import { arCoins } from "./ar/coins";
import { coinText, coinWords } from "./coins";
import { enCoins } from "./en/coins";

const slots = (message: unknown) => new Set(JSON.stringify(message).match(/\{\w+\}/g) ?? []);

describe("the words about coins", () => {
  it("have the same slots in both languages", () => {
    for (const [key, message] of Object.entries(enCoins)) {
      const arabic = [...slots(arCoins[key as keyof typeof enCoins])].filter((slot) => slot !== "{n}");
      expect(new Set(arabic), key).toEqual(new Set([...slots(message)].filter((slot) => slot !== "{n}")));
    }
  });

  it("have a word for each cause of a transfer", () => {
    for (const cause of CAUSES) expect(coinWords("ar", "latin")(`cause.${cause}`)).not.toBe("");
  });

  it("count in Arabic", () => {
    const t = coinWords("ar", "arabic");
    expect(t("wallet.streak", { n: 2 })).toBe("يومان على التوالي");
    expect(t("wallet.streak", { n: 12 }).replace(/[\u2066-\u2069]/g, "")).toBe("١٢ يومًا على التوالي");
  });

  it("write coins in groups, as a whole", () => {
    expect(coinText(1_000, "latin")).toBe("\u20661,000\u2069");
    expect(coinText(1_234_567, "latin")).toBe("\u20661,234,567\u2069");
    expect(coinText(-360, "latin", true)).toBe("\u2066\u2212360\u2069");
    expect(coinText(360, "latin", true)).toBe("\u2066+360\u2069");
    expect(coinText(2_500, "arabic")).toBe("\u2066٢٬٥٠٠\u2069");
    expect(coinText(0, "latin", true)).toBe("\u20660\u2069");
  });
});
