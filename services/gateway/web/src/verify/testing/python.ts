/** What Python made and says of it (`make web-fixtures`): ceremonies, spoilt ones, and whole matches played from them. */

import { builtFile } from "../../core/testing/built";
import { unhex } from "../bytes";
import { readJson, type Json } from "../json";

export type Said = readonly (readonly [name: string, outcome: string])[];

export interface CeremonyCase {
  readonly options: object;
  readonly fair: object;
  readonly closed: readonly string[];
  readonly deck: readonly number[];
  readonly reshuffle: { readonly n: number; readonly pile: readonly number[]; readonly stock: readonly number[] };
  readonly autocut: number;
  readonly starter: number | null;
  readonly checks: Said;
}

export interface SpoiltCase {
  readonly options: object;
  /** The `fair` object as a file has it. */
  readonly text: string;
  readonly checks?: Said;
  readonly unreadable?: string;
}

export interface MatchCase {
  readonly record: { readonly deals: readonly { readonly starter?: number; readonly actions: readonly string[] }[] };
  readonly deals: readonly {
    readonly hands: readonly (readonly string[])[];
    readonly pile: readonly string[];
    readonly reshuffles: number;
    readonly end: string;
    /** Half-points. */
    readonly teams: readonly number[];
  }[];
}

export interface SeriesDeal {
  readonly starter: number;
  readonly actions: readonly string[];
}

export interface SeriesFile {
  readonly matches: readonly { readonly swapped?: readonly number[]; readonly deals: readonly SeriesDeal[] }[];
}

interface Fair {
  readonly key: { readonly id: string; readonly public: string };
  readonly ceremonies: readonly CeremonyCase[];
  readonly spoilt: readonly SpoiltCase[];
}

export const fair = builtFile<Fair>("fair.json");
export const matches = builtFile<readonly MatchCase[]>("fair_records.json");
/** Whole series with swaps of seats, as records. */
export const series = builtFile<readonly SeriesFile[]>("fair_series.json");
export const keys = new Map([[fair.key.id, unhex(fair.key.public)!]]);

/** A value as this folder reads it. */
export function asJson(value: unknown): Json {
  return textJson(JSON.stringify(value));
}

export function textJson(text: string): Json {
  return readJson(new TextEncoder().encode(text));
}
