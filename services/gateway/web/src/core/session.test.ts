import { describe, expect, it } from "vitest";
import { Api, ApiError } from "./api";
import { Session } from "./session";
import { memoryKeeper, storageKeeper } from "./storage";

const LIFE_S = 3_600;

function jwt(n: number): string {
  const claims = btoa(JSON.stringify({ n, iat: 100, exp: 100 + LIFE_S })).replace(/=+$/, "");
  return `head.${claims}.sign`;
}

class Lobby {
  calls: { path: string; body: Record<string, unknown>; token: string | null }[] = [];
  tokens = 0;
  refuse: Record<string, string> = {};
  isOffline = 0;

  readonly fetch = async (path: string, init: RequestInit): Promise<Response> => {
    if (this.isOffline-- > 0) throw new TypeError("failed to fetch");
    const headers = init.headers as Record<string, string>;
    const body = JSON.parse((init.body as string | undefined) ?? "{}") as Record<string, unknown>;
    this.calls.push({ path, body, token: headers.authorization ?? null });
    const code = this.refuse[path];
    if (code) {
      delete this.refuse[path];
      return Response.json({ error: { code, message: "", retryAfterMs: 7 } }, { status: 401 });
    }
    const token = { jwt: jwt(++this.tokens), expiresAtMs: "1" };
    const account = { accountId: "a1", displayName: body.displayName ?? "Noura" };
    if (path === "/api/guest") return Response.json({ account, refreshSecret: "s3cret", token });
    if (path === "/api/token") return Response.json({ account, token });
    if (path === "/api/tables") return Response.json({ tables: [{ tableId: "t1", options: {} }] });
    return Response.json({ room: { roomId: "r1", state: "ROOM_STATE_WAITING", seats: [{ accountId: "a1" }] } });
  };
}

function make() {
  const lobby = new Lobby();
  const keeper = memoryKeeper();
  const time = { now: 0 };
  const session = new Session(keeper, lobby.fetch, () => time.now);
  return { lobby, keeper, time, session, api: new Api(session, lobby.fetch) };
}

describe("a session", () => {
  it("is a guest in one tap, and the same one after a reload", async () => {
    const { lobby, keeper, session } = make();
    expect(session.account).toBeNull();
    await session.signUp("  Noura  ");
    expect(lobby.calls[0]!.body).toEqual({ displayName: "Noura" });
    const later = new Session(keeper, lobby.fetch, () => 0);
    expect(later.account).toEqual({ accountId: "a1", displayName: "Noura" });
    await later.ticket();
    expect(lobby.calls.at(-1)).toMatchObject({
      path: "/api/token",
      body: { accountId: "a1", refreshSecret: "s3cret" },
    });
  });

  it("cuts a name that is too long at whole letters", async () => {
    const { lobby, session } = make();
    await session.signUp("🐪".repeat(30));
    expect(lobby.calls[0]!.body.displayName).toBe("🐪".repeat(24));
  });

  it("uses a token for most of its life, then renews it, once for all who ask", async () => {
    const { lobby, time, session } = make();
    await session.signUp("Noura");
    expect(await session.ticket()).toBe(jwt(1));
    expect(session.freshForMs()).toBe(LIFE_S * 750);
    time.now = LIFE_S * 750;
    expect(await Promise.all([session.ticket(), session.ticket()])).toEqual([jwt(2), jwt(2)]);
    expect(lobby.calls.filter(({ path }) => path === "/api/token")).toHaveLength(1);
  });

  it("keeps no token, and forgets an account that the server does not know", async () => {
    const { lobby, keeper, session } = make();
    await session.signUp("Noura");
    expect(JSON.stringify(keeper.get("account"))).not.toContain("head.");
    lobby.refuse["/api/token"] = "CREDENTIAL_INVALID";
    await expect(session.renew()).rejects.toMatchObject({ code: "CREDENTIAL_INVALID" });
    expect(session.account).toBeNull();
    await expect(session.ticket()).rejects.toMatchObject({ code: "NO_TOKEN" });
  });

  it("takes rubbish in the browser's storage for no account", () => {
    for (const kept of [3, "x", [], { accountId: 1 }, { accountId: "", refreshSecret: "" }]) {
      const { keeper, session } = make();
      keeper.set("account", kept);
      expect(session.account).toBeNull();
    }
  });
});

describe("the API", () => {
  it("fills in what JSON leaves out", async () => {
    const { session, api } = make();
    await session.signUp("Noura");
    const room = await api.quickPlay("PRESET_SAHRAT", "MODE_PARTNERS", true);
    expect(room).toMatchObject({
      roomId: "r1",
      code: "",
      tableId: "",
      seats: [{ seat: 0, accountId: "a1", bot: false }],
    });
    expect(await api.whereToGoOn()).toMatchObject({ tables: [{ tableId: "t1", seat: 0 }], room: null });
  });

  it("renews a token that was refused, and asks once more", async () => {
    const { lobby, session, api } = make();
    await session.signUp("Noura");
    lobby.refuse["/api/rooms"] = "TOKEN_EXPIRED";
    await api.createRoom({ preset: "PRESET_BANAKIL202" });
    expect(lobby.calls.map(({ path }) => path)).toEqual(["/api/guest", "/api/rooms", "/api/token", "/api/rooms"]);
    expect(lobby.calls[1]!.body).toEqual(lobby.calls[3]!.body);
    expect(lobby.calls[3]!.token).toBe(`Bearer ${jwt(2)}`);
  });

  it("asks for another game with the players of a table", async () => {
    const { lobby, session, api } = make();
    await session.signUp("Noura");
    expect((await api.playAgain("t1")).roomId).toBe("r1");
    expect(lobby.calls.at(-1)).toMatchObject({ path: "/api/tables/t1/again", body: {} });
  });

  it("sends again what got no answer, with the same command id", async () => {
    const { lobby, session, api } = make();
    await session.signUp("Noura");
    lobby.isOffline = 1;
    expect((await api.quickPlay("PRESET_SAHRAT", "MODE_DUEL", false)).roomId).toBe("r1");
    lobby.isOffline = 2;
    await expect(api.joinRoom("ABCD")).rejects.toMatchObject({ code: "OFFLINE" });
  });

  it("throws a refusal with its code", async () => {
    const { lobby, session, api } = make();
    await session.signUp("Noura");
    lobby.refuse["/api/rooms/join"] = "ROOM_FULL";
    const failure = await api.joinRoom("ABCD").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: "ROOM_FULL", retryAfterMs: 7 });
  });
});

describe("storage", () => {
  it("that throws, or is full, is made up for by memory", () => {
    const keeper = storageKeeper(() => {
      throw new DOMException("denied", "SecurityError");
    });
    keeper.set("x", { a: 1 });
    expect(keeper.get("x")).toEqual({ a: 1 });
    keeper.remove("x");
    expect(keeper.get("x")).toBeNull();
  });

  it("that holds something unreadable holds nothing", () => {
    const store = { getItem: () => "{", setItem: () => undefined, removeItem: () => undefined } as unknown as Storage;
    expect(storageKeeper(() => store).get("x")).toBeNull();
  });
});
