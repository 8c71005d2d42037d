/** How one comes to a table: the game that one chose, the room where one waits, what goes on elsewhere. */

import { Api, ApiError } from "../core/api";
import type { Mode, OptionChoices, Preset, RuleOptions } from "../core/options";
import type { LiveTable, Room } from "../core/protocol";
import type { Session } from "../core/session";
import type { Keeper } from "../core/storage";
import type { View } from "../core/views";

export interface LobbyAround {
  readonly session: Session;
  readonly lasting: Keeper;
  /** A name for who gave none. */
  readonly guestName: () => string;
  readonly refused: (code: string) => void;
  /** The room has become a table, or goes on waiting. */
  readonly table: (tableId: string) => void;
  readonly waits: (room: Room) => void;
  readonly left: () => void;
}

export class Lobby {
  readonly api: Api;
  name = $state("");
  busy = $state(false);
  room: Room | null = $state.raw(null);
  live: readonly LiveTable[] = $state.raw([]);
  waiting: Room | null = $state.raw(null);
  /** The code of the room that is to be joined. */
  wanted = "";
  preset: Preset = $state("PRESET_SAHRAT");
  mode: Mode = $state("MODE_PARTNERS");
  /** How well house bots play, 1 to 5. */
  level = $state(3);

  constructor(private readonly around: LobbyAround) {
    const { session, lasting } = around;
    this.api = new Api(session);
    this.name = session.account?.displayName ?? lasting.get<string>("name") ?? "";
    const kept = lasting.get<{ preset?: Preset; mode?: Mode; level?: number }>("choice");
    if (kept?.preset === "PRESET_BANAKIL202") this.preset = kept.preset;
    if (kept?.mode === "MODE_DUEL") this.mode = kept.mode;
    this.level = kept?.level ?? 3;
  }

  choose(preset: Preset, mode: Mode, level = this.level): void {
    this.preset = preset;
    this.mode = mode;
    this.level = level;
    this.around.lasting.set("choice", { preset, mode, level });
  }

  /** The name one is going to have: kept until there is an account. */
  called(name: string): void {
    this.name = name;
    this.around.lasting.set("name", name);
  }

  /** With bots at once, or with whoever comes. */
  quickPlay(withBots: boolean, stakeCoins = 0): Promise<void> {
    return this.enter(() =>
      this.api.quickPlay(this.preset, this.mode, withBots, stakeCoins, stakeCoins ? 0 : this.level),
    );
  }

  newRoom(format: RuleOptions["format"] = "MATCH_FORMAT_SINGLE", stakeCoins = 0): Promise<void> {
    const options: OptionChoices = { preset: this.preset, mode: this.mode, format, stakeCoins };
    return this.enter(() => this.api.createRoom(options));
  }

  /** A room for a stake is first shown to who has not agreed to it. */
  join(code: string, stakeCoins = 0): Promise<void> {
    this.wanted = code.trim().toUpperCase();
    return this.enter(() => this.api.joinRoom(this.wanted, stakeCoins));
  }

  /** Another game with the same players. */
  again({ tableId, options }: View): Promise<void> {
    this.choose(options.preset, options.mode);
    return this.enter(() => this.api.playAgain(tableId));
  }

  /** Back to the room where one waits. */
  toRoom(room: Room): void {
    this.is(room);
    if (!room.tableId) this.around.waits(room);
  }

  /** The room is another one now. */
  is(room: Room): void {
    this.wanted = "";
    this.room = room.tableId ? null : room;
    if (room.tableId) this.around.table(room.tableId);
  }

  async startRoom(): Promise<void> {
    const { room } = this;
    if (room)
      await this.quietly(async () =>
        this.is(await this.api.startRoom(room.roomId, room.options.stakeCoins ? 0 : this.level)),
      );
  }

  async leaveRoom(): Promise<void> {
    const { room } = this;
    this.around.left();
    if (room) await this.quietly(() => this.api.leaveRoom(room.roomId));
    await this.lookAround();
  }

  /** Finds the live tables and the room where the player waits. */
  async lookAround(): Promise<void> {
    if (!this.around.session.account) return;
    await this.quietly(async () => {
      const { tables, room } = await this.api.whereToGoOn();
      this.live = tables;
      this.waiting = room;
    });
  }

  /** Does what needs an account, one thing at a time; signs up where need be. */
  async begin(action: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    await this.quietly(async () => {
      const { session, guestName } = this.around;
      if (!session.account) this.name = (await session.signUp(this.name.trim() || guestName())).displayName;
      await action();
    });
    this.busy = false;
  }

  /** Asks for a place, and goes to the room or table. */
  private enter(ask: () => Promise<Room>): Promise<void> {
    return this.begin(async () => this.toRoom(await ask()));
  }

  private async quietly(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.around.refused(error.code);
      if (error.code === "ALREADY_PLAYING") await this.lookAround();
    }
  }
}
