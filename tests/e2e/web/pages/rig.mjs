// What is dealt from now on at the platform with the rigged dealer (tests/support/rigged.py says what may be in it).
import { renameSync, writeFileSync } from "node:fs";

/** Eleven cards that make no meld with one another, nor with the six of 9S TS JS and QH KH AH. */
export const LOOSE = "5S 5S 5H 8H 4D TD KD 4C 7C TC KC";

/** `hands` by seat: the person who begins a game against house bots sits at 0. */
export function rig(what) {
  const path = process.env.RIG;
  if (!path) throw new Error("this scenario needs the rigged dealer");
  writeFileSync(`${path}.new`, JSON.stringify(what));
  renameSync(`${path}.new`, path);
}
