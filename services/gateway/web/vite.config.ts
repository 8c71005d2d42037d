import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Where `banakil up` listens; the page that Vite serves while developing passes calls and the socket on to it.
const GATEWAY = process.env.BANAKIL_GATEWAY ?? "http://127.0.0.1:7380";

export default defineConfig({
  plugins: [svelte()],
  build: {
    // Everything of assets/ has its content's hash in its name, and the gateway lets browsers keep it for good.
    assetsDir: "assets",
    target: "es2022",
    // The gateway's policy admits no script and no style but files of its own: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: {
      // The Host header stays Vite's own: the gateway opens sockets to pages of its own host alone.
      "/api": { target: GATEWAY },
      "/ws": { target: GATEWAY, ws: true },
    },
  },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
  },
});
