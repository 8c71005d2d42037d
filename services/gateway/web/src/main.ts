import { mount } from "svelte";
import { Page } from "./app/page.svelte";
import { verifyPath } from "./app/paths";
import "./styles/index.css";
import App from "./ui/App.svelte";

const target = document.getElementById("app");
const verify = verifyPath();
if (target && verify) void import("./app/verify/verify").then(({ show }) => show(target, verify.match));
else if (target) {
  const page = new Page();
  mount(App, { target, props: { page } });
  void page.start();
  // What this page believes of its table, for comparing two of them.
  Object.defineProperty(globalThis, "banakilViewHash", { value: () => page.viewHash() });
}
