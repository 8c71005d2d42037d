/** The page: who plays, which screen is shown, the table or room that is followed, and what has to be said. */

import { browserAround, socketUrl } from "../core/around";
import { viewHash } from "../core/hash";
import type { Wish } from "../core/protocol";
import { reason } from "../core/reasons";
import { Session } from "../core/session";
import { Sounds } from "../core/sound";
import type { LinkState } from "../core/socket";
import { lastingKeeper, tabKeeper } from "../core/storage";
import { TableClient } from "../core/table";
import { Game } from "./game.svelte";
import { Lobby } from "./lobby.svelte";
import { fetchAhead, parts } from "./parts";
import { inviteLink, joinCode, showPath, tableOfPath, watchedTable, watchLink } from "./paths";
import { Preferences } from "./settings.svelte";
import { Sharing } from "./sharing.svelte";
import { Shuffling } from "./shuffling.svelte";
import { Talk } from "./talk.svelte";
import { Teller } from "./teller.svelte";

export type Screen = "home" | "room" | "table" | "plain";
/** What the plain page says: that one has left, or that one may look on. */
export type Plain = "left" | "watch";
/** What the home page asks before it can go on. */
export type Asking = "name" | "join" | "menu" | "format" | CoinAsking | null;
export type CoinAsking = "account" | "wallet" | "quick" | "room" | "stake" | "ranks";
/** What is asked, or shown, where something keeps one from a table for coins. */
const ASKED: Readonly<Record<string, CoinAsking>> = {
  STAKE_NOT_AGREED: "stake",
  GUEST_ACCOUNT: "account",
  TOO_FEW_MATCHES: "wallet",
  TOO_FEW_COINS: "wallet",
};
const TICK_MS = 100;
/** What is shown first comes first. */
const FETCH_AHEAD_MS = 3_000;

export class Page {
  readonly lasting = lastingKeeper();
  readonly tab = tabKeeper();
  readonly session = new Session(this.lasting);
  readonly sounds = new Sounds(this.lasting);
  readonly preferences = new Preferences(this.lasting);
  readonly teller = new Teller(this.preferences);
  readonly sharing = new Sharing(this.teller);
  readonly lobby: Lobby;
  readonly talk: Talk;
  readonly game: Game;
  readonly shuffling: Shuffling;
  readonly client: TableClient;
  screen: Screen = $state("home");
  asking: Asking = $state(null);
  muted = $state(false);
  link: LinkState = $state.raw({ phase: "off", code: "", banner: false, downSince: null });
  /** Another tab plays on what this one had. */
  elsewhere = $state(false);
  code = $state("");
  plain: Plain = $state("left");
  /** Looks on at the table, or would: without a seat there. */
  watching = $state("");
  spectators = $state(0);

  constructor() {
    const { sounds, lasting, tab } = this;
    this.muted = sounds.muted;
    const around = browserAround();
    this.client = new TableClient(socketUrl(), this.session, around, {
      view: (view, events, before) => {
        this.game.follow(view, events);
        this.shuffling.follow(view, events, before);
        if (this.game.desk) this.teller.tell(this.game.desk, events, before);
      },
      room: (room) => this.lobby.is(room),
      said: (said) => this.talk.heard(said, this.game.desk?.view ?? null),
      spectators: (count) => (this.spectators = count),
      ended: (code) => this.ended(code),
      link: (state) => this.linkIs(state),
    });
    this.lobby = new Lobby({
      session: this.session,
      lasting,
      guestName: () => this.teller.guestName(),
      refused: (code) => {
        this.asking = ASKED[code] ?? this.asking;
        if (this.asking !== "stake") this.say(code);
      },
      table: (tableId) => this.toTable(tableId),
      waits: ({ roomId }) => {
        this.asking = null;
        this.screen = "room";
        this.client.followRoom(roomId);
      },
      left: () => this.goHome(),
    });
    this.talk = new Talk({
      client: this.client,
      lasting,
      now: around.now,
      after: around.after,
      heard: (said) => void this.teller.speak(said, this.game.desk?.view ?? null),
      refused: (code) => this.say(code),
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
  }

  /** Loads the words and goes where the address says. */
  async start(): Promise<void> {
    // Beside the words, not after them.
    if (!tableOfPath() && !watchedTable()) void parts.home().catch(() => undefined);
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

  toTable(tableId: string, watching = false): void {
    const same = this.game.desk?.view.tableId === tableId && (this.watching !== "") === watching;
    this.asking = null;
    this.lobby.room = null;
    this.elsewhere = false;
    this.watching = watching ? tableId : "";
    this.screen = "table";
    showPath(watching ? `/t/${tableId}` : `table/${tableId}`);
    if (!same) this.clearTable();
    this.client.followTable(tableId, watching);
  }

  goHome(): void {
    this.client.leave();
    this.clearTable();
    this.lobby.room = null;
    this.elsewhere = false;
    this.watching = "";
    this.screen = "home";
    showPath("");
    void this.lobby.lookAround();
  }

  /** Looks on; who has no account yet gets one for it. */
  watch(tableId: string): Promise<void> {
    return this.lobby.begin(async () => this.toTable(tableId, true));
  }

  /** Asks the table for what is no play of cards; says whether it is granted. */
  async wish(wish: Wish): Promise<boolean> {
    const outcome = await this.client.ask(wish);
    if (!outcome.ok) this.say(outcome.code);
    return outcome.ok;
  }

  /** Leaves the seat for this match; where there is none left, the table. */
  async leaveTable(): Promise<void> {
    const { view } = this.game.desk ?? {};
    if (view?.viewerSeat === undefined || view.stage === "STAGE_CLOSED") this.goHome();
    else {
      const outcome = await this.client.ask({ leave: {} });
      // The table may say that the seat is left before it answers the wish.
      if (outcome.ok || outcome.code === "SEAT_LEFT") this.hasLeft();
      else this.say(outcome.code);
    }
  }

  /** The name one is going to have. Who came by a link goes on to the room. */
  called(name: string): void {
    this.lobby.called(name);
    if (this.code) void this.lobby.join(this.code);
    else this.asking = null;
  }

  stopAsking(): void {
    this.asking = null;
    this.code = this.lobby.wanted = "";
    showPath("");
  }

  /** Sends an invitation into a room. */
  invite(code: string): Promise<void> {
    return this.sharing.share(inviteLink(code));
  }

  /** Sends a link by which anybody may look on at this table. */
  async inviteToWatch(): Promise<void> {
    const { view } = this.game.desk ?? {};
    if (view) await this.sharing.share(watchLink(view.tableId));
  }

  /** Another game with the same players. */
  async again(): Promise<void> {
    const { view } = this.game.desk ?? {};
    if (!view) return;
    this.goHome();
    await this.lobby.again(view);
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

  private route(): void {
    const watched = watchedTable();
    const tableId = tableOfPath();
    const code = joinCode();
    if (watched) {
      this.watching = watched;
      if (this.session.account) this.toTable(watched, true);
      else this.showPlain("watch");
    } else if (tableId && this.session.account) {
      if (this.screen !== "table") this.toTable(tableId);
    } else if (code) {
      this.code = code;
      if (this.session.account) void this.lobby.join(code);
      else this.asking = "name";
    } else if (this.screen !== "home") this.goHome();
    void this.lobby.lookAround();
  }

  private showPlain(plain: Plain): void {
    this.plain = plain;
    this.screen = "plain";
  }

  private clearTable(): void {
    this.game.desk = null;
    this.game.over = null;
    this.game.read = "";
    this.talk.clear();
    this.teller.hush();
    this.spectators = 0;
  }

  /** The seat is left: of the table one may still be a looker-on. */
  private hasLeft(): void {
    if (this.screen !== "table") return;
    const tableId = this.game.desk?.view.tableId ?? tableOfPath() ?? "";
    this.client.leave();
    this.talk.clear();
    this.teller.hush();
    this.watching = tableId;
    this.showPlain("left");
    this.game.over = null;
    showPath("");
  }

  private ended(code: string): void {
    if (code === "WATCH_SUPERSEDED") this.elsewhere = true;
    else if (code === "ROOM_STARTED") void this.findStarted();
    else if (code === "SEAT_LEFT") this.hasLeft();
    else if (code !== "TABLE_CLOSED") {
      this.say(code);
      this.goHome();
    }
  }

  /** The room's last frame may have come before it was a table. */
  private async findStarted(): Promise<void> {
    await this.lobby.lookAround();
    const table = this.lobby.live[0];
    if (table && this.screen === "room") this.toTable(table.tableId);
  }

  private linkIs(state: LinkState): void {
    const back = state.phase === "live" && this.link.phase !== "live";
    this.link = state;
    if (back) this.shuffling.resumed();
    if (state.phase === "stopped" && state.code !== "WATCH_SUPERSEDED") {
      this.say(state.code);
      if (state.code === "CREDENTIAL_INVALID") this.lobby.name = "";
    }
  }
}
