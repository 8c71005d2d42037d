// Runs one scenario: `node run.mjs NAME ADDRESS PICTURES SEED [DEVICE] [more...]`. Exit code 1 with words where it fails.
import { DESK, PHONE, withBrowser } from "./browser.mjs";

const [name, address, pictures, seed, device = "desk", ...more] = process.argv.slice(2);
const scenario = await import(`./${name}.mjs`);
try {
  await withBrowser((browser) =>
    scenario.default({ browser, address, pictures, seed: Number(seed), device: device === "phone" ? PHONE : DESK, name: device, more }),
  );
} catch (error) {
  console.error(error);
  process.exit(1);
}
