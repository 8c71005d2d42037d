/** Shows the Verify page: `/verify`, or `/verify/MATCH` for a match's record. Loaded by itself, and only there. */

import { mount } from "svelte";
import { loadWords } from "../../core/i18n";
import { lastingKeeper } from "../../core/storage";
import { Preferences } from "../settings.svelte";
import VerifyApp from "./VerifyApp.svelte";
import { Verifying } from "./verifying.svelte";

export async function show(target: HTMLElement, match: string | null): Promise<void> {
  const keeper = lastingKeeper();
  const preferences = new Preferences(keeper);
  const verifying = new Verifying(keptText);
  const props = {
    preferences,
    verifying,
    onlanguage: () => void preferences.change({ locale: preferences.settings.locale === "ar" ? "en" : "ar" }),
    onfile: (file: File) => void verifying.file(file),
  };
  // Both languages now, so that none has to be fetched without a connection.
  await Promise.all([loadWords("ar"), loadWords("en"), preferences.load()]);
  mount(VerifyApp, { target, props });
  if (match) await verifying.match(match);
}

/** What this browser kept of a deal, as it lies there: the reader looks at every byte of it. */
function keptText(match: string, dealNo: number): string | null {
  try {
    return localStorage.getItem(`banakil.witness.${match}.${dealNo}`);
  } catch {
    return null;
  }
}
