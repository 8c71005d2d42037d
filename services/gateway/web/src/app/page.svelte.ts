/** The page: who plays, which screen is shown, the table or room that is followed, and what has to be said. */

import { Api, ApiError } from "../core/api";
import { browserAround, socketUrl } from "../core/around";
import { viewHash } from "../core/hash";
import type { Mode, OptionChoices, Preset } from "../core/options";
import type { LiveTable, Room } from "../core/protocol";
import { reason } from "../core/reasons";
import { Session } from "../core/session";
import { Sounds } from "../core/sound";
import type { LinkState } from "../core/socket";
import { lastingKeeper, tabKeeper } from "../core/storage";
import { TableClient } from "../core/table";
import { Game } from "./game.svelte";
import { fetchAhead, parts } from "./parts";
import { inviteLink, joinCode, showPath, tableOfPath } from "./paths";
import { Preferences } from "./settings.svelte";
import { Shuffling } from "./shuffling.svelte";
import { Teller } from "./teller.svelte";

export type Screen = "home" | "room" | "table";
/** What the home page asks before it can go on. */
export type Asking = "name" | "join" | "menu" | null;
const TICK_MS = 100;
/** What is shown first comes first. */
const FETCH_AHEAD_MS = 3_000;
/** How long "copied" stands on the button. */
const COPIED_MS = 2_000;

export class Page {
  readonly lasting = lastingKeeper();
  readonly tab = tabKeeper();
  readonly session = new Session(this.lasting);
  readonly api = new Api(this.session);
  readonly sounds = new Sounds(this.lasting);
  readonly preferences = new Preferences(this.lasting);
  readonly teller = new Teller(this.preferences);
  readonly game: Game;
  readonly shuffling: Shuffling;
  readonly client: TableClient;
  screen: Screen = $state("home");
  asking: Asking = $state(null);
  name = $state("");
  busy = $state(false);
  muted = $state(false);
  room: Room | null = $state.raw(null);
  live: readonly LiveTable[] = $state.raw([]);
  waiting: Room | null = $state.raw(null);
  link: LinkState = $state.raw({ phase: "off", code: "", banner: false, downSince: null });
  /** Another tab plays on what this one had. */
  elsewhere = $state(false);
  preset: Preset = $state("PRESET_SAHRAT");
  mode: Mode = $state("MODE_PARTNERS");
  code = $state("");
  copied = $state(false);

  constructor() {
    const { sounds, lasting, tab } = this;
    this.muted = sounds.muted;
    this.name = this.session.account?.displayName ?? this.lasting.get<string>("name") ?? "";
    const around = browserAround();
    this.client = new TableClient(socketUrl(), this.session, around, {
      view: (view, events, before) => {
        this.game.follow(view, events);
        this.shuffling.follow(view, events, before);
        if (this.game.desk) this.teller.tell(this.game.desk, events, before);
      },
      room: (room) => this.roomIs(room),
      ended: (code) => this.ended(code),
      link: (state) => this.linkIs(state),
    });
    this.game = new Game({
      client: this.client,
      sounds,
      lasting,
      tab,
      refused: (code) => this.say(code),
      cameBack: () => this.teller.toast((t) => t("stage.returned")),
    });
    this.shuffling = new Shuffling({
      client: this.client,
      lasting,
      account: () => this.session.account?.accountId ?? "",
      teller: this.teller,
      words: () => this.preferences.words,
      refused: (code) => this.say(code),
    });
    const kept = lasting.get<{ preset?: Preset; mode?: Mode }>("choice");
    if (kept?.preset === "PRESET_BANAKIL202") this.preset = kept.preset;
    if (kept?.mode === "MODE_DUEL") this.mode = kept.mode;
  }

  /** Loads the words and goes where the address says. */
  async start(): Promise<void> {
    // Beside the words, not after them.
    if (!tableOfPath()) void parts.home().catch(() => undefined);
    await this.preferences.load();
    setInterval(() => {
      this.game.tick();
      this.shuffling.tick();
    }, TICK_MS);
    const unlock = () => this.sounds.unlock();
    for (const gesture of ["pointerdown", "keydown"]) document.addEventListener(gesture, unlock, { capture: true });
    window.addEventListener("hashchange", () => this.route());
    this.route();
    setTimeout(() => void fetchAhead(), FETCH_AHEAD_MS);
  }

  /** Revision and hash of the view as this page holds it, `12/ab34…`: alike for two clients that saw the same. */
  async viewHash(): Promise<string> {
    const { view } = this.game.desk ?? {};
    return view ? `${view.revision}/${await viewHash(view)}` : "";
  }

  setMuted(muted: boolean): void {
    this.sounds.muted = muted;
    this.muted = muted;
  }

  choose(preset: Preset, mode: Mode): void {
    this.preset = preset;
    this.mode = mode;
    this.lasting.set("choice", { preset, mode });
  }

  /** With bots at once, or with whoever comes. */
  quickPlay(withBots: boolean): Promise<void> {
    return this.enter(() => this.api.quickPlay(this.preset, this.mode, withBots));
  }

  newRoom(): Promise<void> {
    const options: OptionChoices = { preset: this.preset, mode: this.mode };
    return this.enter(() => this.api.createRoom(options));
  }

  join(code: string): Promise<void> {
    return this.enter(() => this.api.joinRoom(code.trim().toUpperCase()));
  }

  /** Back to the room where one waits. */
  toRoom(room: Room): void {
    this.roomIs(room);
    if (this.screen === "room") this.client.followRoom(room.roomId);
  }

  async startRoom(): Promise<void> {
    const { room } = this;
    if (room) await this.quietly(async () => this.roomIs(await this.api.startRoom(room.roomId)));
  }

  async leaveRoom(): Promise<void> {
    const { room } = this;
    this.goHome();
    if (room) await this.quietly(() => this.api.leaveRoom(room.roomId));
    await this.lookAround();
  }

  toTable(tableId: string): void {
    this.asking = null;
    this.room = null;
    this.elsewhere = false;
    this.screen = "table";
    showPath(`table/${tableId}`);
    if (this.game.desk?.view.tableId !== tableId) {
      this.game.desk = null;
      this.game.over = null;
      this.game.read = "";
    }
    this.client.followTable(tableId);
  }

  goHome(): void {
    this.client.leave();
    this.game.desk = null;
    this.game.over = null;
    this.room = null;
    this.elsewhere = false;
    this.screen = "home";
    showPath("");
    void this.lookAround();
  }

  /** The name one is going to have: kept until there is an account. Who came by a link goes on to the room. */
  called(name: string): void {
    this.name = name;
    this.lasting.set("name", name);
    if (this.code) void this.join(this.code);
    else this.asking = null;
  }

  stopAsking(): void {
    this.asking = null;
    this.code = "";
    showPath("");
  }

  /** Sends the invitation the way that this device can: its own sheet, the clipboard, or in sight to be copied by hand. */
  async share(code: string): Promise<void> {
    const url = inviteLink(code);
    try {
      await navigator.clipboard.writeText(url);
      this.copied = true;
      setTimeout(() => (this.copied = false), COPIED_MS);
    } catch {
      this.teller.toast(() => url);
    }
    // Not every browser has it, and the player may well close it again: both are no fault.
    if (matchMedia("(pointer: coarse)").matches) await navigator.share?.({ url }).catch(() => undefined);
  }

  /** Another game with the same players. */
  async again(): Promise<void> {
    const { view } = this.game.desk ?? {};
    if (!view) return;
    this.choose(view.options.preset, view.options.mode);
    this.goHome();
    await this.enter(() => this.api.playAgain(view.tableId));
  }

  /** Plays here what another tab has taken over. */
  takeOver(): void {
    this.elsewhere = false;
    this.client.takeOver();
  }

  /** A refusal in the page's language. */
  say(code: string): void {
    if (code !== "BUSY") this.teller.toast((t) => reason(t, code), true);
  }

  /** Finds the live tables and the room where the player waits. */
  async lookAround(): Promise<void> {
    if (!this.session.account) return;
    await this.quietly(async () => {
      const { tables, room } = await this.api.whereToGoOn();
      this.live = tables;
      this.waiting = room;
    });
  }

  private route(): void {
    const tableId = tableOfPath();
    const code = joinCode();
    if (tableId && this.session.account) {
      if (this.screen !== "table") this.toTable(tableId);
    } else if (code) {
      this.code = code;
      if (this.session.account) void this.join(code);
      else this.asking = "name";
    } else if (this.screen !== "home") this.goHome();
    void this.lookAround();
  }

  /** Signs up where need be, asks for a place, and goes to the room or table. */
  private async enter(ask: () => Promise<Room>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    await this.quietly(async () => {
      if (!this.session.account) {
        const { displayName } = await this.session.signUp(this.name.trim() || this.teller.guestName());
        this.name = displayName;
      }
      this.toRoom(await ask());
    });
    this.busy = false;
  }

  private roomIs(room: Room): void {
    if (room.tableId) this.toTable(room.tableId);
    else {
      this.asking = null;
      this.room = room;
      this.screen = "room";
    }
  }

  private ended(code: string): void {
    if (code === "WATCH_SUPERSEDED") this.elsewhere = true;
    else if (code === "ROOM_STARTED") void this.findStarted();
    else if (code !== "TABLE_CLOSED") {
      this.say(code);
      this.goHome();
    }
  }

  /** The room's last frame may have come before it was a table. */
  private async findStarted(): Promise<void> {
    await this.lookAround();
    const table = this.live[0];
    if (table && this.screen === "room") this.toTable(table.tableId);
  }

  private linkIs(state: LinkState): void {
    const back = state.phase === "live" && this.link.phase !== "live";
    this.link = state;
    if (back) this.shuffling.resumed();
    if (state.phase === "stopped" && state.code !== "WATCH_SUPERSEDED") {
      this.say(state.code);
      if (state.code === "CREDENTIAL_INVALID") this.name = "";
    }
  }

  private async quietly(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.say(error.code);
      if (error.code === "ALREADY_PLAYING") await this.lookAround();
    }
  }
}
