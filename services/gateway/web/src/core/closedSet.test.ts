import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hex } from "../verify/bytes";
import { readFair } from "../verify/fairJson";
import { readJson } from "../verify/json";
import { closedBytes } from "../verify/values";
import { bytesOf, isHexOf, readClosed } from "./closedSet";

const GOLDEN = new URL("../../../../../tests/golden/fair.json", import.meta.url);
const deals = (JSON.parse(readFileSync(GOLDEN, "utf8")) as { deals: { name: string; fair: object }[] }).deals;

it.each(deals)("the closed set of $name reads as what it says, and not when a byte is missing or added", ({ fair }) => {
  const { closed } = readFair(readJson(new TextEncoder().encode(JSON.stringify(fair)))).played;
  const text = hex(closedBytes(closed));
  expect(readClosed(text)).toEqual(closed);
  expect(readClosed(text.slice(0, -2))).toBeNull();
  expect(readClosed(`${text}00`)).toBeNull();
  expect(readClosed(text.toUpperCase())).toBeNull();
});

it("hex has one spelling", () => {
  expect(hex(bytesOf("00ff10"))).toBe("00ff10");
  for (const text of ["0", "0G", "FF", " 00", "0x00"])
    expect([bytesOf(text).length, isHexOf(text, 1)]).toEqual([0, false]);
  expect([isHexOf("00ff", 2), isHexOf("00ff", 1)]).toEqual([true, false]);
});
