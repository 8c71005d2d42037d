import { describe, expect, it } from "vitest";
import { keepSettings, readSettings } from "./settings";
import { memoryKeeper } from "./storage";

describe("settings", () => {
  it("are Arabic first; English for who reads English and no Arabic", () => {
    const locale = (...languages: string[]) => readSettings(memoryKeeper(), languages).locale;
    expect([locale(), locale("fr"), locale("en-GB", "ar-SA"), locale("en-US", "fr")]).toEqual(["ar", "ar", "ar", "en"]);
  });

  it("are kept, and rubbish is not", () => {
    const keeper = memoryKeeper();
    keepSettings(keeper, { locale: "en", digits: "arabic", suits: "two" });
    expect(readSettings(keeper, ["ar"])).toEqual({ locale: "en", digits: "arabic", suits: "two" });
    for (const rubbish of [3, "x", { locale: "xx", digits: 4, suits: null }]) {
      keeper.set("settings", rubbish);
      expect(readSettings(keeper, ["ar"])).toEqual({ locale: "ar", digits: "latin", suits: "four" });
    }
  });
});
