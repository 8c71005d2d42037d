/**
 * SHA-2, HMAC and Ed25519: the browser's own where the page is a secure context and the browser knows the curve, else a
 * library's that comes with the page.
 */

import type { Bytes } from "./bytes";

export interface Primitives {
  sha256(data: Bytes): Promise<Bytes>;
  sha512(data: Bytes): Promise<Bytes>;
  /** HMAC-SHA512 with this key. */
  hmac(key: Bytes): Promise<(data: Bytes) => Promise<Bytes>>;
  /** Whether the signature is the key's; false for a key or a signature that is none. */
  signedBy(key: Bytes, signature: Bytes, data: Bytes): Promise<boolean>;
}

/** What this browser has best. Loads the library where it is needed, so that all that follows works offline. */
export async function primitives(
  subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle as SubtleCrypto | undefined,
): Promise<Primitives> {
  if (!subtle) return (await import("./bundled")).bundled;
  const own = browserPrimitives(subtle);
  if (await knowsEd25519(subtle)) return own;
  return { ...own, signedBy: (await import("./bundled")).bundled.signedBy };
}

function browserPrimitives(subtle: SubtleCrypto): Primitives {
  const digest = async (name: string, data: Bytes) => new Uint8Array(await subtle.digest(name, data));
  return {
    sha256: (data) => digest("SHA-256", data),
    sha512: (data) => digest("SHA-512", data),
    async hmac(key) {
      const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-512" }, false, ["sign"]);
      return async (data) => new Uint8Array(await subtle.sign("HMAC", imported, data));
    },
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
