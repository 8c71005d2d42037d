import { describe, expect, it } from "vitest";
import { Decimal, JsonError, readJson, type Json } from "./json";

const read = (text: string): Json => readJson(new TextEncoder().encode(text));

describe("JSON as evidence", () => {
  it("reads what JSON.parse reads", () => {
    const text = '\ufeff {"a": [1, -20, true, false, null, "x\\u00e9\\n\\"\\\\\\/", {}, []], "نص": "٣"}\n';
    const plain = (value: Json): unknown =>
      value instanceof Map
        ? Object.fromEntries([...(value as ReadonlyMap<string, Json>)].map(([name, inner]) => [name, plain(inner)]))
        : Array.isArray(value)
          ? value.map(plain)
          : value;
    expect(plain(read(text))).toEqual(JSON.parse(text.slice(1)));
  });

  it("tells 1 from 1.0, keeps long numbers whole, and has no minus zero", () => {
    expect(read("[1, 1.0, 1e0, 18446744073709551615, -0]")).toEqual([
      1,
      new Decimal(1),
      new Decimal(1),
      18446744073709551615n,
      0,
    ]);
  });

  it("takes a name like __proto__ for a name", () => {
    expect((read('{"__proto__": 1}') as ReadonlyMap<string, Json>).get("__proto__")).toBe(1);
  });

  it.each([
    '{"a": 1, "a": 1}',
    '{"a": 1, "\\u0061": 2}',
    "",
    "{",
    "[1,]",
    '{"a" 1}',
    "{a: 1}",
    "01",
    "+1",
    ".5",
    "NaN",
    "Infinity",
    "tru",
    '"\u0007"',
    '"\\x41"',
    '"\\u12g4"',
    '"open',
    "1 2",
    "[".repeat(200) + "]".repeat(200),
    "1".repeat(500),
  ])("refuses %j", (text) => {
    expect(() => read(text)).toThrow(JsonError);
  });

  it("refuses what is not UTF-8", () => {
    expect(() => readJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(JsonError);
  });
});
