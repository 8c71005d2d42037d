// One Chromium for many scenarios: says where it is, and goes when it is told to.
import { serveBrowser } from "./browser.mjs";

console.log((await serveBrowser()).wsEndpoint());
