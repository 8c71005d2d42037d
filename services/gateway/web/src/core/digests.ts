/**
 * SHA-512 and Ed25519: the browser's own where the page is a secure context and the browser knows the curve, else a
 * library's, fetched when it is needed. A page from a home network (http://192.168...) has no `crypto.subtle`.
 */

import type { Bytes, Sha512 } from "./fairValues";

export interface Digests {
  readonly sha512: Sha512;
  /** Whether the signature is the key's; false for a key or a signature that is none. */
  readonly signedBy: (key: Bytes, signature: Bytes, data: Bytes) => Promise<boolean>;
}

/** The best that this browser has. */
export async function digests(
  subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle as SubtleCrypto | undefined,
): Promise<Digests> {
  if (!subtle) return (await import("./bundledDigests")).bundled;
  const sha512: Sha512 = async (data) => new Uint8Array(await subtle.digest("SHA-512", data));
  if (!(await knowsEd25519(subtle))) return { ...(await import("./bundledDigests")).bundled, sha512 };
  return {
    sha512,
    async signedBy(key, signature, data) {
      try {
        const imported = await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
        return await subtle.verify("Ed25519", imported, signature, data);
      } catch {
        return false;
      }
    },
  };
}

/** Asked with a key that is right for sure: the generator's own point. */
async function knowsEd25519(subtle: SubtleCrypto): Promise<boolean> {
  const point = new Uint8Array(32).fill(0x66);
  point[0] = 0x58;
  try {
    await subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}
