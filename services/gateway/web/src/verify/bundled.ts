/** The primitives of a library, for pages that are no secure context and browsers without Ed25519. */

import { ed25519 } from "@noble/curves/ed25519.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import type { Bytes } from "./bytes";
import type { Primitives } from "./primitives";

export const bundled: Primitives = {
  sha256: async (data) => own(sha256(data)),
  sha512: async (data) => own(sha512(data)),
  hmac: async (key) => async (data) => own(hmac(sha512, key, data)),
  async signedBy(key, signature, data) {
    try {
      // As strict as RFC 8032, like the browsers' own.
      return ed25519.verify(signature, data, key, { zip215: false });
    } catch {
      return false;
    }
  },
};

function own(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes);
}
