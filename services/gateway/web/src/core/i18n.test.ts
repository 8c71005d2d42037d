import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ar } from "../i18n/ar";
import { en } from "../i18n/en";
import { CODES } from "./codes";
import { cardText, cardsText, digits, points, signedPoints } from "./format";
import { lengthened, makeTranslate, type Dictionary, type Key, type Message } from "./i18n";
import { reason } from "./reasons";

const KEYS = Object.keys(en) as Key[];
const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, "");
const forms = (message: Message) => (typeof message === "string" ? [message] : Object.values(message));
const slots = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

describe("UX 42: words", () => {
  const languages: [string, Dictionary][] = [
    ["en", en],
    ["ar", ar],
    ["long", lengthened(en)],
  ];

  it.each(languages)("%s has every key, and none is empty", (_, words) => {
    expect(Object.keys(words).sort()).toEqual([...KEYS].sort());
    for (const key of KEYS) for (const text of forms(words[key])) expect(text.trim(), key).not.toBe("");
  });

  it.each(languages)("%s fills the slots that English has, and no other", (_, words) => {
    for (const key of KEYS) {
      const known = new Set([...forms(en[key]).flatMap(slots), ...(typeof en[key] === "object" ? ["n"] : [])]);
      for (const text of forms(words[key])) {
        const used = slots(text);
        expect(
          used.every((slot) => known.has(slot)),
          `${key}: ${text}`,
        ).toBe(true);
        // A form for one or two may say the number in words; nothing else may be dropped.
        for (const slot of known) if (slot !== "n") expect(used, `${key}: ${text}`).toContain(slot);
      }
    }
  });

  it("Arabic has each of its six plural forms wherever English counts", () => {
    const categories = ["few", "many", "one", "other", "two", "zero"];
    for (const key of KEYS) {
      if (typeof en[key] === "string") expect(typeof ar[key], key).toBe("string");
      else expect(Object.keys(ar[key]).sort(), key).toEqual(categories);
    }
  });

  it("Arabic plurals hold for 0 1 2 3 11 100", () => {
    const t = makeTranslate("ar", ar, "latin");
    const said = [0, 1, 2, 3, 11, 100].map((n) => plain(t("pile.take", { n })));
    expect(said).toEqual(["خذ ولا ورقة", "خذ ورقة واحدة", "خذ ورقتين", "خذ 3 ورقات", "خذ 11 ورقة", "خذ 100 ورقة"]);
  });

  it("gives every refusal a reason of four words at the most", () => {
    for (const [locale, words] of [
      ["ar", ar],
      ["en", en],
    ] as const) {
      const t = makeTranslate(locale, words, "latin");
      for (const code of [...CODES, "SOMETHING_NEW"]) {
        const words = reason(t, code).split(/\s+/);
        expect(words.length, `${locale} ${code}: ${words.join(" ")}`).toBeLessThanOrEqual(4);
      }
    }
  });

  it("knows every refusal code of the protos", () => {
    const proto = readFileSync(
      new URL("../../../../../protos/banakil/common/v1/refusals.proto", import.meta.url),
      "utf8",
    );
    const codes = [...proto.matchAll(/^ {2}REFUSAL_CODE_(\w+) = [1-9]/gm)].map((match) => match[1]!);
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => !(CODES as readonly string[]).includes(code))).toEqual([]);
  });

  it('never lets "87.5", "−20" and "7♥" fall apart: each runs left to right by itself', () => {
    expect(points(175, "latin")).toBe("\u206687.5\u2069");
    expect(points(176, "latin")).toBe("\u206688\u2069");
    expect(signedPoints(-40, "latin")).toBe("\u2066\u221220\u2069");
    expect(signedPoints(130, "latin")).toBe("\u2066+65\u2069");
    expect(cardText("7H")).toBe("\u20667♥\u2069");
    expect(cardsText(["TS", "JK"])).toBe("\u206610♠ JK\u2069");
    expect(makeTranslate("ar", ar, "latin")("act.take.top", { card: "TH" })).toBe("خذ \u206610♥\u2069");
  });

  it("writes Arabic-Indic digits where they are wanted", () => {
    expect(digits(-87.5, "arabic")).toBe("\u2212٨٧٫٥");
    expect(plain(makeTranslate("ar", ar, "arabic")("pile.take", { n: 11 }))).toBe("خذ ١١ ورقة");
  });

  it("isolates names, whatever their script", () => {
    const t = makeTranslate("ar", ar, "latin");
    expect(t("table.turn.of", { name: "Fahad" })).toBe("دور \u2068Fahad\u2069");
  });
});
