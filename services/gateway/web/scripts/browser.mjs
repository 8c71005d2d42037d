// A Chromium that has nothing of anybody's: a profile of its own, no talk with the outside.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/** Opens a browser for as long as `use` takes. */
export async function withBrowser(use) {
    const profile = mkdtempSync(join(tmpdir(), "banakil-browser-"));
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS });
    try {
        return await use(context.browser());
    } finally {
        await context.close();
        rmSync(profile, { recursive: true, force: true });
    }
}
