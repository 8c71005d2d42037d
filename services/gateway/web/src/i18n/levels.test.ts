import { expect, it } from "vitest";
import { levelNames, levelTitle } from "./levels";

it("five levels have a name and manners in each language", () => {
  for (const locale of ["ar", "en"] as const) {
    const levels = levelNames(locale, "latin");
    expect(levels.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5]);
    for (const { value, short, name } of levels) {
      expect(short).toMatch(new RegExp(`^${value} · [^,،]+$`));
      expect(name.startsWith(short) && name.length > short.length).toBe(true);
    }
    expect(levelTitle(locale)).toMatch(/[?؟]$/);
  }
  expect(levelNames("ar", "arabic")[4]?.short).toBe("٥ · أستاذ");
});
