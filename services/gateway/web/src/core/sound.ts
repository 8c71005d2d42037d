/** Sounds, made on the spot (no files): ticks of the last seconds, the own turn, a card. None before a gesture (UX 30). */

import type { Keeper } from "./storage";

export type Sound = "tick" | "turn" | "card" | "refused";

/** Frequency in hertz, length in seconds, loudness 0..1; several are played one after the other. */
type Tone = readonly [hertz: number, seconds: number, loudness: number];

const TONES: Readonly<Record<Sound, readonly Tone[]>> = {
  tick: [[880, 0.05, 0.2]],
  turn: [
    [587, 0.09, 0.18],
    [880, 0.14, 0.18],
  ],
  card: [[240, 0.035, 0.12]],
  refused: [[196, 0.12, 0.16]],
};
const KEPT = "muted";

/** What of AudioContext is used. */
export type AudioLike = Pick<
  AudioContext,
  "currentTime" | "state" | "resume" | "createOscillator" | "createGain" | "destination"
>;

export class Sounds {
  private audio: AudioLike | null = null;

  constructor(
    private readonly keeper: Keeper,
    private readonly makeAudio: () => AudioLike = () => new AudioContext(),
  ) {}

  get muted(): boolean {
    return this.keeper.get<boolean>(KEPT) === true;
  }

  set muted(muted: boolean) {
    this.keeper.set(KEPT, muted);
  }

  /** To be called within a gesture (a tap, a key): from then on there is sound. */
  unlock(): void {
    try {
      this.audio ??= this.makeAudio();
      if (this.audio.state === "suspended") void this.audio.resume();
    } catch {
      // A browser without sound stays silent.
    }
  }

  play(sound: Sound): void {
    const audio = this.audio;
    if (!audio || this.muted || audio.state !== "running") return;
    let at = audio.currentTime;
    for (const [hertz, seconds, loudness] of TONES[sound]) {
      const oscillator = audio.createOscillator();
      const gain = audio.createGain();
      oscillator.frequency.value = hertz;
      gain.gain.setValueAtTime(loudness, at);
      gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
      oscillator.connect(gain).connect(audio.destination);
      oscillator.start(at);
      oscillator.stop(at + seconds);
      at += seconds;
    }
  }
}

/** Five ticks in the last five seconds of the own turn, each once however often it is asked (UX 30). */
export class LastSeconds {
  private turn = "";
  private ticked = 6;

  /** `turn`: any name of the turn's clock; `remainingMs`: what is left. Says whether to tick now. */
  ticks(turn: string, remainingMs: number): boolean {
    if (turn !== this.turn) {
      this.turn = turn;
      this.ticked = 6;
    }
    const second = Math.ceil(remainingMs / 1000);
    if (second < 1 || second >= this.ticked || second > 5) return false;
    this.ticked = second;
    return true;
  }
}
