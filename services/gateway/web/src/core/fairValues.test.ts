import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hex, isHex, promiseOf, readClosed, transcriptOf, unhex, type Bytes, type Context } from "./fairValues";
import { closedOf } from "./testing/shuffles";

/** What the server's code says: made by `shared/fairness`. */
interface Golden {
  readonly deals: readonly {
    readonly name: string;
    readonly fair: {
      readonly series: string;
      readonly match_no: number;
      readonly match: string;
      readonly deal_no: number;
      readonly attempt: number;
      readonly rules: string;
      readonly commitment: string;
      readonly host: number;
      readonly cut_kind: number;
      readonly cut: number;
      readonly beacon: string;
      readonly seats: readonly { kind: number; account: string; h: string; c: string }[];
      readonly transcript: string;
    };
  }[];
}

const golden = JSON.parse(
  readFileSync(new URL("../../../../../tests/golden/fair.json", import.meta.url), "utf8"),
) as Golden;
const sha512 = async (data: Bytes) => new Uint8Array(createHash("sha512").update(data).digest());

describe.each(golden.deals)("$name", ({ fair }) => {
  const ctx: Context = {
    series: fair.series,
    matchNo: fair.match_no,
    match: fair.match,
    dealNo: fair.deal_no,
    attempt: fair.attempt,
    seats: fair.seats.length,
    rules: fair.rules,
  };
  const { commitment, host, cut_kind: cutKind, cut, beacon } = fair;
  const seats = fair.seats.map(({ kind, account, h }) => ({ kind, account, h }));
  const closed = closedOf({ ctx, commitment, host, cutKind, cut, beacon, seats });

  it("has the same promises and the same transcript", async () => {
    for (const [seat, { h, c }] of fair.seats.entries()) {
      if (c) expect(await promiseOf(sha512, ctx, seat, c)).toBe(h);
    }
    const contributions = fair.seats.map(({ c }) => c);
    expect(await transcriptOf(sha512, closed, contributions)).toBe(fair.transcript);
  });

  it("has a closed set that reads as what it says, and not when a byte is missing or added", () => {
    expect(readClosed(closed)).toEqual({ ctx, commitment, host, cutKind, cut, beacon, seats });
    expect(readClosed(closed.slice(0, -2))).toBeNull();
    expect(readClosed(`${closed}00`)).toBeNull();
  });
});

it("hex has one spelling", () => {
  expect(hex(unhex("00ff10"))).toBe("00ff10");
  for (const text of ["0", "0G", "FF", " 00", "0x00"]) expect(isHex(text), text).toBe(false);
  expect(unhex("FF")).toHaveLength(0);
  expect(readClosed("zz")).toBeNull();
});
