/** Shows one scene with sample data: `#table-ar`, `#cards`. While developing only; the build does not know this page. */

import { mount } from "svelte";
import "../styles/index.css";
import { makeTranslate } from "../core/i18n";
import { ar } from "../i18n/ar";
import { en } from "../i18n/en";
import type { Words } from "../ui/words";
import Gallery from "./Gallery.svelte";

const [scene = "table", locale = "ar"] = location.hash.slice(1).split("/");
const words: Words =
  locale === "en"
    ? { t: makeTranslate("en", en, "latin"), locale: "en", dir: "ltr", digits: "latin" }
    : { t: makeTranslate("ar", ar, "latin"), locale: "ar", dir: "rtl", digits: "latin" };

const target = document.getElementById("app");
if (target) mount(Gallery, { target, props: { scene, words } });
window.addEventListener("hashchange", () => location.reload());
