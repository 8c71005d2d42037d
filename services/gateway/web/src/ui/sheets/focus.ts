/** Keeps the keyboard inside a panel while it is open, and gives the focus back afterwards. */

import type { Attachment } from "svelte/attachments";

const FOCUSABLE = "button:not(:disabled), input, select, a[href], [tabindex='0']";

export function holdFocus(onescape?: () => void): Attachment<HTMLElement> {
  return (panel) => {
    const before = document.activeElement;
    const stops = () => [...panel.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((stop) => stop.tabIndex >= 0);
    const first = panel.querySelector<HTMLElement>("[data-first]") ?? panel;
    first.focus({ preventScroll: true });

    function keyed(event: KeyboardEvent) {
      if (event.key === "Escape" && onescape) {
        event.stopPropagation();
        onescape();
        return;
      }
      if (event.key !== "Tab") return;
      const all = stops();
      const [start, end] = [all[0], all[all.length - 1]];
      if (!start || !end) return;
      const here = document.activeElement;
      if (event.shiftKey && (here === start || here === panel)) {
        event.preventDefault();
        end.focus();
      } else if (!event.shiftKey && here === end) {
        event.preventDefault();
        start.focus();
      }
    }

    panel.addEventListener("keydown", keyed);
    return () => {
      panel.removeEventListener("keydown", keyed);
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  };
}
