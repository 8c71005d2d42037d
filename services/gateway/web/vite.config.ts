import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Where `banakil up` listens; the page that Vite serves while developing passes calls and the socket on to it.
const GATEWAY = process.env.BANAKIL_GATEWAY ?? "http://127.0.0.1:7380";

const ENTRY = "/src/main.ts";

/** Whether the entry needs a module at once, and not only once it asks for it. */
function isNeededAtOnce(id: string, importersOf: (id: string) => readonly string[], seen = new Set<string>()): boolean {
  if (id.endsWith(ENTRY)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return importersOf(id).some((importer) => isNeededAtOnce(importer, importersOf, seen));
}

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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              // All that a table needs is one file, whatever other parts of the page share with it: in pieces it packs worse.
              name: (id, graph) =>
                isNeededAtOnce(id, (one) => graph.getModuleInfo(one)?.importers ?? []) ? "table" : null,
            },
          ],
        },
      },
    },
  },
  server: {
    // The list of phrases lies where the table service reads it too.
    fs: { allow: [".", "../../../shared/codec"] },
    proxy: {
      // The Host header stays Vite's own: the gateway opens sockets to pages of its own host alone.
      "/api": { target: GATEWAY },
      "/ws": { target: GATEWAY, ws: true },
    },
  },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
    testTimeout: 60_000, // for a machine with other work
  },
});
