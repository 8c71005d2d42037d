import { describe, expect, it } from "vitest";
import { ServerClock, TurnClock, secondsLeft } from "./clock";
import { LastSeconds, Sounds, type AudioLike } from "./sound";
import { memoryKeeper } from "./storage";

const SERVER = 1_700_000_000_000;

/** A local clock and a server's that is ahead by `SERVER`. */
function make() {
  const time = { now: 5_000 };
  const server = new ServerClock(() => time.now);
  const ping = (thereMs: number, backMs: number) => {
    const sentAt = time.now;
    time.now += thereMs;
    const stamp = SERVER + time.now;
    time.now += backMs;
    server.heard(stamp, sentAt);
  };
  return { time, server, turn: new TurnClock(server), ping };
}

describe("UX 29: the clock", () => {
  it("is within 250 ms of the server's though messages come late", () => {
    const { time, server, turn, ping } = make();
    ping(40, 60);
    const stamp = SERVER + time.now;
    time.now += 3_000;
    server.heard(stamp);
    turn.set(stamp, 20_000);
    expect(Math.abs(turn.remainingMs()! - 17_000)).toBeLessThan(50);
  });

  it("is so after 30 s in a hidden tab, and after a sleep in which the local clock stood still", () => {
    const { time, server, turn, ping } = make();
    ping(20, 20);
    turn.set(SERVER + time.now, 40_000);
    time.now += 30_000;
    expect(Math.abs(turn.remainingMs()! - 10_000)).toBeLessThan(250);
    // The device slept for 7 s: the server's clock went on, performance.now() did not.
    server.heard(SERVER + time.now + 7_000);
    expect(Math.abs(turn.remainingMs()! - 3_000)).toBeLessThan(250);
  });

  it("trusts the ping with the shortest way most", () => {
    const { time, server, ping } = make();
    ping(900, 100);
    ping(10, 10);
    ping(100, 900);
    expect(Math.abs(server.serverNow() - (SERVER + time.now))).toBeLessThan(20);
  });

  it("says nothing where no clock runs, and never less than nothing", () => {
    const { time, turn, ping } = make();
    ping(0, 0);
    expect(turn.remainingMs()).toBeNull();
    turn.set(SERVER + time.now, 1_000);
    time.now += 60_000;
    expect(turn.remainingMs()).toBe(0);
    turn.set(SERVER + time.now, undefined);
    expect(turn.remainingMs()).toBeNull();
  });

  it("UX 31: stands still from the sending to the answer, and then shows the time that passed", () => {
    const { time, turn, ping } = make();
    ping(0, 0);
    turn.set(SERVER + time.now, 10_000);
    turn.freeze();
    time.now += 4_000;
    expect(turn.remainingMs()).toBe(10_000);
    turn.thaw();
    expect(turn.remainingMs()).toBe(6_000);
  });

  it("shows a second for as long as any of it is left", () => {
    expect([5_000, 4_001, 4_000, 1, 0].map(secondsLeft)).toEqual([5, 5, 4, 1, 0]);
  });
});

class FakeAudio {
  state = "suspended";
  currentTime = 0;
  started = 0;
  destination = {};
  resume = async () => void (this.state = "running");
  createGain = () => ({ gain: { setValueAtTime: () => 0, exponentialRampToValueAtTime: () => 0 }, connect: () => 0 });
  createOscillator = () => ({
    frequency: { value: 0 },
    connect: (node: unknown) => node,
    start: () => void this.started++,
    stop: () => 0,
  });
}

describe("UX 30: sound", () => {
  it("there is none before a gesture, and none when muted; mute persists", () => {
    const keeper = memoryKeeper();
    const audio = new FakeAudio();
    const sounds = new Sounds(keeper, () => audio as unknown as AudioLike);
    sounds.play("tick");
    expect(audio.started).toBe(0);
    sounds.unlock();
    sounds.play("tick");
    expect(audio.started).toBe(1);
    sounds.muted = true;
    sounds.play("tick");
    expect(audio.started).toBe(1);
    expect(new Sounds(keeper).muted).toBe(true);
  });

  it("a browser without it stays silent", () => {
    const sounds = new Sounds(memoryKeeper(), () => {
      throw new Error("no audio");
    });
    sounds.unlock();
    sounds.play("turn");
  });

  it("ticks five times in the last five seconds of a turn, however often it is asked", () => {
    const last = new LastSeconds();
    const ticks = (turn: string) => {
      let count = 0;
      for (let left = 8_000; left > -200; left -= 60) count += last.ticks(turn, left) ? 1 : 0;
      return count;
    };
    expect([ticks("1/4"), ticks("1/8")]).toEqual([5, 5]);
  });
});
