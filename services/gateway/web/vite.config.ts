import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Where `banakil up` listens; the page that Vite serves while developing passes calls and the socket on to it.
const GATEWAY = process.env.BANAKIL_GATEWAY ?? "http://127.0.0.1:8080";

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
      "/api": { target: GATEWAY, changeOrigin: true },
      "/ws": { target: GATEWAY, changeOrigin: true, ws: true },
    },
  },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
  },
});
