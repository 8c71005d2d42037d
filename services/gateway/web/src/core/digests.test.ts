import { describe, expect, it } from "vitest";
import { digests } from "./digests";
import { hex, unhex, type Bytes } from "./fairValues";
import { promptDigests } from "./testing/shuffles";

const DATA: Bytes = new TextEncoder().encode("banakil");
// RFC 8032, 7.1, test 3.
const KEY = unhex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
const SIGNATURE = unhex(
  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
);
const SIGNED = unhex("af82");

/** A browser that has SHA-2 and does not know the curve. */
const old = {
  digest: (name: string, data: Bytes) => crypto.subtle.digest(name, data),
  importKey: () => Promise.reject(new Error("NotSupportedError")),
} as unknown as SubtleCrypto;

describe.each([
  ["the browser's own", crypto.subtle],
  ["a browser's without Ed25519", old],
  ["a library's", null as never],
])("%s digests", (_, subtle) => {
  it("hash", async () => {
    const by = await digests(subtle);
    expect(hex(await by.sha512(DATA))).toBe(hex(await promptDigests.sha512(DATA)));
  });

  it("know a signature from what is none", async () => {
    const by = await digests(subtle);
    expect(await by.signedBy(KEY, SIGNATURE, SIGNED)).toBe(true);
    expect(await by.signedBy(KEY, SIGNATURE, DATA)).toBe(false);
    expect(await by.signedBy(KEY, SIGNATURE.slice(1), SIGNED)).toBe(false);
    expect(await by.signedBy(new Uint8Array(), SIGNATURE, SIGNED)).toBe(false);
    expect(await by.signedBy(new Uint8Array(32).fill(255), SIGNATURE, SIGNED)).toBe(false);
  });
});
