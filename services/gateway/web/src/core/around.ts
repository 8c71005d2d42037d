/** The browser as socket.ts wants it. */

import type { Around, SocketLike } from "./socket";

export function browserAround(): Around {
  return {
    now: () => performance.now(),
    open: (url) => new WebSocket(url) as unknown as SocketLike,
    after: (ms, action) => {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    onReturn: (action) => {
      const visible = () => document.visibilityState === "visible" && action("visible");
      const online = () => action("online");
      document.addEventListener("visibilitychange", visible);
      window.addEventListener("online", online);
      return () => {
        document.removeEventListener("visibilitychange", visible);
        window.removeEventListener("online", online);
      };
    },
  };
}

/** The socket's address on the host that the page came from. */
export function socketUrl(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}
