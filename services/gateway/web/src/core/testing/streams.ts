/** Streams of whole tables that the server's own code made: every update, and the hash of the view after it. */

import type { SentEvent, Update } from "../protocol";
import { applyDelta } from "../reducer";
import { readView, type View } from "../views";
import { builtFile } from "./built";

/** One applied command, as a viewer is told of it. */
export interface StreamStep {
  /** What is sent: a delta, or a snapshot where players have swapped seats. */
  readonly sent: Update;
  readonly snapshot: Update;
  readonly hash: string;
}

export interface Stream {
  readonly tableId: string;
  readonly viewer: number;
  readonly first: Update;
  readonly steps: readonly StreamStep[];
}

/** The view after a step. */
export function followed(view: View, { sent }: StreamStep): View {
  return sent.delta ? applyDelta(view, sent.delta) : readView(sent.snapshot);
}

/** What a step tells has happened. */
export function eventsOf({ sent }: StreamStep): readonly SentEvent[] {
  return sent.delta?.events ?? [];
}

export const streams = builtFile<readonly Stream[]>("streams.json");
