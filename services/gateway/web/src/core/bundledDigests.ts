/** A library's SHA-512 and Ed25519, in a file of its own that most pages never fetch. */

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import type { Digests } from "./digests";

export const bundled: Digests = {
  sha512: async (data) => new Uint8Array(sha512(data)),
  async signedBy(key, signature, data) {
    try {
      // As strict as RFC 8032, like the browsers' own.
      return ed25519.verify(signature, data, key, { zip215: false });
    } catch {
      return false;
    }
  },
};
